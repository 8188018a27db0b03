/**
 * Waiting that ends in time, whatever the store does: by a signal, whose reason is rethrown unchanged, or at the end of
 * its time. What the work does later is dropped without an unhandled rejection.
 */
import type { Clock } from '../clock.ts'
import type { Until } from './again.ts'

/** @throws the reason of the signal, `late()`, or what `work` rejects with */
export function patiently<T>(clock: Clock, work: PromiseLike<T>, terms: Partial<Until>): Promise<T> {
  const { signal, limitMs, late } = terms
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = (): void => end(() => reject(signal?.reason))
    const bounded = limitMs !== undefined && limitMs !== Number.POSITIVE_INFINITY
    const timer = bounded ? clock.after(Math.max(0, limitMs), () => end(() => reject(late?.()))) : null
    const end = (settle: () => void): void => {
      signal?.removeEventListener('abort', onAbort)
      timer?.cancel()
      settle()
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    work.then(
      (value) => end(() => resolve(value)),
      (error: unknown) => end(() => reject(error)),
    )
  })
}
