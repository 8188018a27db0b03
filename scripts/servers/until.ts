/** Waits until something is so, for what no event tells. */
import { setTimeout as sleep } from 'node:timers/promises'

export interface UntilOptions {
  readonly limitMs?: number
  readonly everyMs?: number
  /** Throws when there is nothing left to wait for. */
  readonly giveUp?: () => void
}

/**
 * Resolves with the first result of `check` that is not false. A check that throws is tried again.
 *
 * @throws when the limit has passed; its cause is what the check threw last
 */
export async function until<T>(
  what: string,
  check: () => Promise<T | false> | T | false,
  { limitMs = 30_000, everyMs = 25, giveUp }: UntilOptions = {},
): Promise<T> {
  const endMs = performance.now() + limitMs
  let cause: unknown
  do {
    giveUp?.()
    try {
      const result = await check()
      if (result !== false) return result
      cause = undefined
    } catch (error) {
      cause = error
    }
    await sleep(everyMs)
  } while (performance.now() < endMs)
  const because = cause instanceof Error ? `: ${cause.message}` : ''
  throw new Error(`${what}: not within ${limitMs} ms${because}`, { cause })
}
