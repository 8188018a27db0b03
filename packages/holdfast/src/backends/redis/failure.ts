/**
 * What a Redis error means for the caller: it heals by waiting, or somebody has to change something first. Servers name
 * the kind of an error in its first word; what has none comes from the client or the network, and may heal.
 */
import { BackendRefusedError, BackendUnavailableError, type HoldfastError, isHoldfastError } from '../../errors.ts'

/** What will not heal by itself, and what has to be done. */
const REFUSALS: ReadonlyMap<string, string> = new Map([
  ['NOAUTH', 'it wants a password'],
  ['WRONGPASS', 'user name or password are wrong'],
  ['NOPERM', 'the user lacks a right; docs/backends/redis.md lists those that are needed'],
  ['DENIED', 'it refuses connections from here (protected mode)'],
  ['OOM', 'it is out of memory'],
  ['MISCONF', 'it cannot save its data and takes no writes'],
  ['WRONGTYPE', 'something else is kept under the keys that begin with hf:'],
  ['HOLDFAST', ''],
])
/** Somebody else is the primary now, or will be. */
const REPLICA = new Set(['READONLY', 'MASTERDOWN'])
/** Words of a server that waits for something, or keeps the key elsewhere. */
const PASSING = new Set(['LOADING', 'BUSY', 'TRYAGAIN', 'ASK', 'MOVED', 'CLUSTERDOWN', 'NOREPLICAS', 'NOSCRIPT'])
/** What scripts are told by an ACL. */
const DENIED = /the user executing the script can't .*?(?= script:|$)/i
const TOO_OLD = /unknown command|Unexpected engine|Invalid script flag|Error compiling script/i

/** The first word of a server's error; empty when it is none. A client that has tried again says it in its own words. */
export function codeOf(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  return /^(?:-|.* Last error: \w+: )?([A-Z]{2,})(?= |$)/.exec(message)?.[1] ?? ''
}

/** It will not heal by itself. */
export function isRefusal(error: unknown): boolean {
  return REFUSALS.has(codeOf(error))
}

/**
 * @param failsOver a failover may follow where a server turns out to be a replica
 * @param script the text of the script that was run, if any
 */
export function failureOf(error: unknown, failsOver: boolean, script = ''): HoldfastError {
  if (isHoldfastError(error, 'BACKEND_UNAVAILABLE') || isHoldfastError(error, 'BACKEND_REFUSED')) return error
  const message = error instanceof Error ? error.message : String(error)
  const code = codeOf(error)
  const refusal = REFUSALS.get(code)
  if (code === 'NOPERM') return refused(`${refusal}: ${message.replace(/^NOPERM /, '')}`, error)
  if (code === 'ERR' && DENIED.test(message))
    return refused(`${REFUSALS.get('NOPERM')}: ${denial(message, script)}`, error)
  if (refusal !== undefined) return refused(refusal === '' ? message.replace(/^HOLDFAST /, '') : refusal, error)
  if (REPLICA.has(code) && !failsOver) return refused('it is a read-only replica', error)
  if (code === 'ERR' && /DB index/.test(message)) return refused(message.replace(/^ERR /, ''), error)
  if (code === 'ERR' && TOO_OLD.test(message)) return refused('it is older than Redis 7.0', error)
  if (code === 'ERR' && /user_script|script/.test(message)) return refused(`a script failed: ${message}`, error)
  const passing = PASSING.has(code) || REPLICA.has(code) ? 'the Redis server cannot answer now' : 'Redis failed'
  return new BackendUnavailableError(`${passing}: ${message}`, { cause: error })
}

/** A server does not say which command of a script the user may not run, but in which line it is. */
function denial(message: string, script: string): string {
  const line = script.split('\n')[Number(/@user_script:(\d+)/.exec(message)?.[1]) - 1] ?? ''
  const command = /call\('([A-Z]+)'/.exec(line)?.[1]
  const said = DENIED.exec(message)?.[0] ?? message
  return command === undefined ? said : `${said} '${command.toLowerCase()}'`
}

function refused(why: string, cause: unknown): BackendRefusedError {
  return new BackendRefusedError(`the Redis server will not do it: ${why}`, { cause })
}
