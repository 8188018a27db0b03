/**
 * The only module that touches time: monotonic, wall and boot clock, and timers. The whole library runs under a
 * virtual clock by being handed another `Clock`. Moments are milliseconds; monotonic ones are comparable between the
 * threads and processes of one machine (`hrtime`), which `performance.now()` does not promise.
 */
import { uptime } from 'node:os'

/** A timer that can be called off. It does not keep the process alive unless `ref` was called. */
export interface Timer {
  cancel(): void
  ref(): void
  unref(): void
}

export interface Clock {
  /** Milliseconds that never step and may stop while the machine sleeps. */
  monotonicMs(): number
  /** Milliseconds since 1970; steps when somebody sets the clock. */
  wallMs(): number
  /** Milliseconds since boot, sleep included; a grain of 10 ms on Linux. */
  bootMs(): number
  /** Runs `fn` once, no earlier than `ms` from now by the monotonic clock, however long that is. */
  after(ms: number, fn: () => void): Timer
}

/** The longest delay that `setTimeout` keeps; above it Node fires after 1 ms. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1

export const systemClock: Clock = {
  monotonicMs: () => Number(process.hrtime.bigint()) / 1e6,
  wallMs: () => Date.now(),
  bootMs: () => uptime() * 1000,
  after(ms, fn) {
    const dueMs = systemClock.monotonicMs() + ms
    let referenced = false
    let handle: ReturnType<typeof setTimeout>
    const arm = (leftMs: number): void => {
      // Node counts from the start of the loop's turn, so a timer may fire up to a millisecond early.
      handle = setTimeout(
        () => {
          const stillMs = dueMs - systemClock.monotonicMs()
          if (stillMs > 0) arm(stillMs)
          else fn()
        },
        Math.min(Math.ceil(leftMs), TIMEOUT_MS_MAX),
      )
      if (!referenced) handle.unref()
    }
    arm(Math.max(0, ms))
    return {
      cancel: () => clearTimeout(handle),
      ref: () => {
        referenced = true
        handle.ref()
      },
      unref: () => {
        referenced = false
        handle.unref()
      },
    }
  },
}

/** What happened to a promise within a time limit. */
export type Outcome<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'error'; readonly error: unknown }
  | { readonly kind: 'late' }

/**
 * Waits for `work` for at most `ms`. Never rejects, and what arrives late is dropped without an unhandled rejection.
 */
export function within<T>(clock: Clock, ms: number, work: PromiseLike<T>): Promise<Outcome<T>> {
  return new Promise((resolve) => {
    const timer = clock.after(ms, () => resolve({ kind: 'late' }))
    work.then(
      (value) => {
        timer.cancel()
        resolve({ kind: 'value', value })
      },
      (error: unknown) => {
        timer.cancel()
        resolve({ kind: 'error', error })
      },
    )
  })
}
