/**
 * Options as users give them, checked at once and turned into milliseconds. Every error names the option and the value.
 */
import type { FrontOptions, HoldfastOptions, TakeOptions } from './api.ts'
import { parseDuration, show } from './duration.ts'
import { checkName, checkText } from './names.ts'

/** The settings of one Holdfast object. */
export interface Settings {
  readonly namespace: string
  readonly ttlMs: number
  readonly maxTtlMs: number
  readonly heartbeat: 'auto' | 'worker' | 'main'
  readonly maxStallMs: number
  readonly front: boolean
  readonly passes: number
  readonly sliceMs: number
  readonly lingerMs: number
  readonly warnAfterMs: number
  readonly quarantine: boolean
  readonly defaults: TakeOptions
}

/** The names of the options that a kind of thing has. */
export type OptionNames = ReadonlySet<string>
const TAKE = ['wait', 'maxHold', 'signal', 'label', 'within', 'detached', 'fair']
export const OPTIONS: Readonly<Record<'take' | 'mutex' | 'permits' | 'semaphore' | 'candidate', OptionNames>> = {
  take: new Set(TAKE),
  mutex: new Set([...TAKE, 'reentrant']),
  permits: new Set([...TAKE, 'permits', 'slot']),
  semaphore: new Set([...TAKE, 'permits', 'slot', 'capacity']),
  candidate: new Set([...TAKE, 'value']),
}
/** Of a wait that ends without a lease, so that what belongs to a lease would be ignored. */
const WAITING: OptionNames = new Set(['wait', 'signal', 'label'])
/** What is given once for all takes of a thing, and where. */
const OF_DESCRIPTIONS: ReadonlyMap<string, string> = new Map([
  ['reentrant', 'a mutex, as in mutex(name, { reentrant: true })'],
  ['capacity', 'a semaphore, as in semaphore(name, { capacity: 3 })'],
])
const DEFAULTS: OptionNames = new Set(['wait', 'maxHold'])
const SETTINGS: OptionNames = new Set([
  ...['namespace', 'ttl', 'maxTtl', 'heartbeat', 'maxStall'],
  ...['front', 'defaults', 'warnAfter', 'quarantine'],
])
const FRONT_OPTIONS: OptionNames = new Set(['passes', 'slice', 'linger'])
const TTL_MS_MIN = 1000
const MAX_TTL_MS_MAX = 600_000
/** A shorter hold is over before an answer can tell of it. */
const MAX_HOLD_MS_MIN = 5
export const LABEL_BYTES_MAX = 256
export const VALUE_BYTES_MAX = 65_536

/** @throws {TypeError | RangeError} naming option and value */
export function parseSettings(asked: HoldfastOptions, ttlMsMin: number): Settings {
  const options = copyOf('options', asked, "an object with a namespace, such as { namespace: 'shop' }")
  refuseUnknown(options, SETTINGS)
  const maxTtl = given(options.maxTtl, '1m')
  const maxTtlMs = bounded('maxTtl', maxTtl, TTL_MS_MIN, MAX_TTL_MS_MAX)
  const front = given(options.front, {})
  const queue: FrontOptions = front === false ? {} : copyOf('front', front)
  refuseUnknown(queue, FRONT_OPTIONS)
  const defaults = copyOf('defaults', given(options.defaults, {}))
  refuseUnknown(defaults, DEFAULTS)
  return {
    namespace: checkName('namespace', options.namespace),
    ttlMs: bounded('ttl', given(options.ttl, '15s'), Math.max(TTL_MS_MIN, ttlMsMin), maxTtlMs, `maxTtl (${maxTtl})`),
    maxTtlMs,
    heartbeat: oneOf('heartbeat', given(options.heartbeat, 'auto'), ['auto', 'worker', 'main'] as const),
    maxStallMs: bounded('maxStall', given(options.maxStall, '30s'), 100, Number.MAX_SAFE_INTEGER),
    front: front !== false,
    passes: whole('front.passes', given(queue.passes, 16), 0, 1023),
    sliceMs: bounded('front.slice', given(queue.slice, '50ms'), 1, 60_000),
    lingerMs: bounded('front.linger', given(queue.linger, '0ms'), 0, 60_000),
    warnAfterMs: bounded('warnAfter', given(options.warnAfter, '1m'), 1, Number.MAX_SAFE_INTEGER),
    quarantine: flag('quarantine', given(options.quarantine, false)),
    defaults: checkTake({
      ...(defaults.wait === undefined ? {} : { wait: defaults.wait }),
      ...(defaults.maxHold === undefined ? {} : { maxHold: defaults.maxHold }),
    }),
  }
}

/** Checks what can be checked without knowing the verb, so that a description with bad defaults fails when it is made. */
export function checkTake<O extends TakeOptions>(options: O | undefined, known: OptionNames = OPTIONS.take): O {
  if (options === undefined) return {} as O
  const copy = copyOf('options', options)
  if (copy.wait !== undefined) parseWait(copy.wait)
  if (copy.maxHold !== undefined) bounded('maxHold', copy.maxHold, MAX_HOLD_MS_MIN, Number.MAX_SAFE_INTEGER)
  if (copy.label !== undefined) checkText('label', copy.label, LABEL_BYTES_MAX)
  if (copy.detached !== undefined) flag('detached', copy.detached)
  if (copy.fair !== undefined) flag('fair', copy.fair)
  checkSignal(copy.signal)
  refuseUnknown(copy, known)
  return copy
}

/** Options of a wait that ends without a lease. */
export function checkWaiting(options: TakeOptions | undefined): TakeOptions {
  return checkTake(options, WAITING)
}

/** A misspelt option would be ignored, and a lock without its `maxHold` is not what was asked for. */
function refuseUnknown(options: object, known: OptionNames): void {
  for (const option of Object.keys(options)) {
    if (known.has(option) || (options as Record<string, unknown>)[option] === undefined) continue
    const owner = OF_DESCRIPTIONS.get(option)
    const hint = owner === undefined ? '' : `: it belongs to the description of ${owner}`
    throw new TypeError(`${show(option)} is no option here${hint}; there are ${[...known].join(', ')}`)
  }
}

/** Milliseconds; infinite for `'forever'`. */
export function parseWait(value: unknown): number {
  if (value === 0) return 0
  if (value === 'forever') return Number.POSITIVE_INFINITY
  if (typeof value !== 'string')
    throw new TypeError(`wait must be a duration such as '5s', 0 or 'forever', not ${show(value)}`)
  return parseDuration('wait', value)
}

export function whole(option: string, value: unknown, min: number, max: number): number {
  if (typeof value !== 'number') throw new TypeError(`${option} must be a whole number, not ${show(value)}`)
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new RangeError(`${option} must be a whole number from ${min} to ${max}, not ${show(value)}`)
  }
  return value
}

export function flag(option: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw new TypeError(`${option} must be true or false, not ${show(value)}`)
  return value
}

/** `most`: what the upper bound is called, where it is another option's value. */
export function bounded(option: string, value: unknown, minMs: number, maxMs: number, most = `${maxMs} ms`): number {
  const ms = parseDuration(option, value)
  if (ms < minMs) throw new RangeError(`${option} must be at least ${minMs} ms, not ${show(value)}`)
  if (ms > maxMs) throw new RangeError(`${option} must be at most ${most}, not ${show(value)}`)
  return ms
}

/** The value, or what stands for it when it was not given. `null` was given, and is checked. */
export function given<T>(value: T | undefined, otherwise: T): T {
  return value === undefined ? otherwise : value
}

export function checkSignal(signal: unknown): void {
  if (signal !== undefined && !isSignal(signal))
    throw new TypeError(`signal must be an AbortSignal, not ${show(signal)}`)
}

/** Options that have a signal at most. */
export function checkSignalOnly<O extends { readonly signal?: AbortSignal }>(options: O): O {
  const copy = copyOf('options', options)
  checkSignal(copy.signal)
  return copy
}

export function checkFunction(fn: unknown): void {
  if (typeof fn !== 'function') throw new TypeError(`fn must be a function, not ${show(fn)}`)
}

/** The options as they are now: what is checked is what is used, whatever a getter gives the next time. */
export function copyOf<O extends object>(option: string, value: O, wanted?: string): O {
  requireObject(option, value, wanted)
  return { ...value }
}

export function requireObject(option: string, value: unknown, wanted = 'an object'): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError(`${option} must be ${wanted}, not ${show(value)}`)
  }
}

function oneOf<T extends string>(option: string, value: unknown, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value)
  if (found !== undefined) return found
  const message = `${option} must be one of ${allowed.join(', ')}, not ${show(value)}`
  throw typeof value === 'string' ? new RangeError(message) : new TypeError(message)
}

function isSignal(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as AbortSignal).aborted === 'boolean' &&
    typeof (value as AbortSignal).addEventListener === 'function' &&
    typeof (value as AbortSignal).removeEventListener === 'function'
  )
}
