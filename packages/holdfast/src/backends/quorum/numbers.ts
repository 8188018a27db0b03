/**
 * The numbers that are proposed: above all that nodes said they have given out, and near the wall clock, so that the
 * first guess of a process is mostly right. Our own clock need not be: a node that finds a number too high says so.
 */
import type { Clock } from '../../clock.ts'

export class Numbers {
  readonly #clock: Pick<Clock, 'wallMs'>
  #seen = 0
  #proposed = 0
  /** How far our clock is ahead of the nodes', in microseconds. */
  #aheadMicros = 0

  constructor(clock: Pick<Clock, 'wallMs'>) {
    this.#clock = clock
  }

  propose(least: number): number {
    const wall = Math.floor(this.#clock.wallMs() * 1000) - this.#aheadMicros
    this.#proposed = Math.max(this.#seen + 1, this.#proposed + 1, least, wall)
    if (!Number.isSafeInteger(this.#proposed))
      throw new RangeError(`the next number, ${this.#proposed}, is not below 2^53`)
    return this.#proposed
  }

  /** A node has given out that one. */
  low(last: number): void {
    this.#seen = Math.max(this.#seen, last)
  }

  /** A node's clock shows `now`, in microseconds. What made us go beyond it is forgotten. */
  high(now: number): void {
    this.#aheadMicros = Math.max(0, Math.floor(this.#clock.wallMs() * 1000) - now)
    this.#seen = 0
    this.#proposed = 0
  }
}
