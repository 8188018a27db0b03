/**
 * Promises that resolve each other never let the event loop turn. Whoever could go on like that for long asks here, and
 * lets timers and sockets have their turn when the answer is no.
 */
import type { Clock } from './clock.ts'

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
