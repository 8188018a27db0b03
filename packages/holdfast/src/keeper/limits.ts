/**
 * Requests without an answer yet, and their time limits. Those with the same limit run out in the order in which they
 * were sent, so one timer for each limit does, where a timer for each request would cost more than the rest of it. While
 * a request is on its way the timer keeps the process alive.
 */
import type { Clock, Outcome, Timer } from '../clock.ts'

/** Why a request has no answer. */
export type Failure = Exclude<Outcome<never>, { kind: 'value' }>

export interface Limited {
  readonly limitMs: number
  readonly sentMs: number
  /** It ends without an answer. */
  fail(failure: Failure): void
}

interface Lane {
  /** In the order in which they run out. */
  readonly requests: Set<Limited>
  timer: Timer
}

export class Limits {
  readonly #clock: Clock
  readonly #lanes = new Map<number, Lane>()
  #closed = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Since when the oldest of them waits; null: there is none. */
  get oldestMs(): number | null {
    let oldest = Number.POSITIVE_INFINITY
    for (const { requests } of this.#lanes.values()) {
      const [first] = requests
      oldest = Math.min(oldest, first?.sentMs ?? oldest)
    }
    return oldest === Number.POSITIVE_INFINITY ? null : oldest
  }

  /** The request was sent just now. It fails when its time is over, unless it has ended before. */
  begin(request: Limited): void {
    const { limitMs } = request
    const lane = this.#lanes.get(limitMs) ?? this.#newLane(limitMs)
    lane.requests.add(request)
    if (lane.requests.size === 1) lane.timer.ref()
  }

  /** False: it had ended before. */
  end(request: Limited): boolean {
    const lane = this.#lanes.get(request.limitMs)
    if (lane?.requests.delete(request) !== true) return false
    if (lane.requests.size > 0) return true
    if (this.#closed) this.#drop(request.limitMs, lane)
    else lane.timer.unref()
    return true
  }

  /** All that is on its way fails, and no timer is left behind. */
  close(error: unknown): void {
    this.#closed = true
    for (const [limitMs, lane] of this.#lanes) {
      for (const request of lane.requests) if (this.end(request)) request.fail({ kind: 'error', error })
      if (lane.requests.size === 0) this.#drop(limitMs, lane)
    }
  }

  #drop(limitMs: number, lane: Lane): void {
    lane.timer.cancel()
    this.#lanes.delete(limitMs)
  }

  #newLane(limitMs: number): Lane {
    const lane: Lane = { requests: new Set(), timer: this.#clock.after(limitMs, () => this.#look(limitMs, lane)) }
    this.#lanes.set(limitMs, lane)
    return lane
  }

  #look(limitMs: number, lane: Lane): void {
    const now = this.#clock.monotonicMs()
    for (const request of lane.requests) {
      const leftMs = request.sentMs + limitMs - now
      if (leftMs > 0) {
        lane.timer = this.#clock.after(leftMs, () => this.#look(limitMs, lane))
        lane.timer.ref()
        return
      }
      lane.requests.delete(request)
      request.fail({ kind: 'late' })
    }
    // What ran out may have begun others, for which there would be no timer.
    if (lane.requests.size > 0) this.#look(limitMs, lane)
    else if (this.#lanes.get(limitMs) === lane) this.#lanes.delete(limitMs)
  }
}
