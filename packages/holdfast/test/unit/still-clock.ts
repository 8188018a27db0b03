/** A clock that stands still until a test moves it, each of its three hands by itself; timers fire in order on the way. */
import type { Clock, Timer } from '../../src/clock.ts'

export class StillClock implements Clock {
  #monotonicMs = 1_000_000
  #wallMs: number
  #bootMs = 5_000_000
  #timers: { readonly atMs: number; readonly fn: () => void }[] = []

  constructor(wallMs = 1_800_000_000_000) {
    this.#wallMs = wallMs
  }

  monotonicMs(): number {
    return this.#monotonicMs
  }
  wallMs(): number {
    return this.#wallMs
  }
  bootMs(): number {
    return this.#bootMs
  }
  after(ms: number, fn: () => void): Timer {
    const timer = { atMs: this.#monotonicMs + ms, fn }
    this.#timers.push(timer)
    const cancel = (): void => {
      this.#timers = this.#timers.filter((one) => one !== timer)
    }
    return { cancel, ref: () => {}, unref: () => {} }
  }

  get timers(): number {
    return this.#timers.length
  }

  /** Time goes by on all clocks; between two timers the promises of the first have their turns. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.#monotonicMs + ms
    for (;;) {
      const next = this.#timers.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0]
      if (next === undefined) break
      this.#timers = this.#timers.filter((one) => one !== next)
      this.#move(Math.max(0, next.atMs - this.#monotonicMs))
      next.fn()
      await settle()
    }
    this.#move(untilMs - this.#monotonicMs)
    await settle()
  }

  /** Time goes by and no timer has fired yet, as when the loop was held up. */
  stall(ms: number): void {
    this.#move(ms)
  }

  /** The machine sleeps: the monotonic clock may stand still, the others go on. */
  sleep(ms: number): void {
    this.#wallMs += ms
    this.#bootMs += ms
  }

  /** Somebody sets the wall clock. */
  step(ms: number): void {
    this.#wallMs += ms
  }

  #move(ms: number): void {
    this.#monotonicMs += ms
    this.#wallMs += ms
    this.#bootMs += ms
  }
}

/** Lets promises that wait for nothing settle. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}
