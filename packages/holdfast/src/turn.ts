/**
 * Turns of the event loop. Promises that resolve each other never let it turn, so whoever could go on like that for long
 * asks here and lets timers and sockets have their turn when the answer is no. And ways to run something later in this
 * turn, taken from Node when the library is loaded: tests that fake them later do not stop it.
 */
import type { Clock } from './clock.ts'

/** When the promises that are settled now have run. */
export const nextTick: (work: () => void) => void = process.nextTick.bind(process)
/** Behind the promises that are settled already. */
export const microtask: (work: () => void) => void = globalThis.queueMicrotask.bind(globalThis)

/** What is added in one turn is given to `flush` at its end, all at once: to wait for company costs no time. */
export function gathered<T>(flush: (all: readonly T[]) => void): (one: T) => void {
  let all: T[] = []
  return (one) => {
    all.push(one)
    if (all.length > 1) return
    nextTick(() => {
      const now = all
      all = []
      flush(now)
    })
  }
}

/** So much work in one turn of the loop is enough. */
const TURN_MS = 20

export class Turn {
  readonly #clock: Clock
  /** When this turn's first question was asked. */
  #startedMs: number | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @param now by the monotonic clock */
  mayGoOn(now: number): boolean {
    if (this.#startedMs === null) {
      this.#startedMs = now
      this.#clock.after(0, () => {
        this.#startedMs = null
      })
    }
    return now - this.#startedMs < TURN_MS
  }
}
