/**
 * Time limits of requests. Those with the same limit run out in the order in which they were sent, so one timer for each
 * limit does, where a timer for each request would cost more than the rest of it. While a request is on its way the
 * timer keeps the process alive.
 */
import type { Clock, Timer } from '../clock.ts'

interface Limit {
  readonly dueMs: number
  readonly over: () => void
}

interface Lane {
  /** In the order in which they run out. */
  readonly limits: Set<Limit>
  timer: Timer
}

export class Limits {
  readonly #clock: Clock
  readonly #lanes = new Map<number, Lane>()
  #closed = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Calls `over` after `ms`, unless what it gives was called before. */
  begin(ms: number, over: () => void): () => void {
    const lane = this.#lanes.get(ms) ?? this.#newLane(ms)
    const limit = { dueMs: this.#clock.monotonicMs() + ms, over }
    lane.limits.add(limit)
    if (lane.limits.size === 1) lane.timer.ref()
    return () => {
      if (!lane.limits.delete(limit) || lane.limits.size > 0) return
      if (this.#closed) lane.timer.cancel()
      else lane.timer.unref()
    }
  }

  /** No timer is left behind when the last request has ended. */
  close(): void {
    this.#closed = true
    for (const { limits, timer } of this.#lanes.values()) if (limits.size === 0) timer.cancel()
    this.#lanes.clear()
  }

  #newLane(ms: number): Lane {
    const lane: Lane = { limits: new Set(), timer: this.#clock.after(ms, () => this.#look(ms, lane)) }
    this.#lanes.set(ms, lane)
    return lane
  }

  #look(ms: number, lane: Lane): void {
    const now = this.#clock.monotonicMs()
    for (const limit of lane.limits) {
      if (limit.dueMs > now) {
        lane.timer = this.#clock.after(limit.dueMs - now, () => this.#look(ms, lane))
        lane.timer.ref()
        return
      }
      lane.limits.delete(limit)
      limit.over()
    }
    // What ran out may have begun others, for which there would be no timer.
    if (lane.limits.size > 0) this.#look(ms, lane)
    else if (this.#lanes.get(ms) === lane) this.#lanes.delete(ms)
  }
}
