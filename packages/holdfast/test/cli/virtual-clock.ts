/** A clock that stands still until told how far to go; timers fire in their order on the way. */
import type { Clock, Timer } from '../../src/clock.ts'

export class VirtualClock implements Clock {
  #nowMs = 1_000_000
  readonly #timers = new Set<{ readonly atMs: number; readonly fn: () => void }>()

  monotonicMs(): number {
    return this.#nowMs
  }
  wallMs(): number {
    return this.#nowMs
  }
  bootMs(): number {
    return this.#nowMs
  }
  after(ms: number, fn: () => void): Timer {
    const timer = { atMs: this.#nowMs + ms, fn }
    this.#timers.add(timer)
    return { cancel: () => void this.#timers.delete(timer), ref: () => {}, unref: () => {} }
  }

  get timers(): number {
    return this.#timers.size
  }

  advance(ms: number): void {
    const untilMs = this.#nowMs + ms
    for (;;) {
      const [next] = [...this.#timers].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)
      if (next === undefined) break
      this.#timers.delete(next)
      this.#nowMs = Math.max(this.#nowMs, next.atMs)
      next.fn()
    }
    this.#nowMs = untilMs
  }

  /** Time passes without a timer firing, as for a process that is stopped. */
  stall(ms: number): void {
    this.#nowMs += ms
  }
}
