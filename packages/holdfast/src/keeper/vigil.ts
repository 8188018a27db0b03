/** Keeps the process alive while anybody waits; what is merely held does not. */
import type { Clock, Timer } from '../clock.ts'

/** Longer than any process lives. */
const LONG_MS = 2 ** 40

export class Vigil {
  readonly #clock: Clock
  #keepers = 0
  #timer: Timer | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Call what it gives when the waiting is over. */
  keep(): () => void {
    if (this.#keepers++ === 0) {
      this.#timer = this.#clock.after(LONG_MS, () => {})
      this.#timer.ref()
    }
    let kept = true
    return () => {
      if (kept && --this.#keepers === 0) this.#timer?.cancel()
      kept = false
    }
  }
}
