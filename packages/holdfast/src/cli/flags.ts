/**
 * Every flag, what it wants, and how its text becomes a value. A text that only looks right (`1e3s`, ` 5s`, `-5s`) is
 * refused here, with the flag and the text in the message, before anything is opened.
 */
import { type Duration, parseDuration } from '../duration.ts'
import { checkName, checkText } from '../names.ts'
import { UsageError } from './usage-error.ts'
import { quoted } from './visible-text.ts'

interface Flag {
  readonly takesValue: boolean
  /** What a value must be, as messages and the help say it. */
  readonly wants: string
}

const switched = (): Flag => ({ takesValue: false, wants: 'no value' })
const valued = (wants: string): Flag => ({ takesValue: true, wants })

const DURATION = 'digits and a unit (ms, s, m, h, d) such as 5s'

export type FlagName =
  | 'url'
  | 'namespace'
  | 'ttl'
  | 'max-ttl'
  | 'quarantine'
  | 'json'
  | 'help'
  | 'version'
  | 'wait'
  | 'max-hold'
  | 'shared'
  | 'permits'
  | 'grace'
  | 'conflict-exit-code'
  | 'label'
  | 'id'
  | 'force'

export const FLAGS: Readonly<Record<FlagName, Flag>> = {
  url: valued('the URL of a store such as sqlite:/var/lib/jobs/locks.db'),
  namespace: valued('1 to 512 bytes of text'),
  ttl: valued(`${DURATION}, from 1s to --max-ttl`),
  'max-ttl': valued(`${DURATION}, from 1s to 10m`),
  quarantine: switched(),
  json: switched(),
  help: switched(),
  version: switched(),
  wait: valued(`${DURATION}, 0 or forever`),
  'max-hold': valued(`${DURATION}, at least 1ms`),
  shared: switched(),
  permits: valued('K/N: K of N permits, whole numbers with 1 <= K <= N'),
  grace: valued(DURATION),
  'conflict-exit-code': valued('a whole number from 0 to 255'),
  label: valued('1 to 256 bytes of text'),
  id: valued('the id of a holder'),
  force: switched(),
}

/** Longer is refused by the library as well; here the message names the flag. */
export const LABEL_BYTES_MAX = 256
/** The capacity of a line is a 31-bit weight in every backend. */
const PERMITS_MAX = 2 ** 31 - 1
const ID_BYTES_MAX = 256

export function durationOf(flag: FlagName, text: string): { readonly text: Duration; readonly ms: number } {
  return { text: text as Duration, ms: checked(flag, text, () => parseDuration(flag, text)) }
}

/** A length with bounds; `maxMs` and `minMs` are part of what the flag says it wants. */
export function boundedOf(flag: FlagName, text: string, minMs: number, maxMs: number): ReturnType<typeof durationOf> {
  const length = durationOf(flag, text)
  if (length.ms < minMs || length.ms > maxMs) throw refusal(flag, text)
  return length
}

export function waitOf(text: string): Duration | 0 | 'forever' {
  if (text === '0') return 0
  return text === 'forever' ? text : durationOf('wait', text).text
}

export function permitsOf(text: string): { readonly permits: number; readonly capacity: number } {
  const [, k, n] = /^([1-9]\d{0,9})\/([1-9]\d{0,9})$/.exec(text) ?? []
  const permits = Number(k)
  const capacity = Number(n)
  if (!(permits <= capacity && capacity <= PERMITS_MAX)) throw refusal('permits', text)
  return { permits, capacity }
}

export function exitCodeOf(text: string): number {
  if (!/^(0|[1-9]\d{0,2})$/.test(text) || Number(text) > 255) throw refusal('conflict-exit-code', text)
  return Number(text)
}

export function labelOf(text: string): string {
  if (text === '') throw refusal('label', text)
  return checked('label', text, () => checkText('label', text, LABEL_BYTES_MAX))
}

export function namespaceOf(text: string): string {
  return checked('namespace', text, () => checkName('namespace', text))
}

export function idOf(text: string): string {
  if (text === '' || /[\p{Cc}\p{Cs}\s]/u.test(text) || Buffer.byteLength(text) > ID_BYTES_MAX) {
    throw refusal('id', text)
  }
  return text
}

/** The NAME operand: what `mutex(NAME)` takes. */
export function nameOf(text: string): string {
  try {
    return checkName('NAME', text)
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** The beginning of names; empty means all. */
export function prefixOf(text: string): string {
  return text === '' ? '' : nameOf(text)
}

export function refusal(flag: FlagName, text: string): UsageError {
  return new UsageError(`--${flag} must be ${FLAGS[flag].wants}, not ${quoted(text)}`)
}

function checked<T>(flag: FlagName, text: string, check: () => T): T {
  try {
    return check()
  } catch {
    throw refusal(flag, text)
  }
}
