/** Keeps the process alive while anybody waits; what is merely held does not. */
import type { Clock, Timer } from '../clock.ts'

/** Longer than any process lives. */
const LONG_MS = 2 ** 40

export class Vigil {
  readonly #clock: Clock
  #keepers = 0
  #timer: Timer | null = null
  #closed = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  begin(): void {
    if (this.#keepers++ > 0) return
    this.#timer ??= this.#clock.after(LONG_MS, () => {})
    this.#timer.ref()
  }
  /** Once for each `begin`. */
  end(): void {
    if (--this.#keepers > 0) return
    if (this.#closed) this.#drop()
    else this.#timer?.unref()
  }
  /** Leaves no timer behind; who still waits is waited for. */
  close(): void {
    this.#closed = true
    if (this.#keepers === 0) this.#drop()
  }

  #drop(): void {
    this.#timer?.cancel()
    this.#timer = null
  }
}
