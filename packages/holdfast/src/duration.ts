/**
 * Lengths of time as users write them: digits, then a unit. A bare number is refused, because every text on locks has
 * a story of seconds taken for milliseconds.
 */

/** A length of time with its unit: `'250ms'`, `'5s'`, `'2m'`, `'1h'`, `'7d'`. Whole numbers only. */
export type Duration = `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])
/** A hundred years; beyond it sums of moments would lose their milliseconds' meaning. */
const MS_MAX = 36_525 * 86_400_000

/**
 * Checks a text from outside, such as an environment variable, and gives it back as a `Duration`.
 *
 * @throws {TypeError} when it is no string
 * @throws {RangeError} when it is not digits and a unit; names the text
 */
export function duration(text: string): Duration {
  parseDuration('duration', text)
  return text as Duration
}

/** Milliseconds of a duration; `option` is named in the error. */
export function parseDuration(option: string, value: unknown): number {
  if (typeof value !== 'string') {
    throw new TypeError(`${option} must be a duration with its unit such as '5s', not ${show(value)}`)
  }
  const match = /^(\d+)(ms|s|m|h|d)$/.exec(value)
  const ms = match ? Number(match[1]) * (UNIT_MS.get(match[2] ?? '') ?? Number.NaN) : Number.NaN
  if (!(ms <= MS_MAX)) {
    throw new RangeError(`${option} must be digits and a unit (ms, s, m, h, d) such as '5s', not ${show(value)}`)
  }
  return ms
}

/** A value as it may stand in an error message: typed, quoted, and never longer than a line. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value
}
