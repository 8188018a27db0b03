/**
 * The only module that touches time: monotonic, wall and boot clock, and timers. The whole library runs under a
 * virtual clock by being handed another `Clock`. Moments are milliseconds; monotonic ones are comparable between the
 * threads and processes of one machine, as those of `hrtime` are.
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
  /** How much less than the truth `bootMs` may show; nothing if absent. */
  readonly bootGrainMs?: number
  /** Runs `fn` once, no earlier than `ms` from now by the monotonic clock, however long that is. */
  after(ms: number, fn: () => void): Timer
}

/** The longest delay that `setTimeout` keeps; above it Node fires after 1 ms. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1

export const systemClock: Clock = {
  monotonicMs,
  wallMs: () => Date.now(),
  bootMs: () => uptime() * 1000,
  // Linux counts in hundredths of a second, macOS in seconds; elsewhere a tick of the system is 16 ms at most.
  bootGrainMs: process.platform === 'linux' ? 10 : process.platform === 'darwin' ? 1000 : 16,
  after: (ms, fn) => new SystemTimer(ms, fn),
}

/** `performance.now()` begins anew in each thread, but reads the same clock as `hrtime` and makes no array. */
const { performance } = globalThis
const originMs = originOf(5)

function monotonicMs(): number {
  return originMs + performance.now()
}

/** Where `performance.now()` began on the clock of `hrtime`: by the reading of both that took least time. */
function originOf(looks: number): number {
  let best = { originMs: 0, tookMs: Number.POSITIVE_INFINITY }
  for (let look = 0; look < looks; look++) {
    const before = performance.now()
    const [seconds, nanoseconds] = process.hrtime()
    const after = performance.now()
    if (after - before < best.tookMs) {
      best = { originMs: seconds * 1000 + nanoseconds / 1e6 - (before + after) / 2, tookMs: after - before }
    }
  }
  return best.originMs
}

class SystemTimer implements Timer {
  readonly #dueMs: number
  readonly #fn: () => void
  #referenced = false
  #handle: ReturnType<typeof setTimeout>

  constructor(ms: number, fn: () => void) {
    this.#dueMs = monotonicMs() + ms
    this.#fn = fn
    this.#handle = this.#arm(ms)
  }

  cancel(): void {
    clearTimeout(this.#handle)
  }
  ref(): void {
    this.#referenced = true
    this.#handle.ref()
  }
  unref(): void {
    this.#referenced = false
    this.#handle.unref()
  }

  #arm(leftMs: number): ReturnType<typeof setTimeout> {
    const handle = setTimeout(fire, Math.min(Math.max(0, Math.ceil(leftMs)), TIMEOUT_MS_MAX), this)
    return this.#referenced ? handle : handle.unref()
  }

  /** Node counts from the start of the loop's turn, so a timer may fire up to a millisecond early. */
  fire(): void {
    const leftMs = this.#dueMs - monotonicMs()
    if (leftMs > 0) this.#handle = this.#arm(leftMs)
    else this.#fn()
  }
}

function fire(timer: SystemTimer): void {
  timer.fire()
}

/** Blocks this thread until another one says that the word has changed, for `ms` at most. */
export function blockOn(words: Int32Array, word: number, value: number, ms: number): void {
  Atomics.wait(words, word, value, ms)
}

/** A wall-clock moment for people. */
export function dateOf(wallMs: number): Date {
  return new Date(wallMs)
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
