/** A clock that stands still until it is told how far to go, with a wall clock that can be stepped apart from it. */
import type { Clock, Timer } from '../../src/clock.ts'

interface Alarm {
  readonly atMs: number
  readonly fn: () => void
}

export class SteppedClock implements Clock {
  #nowMs: number
  #wallOffsetMs: number
  readonly #alarms = new Set<Alarm>()

  constructor(nowMs = 1_000_000, wallMs = 1_700_001_000_000) {
    this.#nowMs = nowMs
    this.#wallOffsetMs = wallMs - nowMs
  }

  monotonicMs(): number {
    return this.#nowMs
  }
  wallMs(): number {
    return this.#nowMs + this.#wallOffsetMs
  }
  bootMs(): number {
    return this.#nowMs
  }

  after(ms: number, fn: () => void): Timer {
    const alarm = { atMs: this.#nowMs + ms, fn }
    this.#alarms.add(alarm)
    return { cancel: () => void this.#alarms.delete(alarm), ref: () => {}, unref: () => {} }
  }

  stepWall(ms: number): void {
    this.#wallOffsetMs += ms
  }

  advance(ms: number): void {
    const untilMs = this.#nowMs + ms
    for (let next = this.#due(untilMs); next !== undefined; next = this.#due(untilMs)) {
      this.#alarms.delete(next)
      this.#nowMs = Math.max(this.#nowMs, next.atMs)
      next.fn()
    }
    this.#nowMs = untilMs
  }

  #due(untilMs: number): Alarm | undefined {
    return [...this.#alarms].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0]
  }
}
