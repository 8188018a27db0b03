/**
 * A guard whose fences are a hash beside a Redis value. What a reader would get wrong: a check and a write that are two
 * commands are no guard, since a newer holder may come between them; so `set` and `run` do both in one script.
 */
import { createHash } from 'node:crypto'
import { show } from '../duration.ts'
import { BackendRefusedError } from '../errors.ts'
import { checkName, isWellFormed } from '../names.ts'
import { requireObject } from '../options.ts'
import { type Guard, type Stamp, staleFence, stampOf } from './guard.ts'
import { GUARDED } from './lua.ts'
import { type RedisScripts, type RedisValue, type Runner, runnerOf } from './redis-scripts.ts'

export interface RedisWork {
  /** `KEYS[2]` and on; `KEYS[1]` is the guarded value. In a cluster all of them must be in its slot. */
  readonly keys?: readonly string[]
  /** `ARGV[1]` and on. */
  readonly args?: readonly RedisValue[]
}

type Holder = Parameters<Guard['enter']>[1]

/**
 * Refuses holders that others have passed, at one value on a Redis server. `enter(undefined, lease)` comes before the
 * first read; there is no transaction, so `set` and `run` check again in the step that writes.
 */
export interface RedisGuard extends Guard {
  /** Where the fences are kept, as you would name it to the same client. Never let it be evicted or end. */
  readonly fencesKey: string
  /**
   * Checks the lease and sets the value to this text or these bytes, in one step. As plain `SET`, it ends a time to
   * live that the value had.
   *
   * @throws {StaleFenceError} a newer holder has entered; nothing was written
   * @throws {TypeError} the lease is one to read
   */
  set(lease: Holder, value: RedisValue): Promise<void>
  /**
   * Checks the lease and runs your Lua in the same step; gives what it returns. In it `KEYS[1]` is the guarded value,
   * and `KEYS` and `ARGV` go on with what `work` has. A read lease passes too: let it only read.
   *
   * @param script always the same text for the same work: what differs goes into `args`, or the server's cache of
   *   scripts grows with each call
   * @throws {StaleFenceError} a newer holder has entered; your Lua was not run
   */
  run(lease: Holder, script: string, work?: RedisWork): Promise<unknown>
}

/**
 * A guard for a value on a Redis or Valkey server, alone, under Sentinel or in a cluster, over a client of ioredis or
 * redis. The fences are made by the first lease that enters, and are as durable as the server.
 *
 * @param key of the value. Whoever guards it uses the same key, with the same key prefix of the client
 * @throws {TypeError | RangeError} naming what is wrong
 */
export function redisGuard(client: RedisScripts, key: string): RedisGuard {
  const runner = runnerOf(client)
  return new ScriptGuard(runner, checkName('key', key), fencesKeyOf(runner.prefix, key))
}

const ENTER = scriptOf('')
const SET = scriptOf("return redis.call('SET', KEYS[1], ARGV[1])")

class ScriptGuard implements RedisGuard {
  readonly fencesKey: string
  readonly #runner: Runner
  readonly #key: string

  constructor(runner: Runner, key: string, fencesKey: string) {
    this.#runner = runner
    this.#key = key
    this.fencesKey = fencesKey
  }

  async enter(_tx: undefined, lease: Holder): Promise<void> {
    await this.#guarded(stampOf(lease), ENTER, [], [])
  }

  async set(lease: Holder, value: RedisValue): Promise<void> {
    const stamp = stampOf(lease)
    if (stamp.shared) throw new TypeError(`lease must be one to write, not the read lease on "${stamp.name}"`)
    await this.#guarded(stamp, SET, [], [checkValue('value', value)])
  }

  async run(lease: Holder, script: string, work: RedisWork = {}): Promise<unknown> {
    const stamp = stampOf(lease)
    checkText('script', script)
    requireObject('work', work)
    const keys = listOf('keys', work.keys).map((key, at) => checkText(`keys[${at}]`, key))
    const args = listOf('args', work.args).map((value, at) => checkValue(`args[${at}]`, value))
    return this.#guarded(stamp, scriptOf(script), keys, args)
  }

  async #guarded(
    stamp: Stamp,
    script: ReturnType<typeof scriptOf>,
    keys: readonly string[],
    args: readonly RedisValue[],
  ): Promise<unknown> {
    const mode = stamp.shared ? 'shared' : 'exclusive'
    const reply = await this.#runner.run(
      script,
      [this.fencesKey, this.#key, ...keys],
      [String(stamp.fence), mode, ...args],
    )
    const [outcome, value] = reply as readonly unknown[]
    if (String(outcome) === 'stale') throw staleFence(stamp, BigInt(String(value)))
    if (String(outcome) === 'damaged') {
      throw new BackendRefusedError(`the fences under ${show(this.fencesKey)} are none: ${show(String(value))}`)
    }
    return value
  }
}

/** The check, and behind it the work with `KEYS` and `ARGV` of its own. What the work throws or refuses is the answer. */
function scriptOf(work: string): { readonly text: string; readonly sha: string } {
  const text = `${GUARDED}
local keys, args = {}, {}
for at = 2, #KEYS do keys[at - 1] = KEYS[at] end
for at = 3, #ARGV do args[at - 2] = ARGV[at] end
local function work(KEYS, ARGV)
${work}
end
local given = work(keys, args)
if type(given) == 'table' and given.err then return given end
return { 'entered', given }
`
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

/**
 * In a cluster a script's keys must be in one slot, so the fences take the hash tag of the value's key, or its whole
 * key for a tag. The two forms differ, or the keys `x` and `{x}` would share fences.
 */
function fencesKeyOf(prefix: string, key: string): string {
  const full = prefix + key
  const name = hashedOf(full) === full ? `hf:1:guard:{${full}}` : `hf:1:guard:of:${key}`
  if (hashedOf(prefix + name) === hashedOf(full)) return name
  throw new RangeError(
    `key must have a hash tag, or no closing brace, or its fences could not be in the same slot: ${show(full)}`,
  )
}

/** What a cluster hashes of a key: what is between the first braces, if there is anything. */
function hashedOf(key: string): string {
  return /^[^{]*\{([^}]+)\}/.exec(key)?.[1] ?? key
}

function listOf<T>(option: string, list: readonly T[] | undefined): readonly T[] {
  if (list === undefined) return []
  if (!Array.isArray(list)) throw new TypeError(`${option} must be an array, not ${show(list)}`)
  return list as readonly T[]
}

function checkText(option: string, text: unknown): string {
  if (typeof text !== 'string') throw new TypeError(`${option} must be a string, not ${show(text)}`)
  if (isWellFormed(text)) return text
  throw new RangeError(`${option} must be well-formed Unicode: ${show(text)}`)
}

function checkValue(option: string, value: unknown): RedisValue {
  if (typeof value === 'string') return checkText(option, value)
  // The clients know bytes as a Buffer only.
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  throw new TypeError(`${option} must be a string or bytes, not ${show(value)}`)
}
