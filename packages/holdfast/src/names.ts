/**
 * Names as users give them and the lines they stand for. The kind is part of a line's full name, so `mutex('x')` and
 * `semaphore('x')` never meet, while a mutex and the writer of a read–write lock are one line.
 */
import { show } from './duration.ts'

/** Kinds of lines. `lock` is shared by mutex and read–write lock. */
export const KINDS = ['lock', 'semaphore', 'election', 'barrier'] as const
export type Kind = (typeof KINDS)[number]

/** Longer names do not fit the index keys of every backend. */
export const NAME_BYTES_MAX = 512

/**
 * Gives the text back if every backend can keep it: 1 to 512 bytes of UTF-8, no NUL, no lone surrogate.
 *
 * @throws {TypeError} no string @throws {RangeError} a string that cannot be kept
 */
export function checkName(option: string, value: unknown): string {
  if (typeof value !== 'string') throw new TypeError(`${option} must be a string, not ${show(value)}`)
  if (value === '') throw new RangeError(`${option} must not be empty`)
  return checkText(option, value, NAME_BYTES_MAX)
}

/** As {@link checkName}, for texts that may be empty or longer. */
export function checkText(option: string, value: unknown, bytesMax: number): string {
  if (typeof value !== 'string') throw new TypeError(`${option} must be a string, not ${show(value)}`)
  if (Buffer.byteLength(value) > bytesMax) {
    throw new RangeError(
      `${option} must have at most ${bytesMax} bytes, not ${Buffer.byteLength(value)} as in ${show(value)}`,
    )
  }
  if (value.includes('\0')) throw new RangeError(`${option} must not contain NUL: ${show(value)}`)
  if (!isWellFormed(value)) throw new RangeError(`${option} must be well-formed Unicode: ${show(value)}`)
  return value
}

export function lineOf(kind: Kind, name: string): string {
  return `${kind}:${name}`
}

/** The kind and the user's name of a line. */
export function partsOf(line: string): { readonly kind: string; readonly name: string } {
  const cut = line.indexOf(':')
  return { kind: line.slice(0, cut), name: line.slice(cut + 1) }
}

/** What UTF-8 can write. */
export function isWellFormed(text: string): boolean {
  return !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text)
}
