/**
 * Fences in JSON, which has no bigint: there they are decimal text. What others may write as JSON gets a `toJSON` that
 * is not enumerable, so copies, spreads and deep comparisons do not see it.
 */

/** The object itself, which can be written as JSON from now on. */
export function writable<T extends object>(view: T): T {
  return Object.defineProperty(view, 'toJSON', { value: ownDecimal })
}

/** Its own properties, with decimal text for each bigint. */
export function decimal(object: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value]),
  )
}

function ownDecimal(this: object): Readonly<Record<string, unknown>> {
  return decimal(this)
}
