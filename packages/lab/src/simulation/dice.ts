/**
 * The one source of chance of a history: sfc32, seeded, 53 bits a draw. Whoever needs draws of its own gets a fork, so
 * that one more draw here does not change what happens there.
 */

export class Dice {
  #a: number
  #b: number
  #c: number
  #count: number

  constructor(seed: number, stream = 0) {
    this.#a = seed | 0
    this.#b = Math.floor(seed / 2 ** 32) | 0
    this.#c = stream | 0
    this.#count = 1
    for (let warm = 0; warm < 12; warm++) this.bits()
  }

  /** 32 random bits as an unsigned number. */
  bits(): number {
    const sum = (this.#a + this.#b + this.#count) | 0
    this.#count = (this.#count + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    return sum >>> 0
  }

  /** In [0, 1). */
  fraction(): number {
    return this.bits() / 2 ** 32
  }

  /** A whole number from `from` to `to`, both included. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.fraction() * (to - from + 1))
  }

  between(from: number, to: number): number {
    return from + this.fraction() * (to - from)
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  /** Exponentially spread around `mean`, at most ten times as much. */
  around(mean: number): number {
    return Math.min(10 * mean, -mean * Math.log(1 - this.fraction()))
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.whole(0, from.length - 1)]
    if (picked === undefined) throw new RangeError('nothing to pick from')
    return picked
  }

  /** A part of `from` in its order: each is in it with this probability, and one is in any case. */
  some<T>(from: readonly T[], probability: number): readonly T[] {
    const kept = from.filter(() => this.chance(probability))
    return kept.length === 0 ? [this.pick(from)] : kept
  }

  fork(stream: number): Dice {
    return new Dice(this.bits() * 2 ** 21 + (this.bits() >>> 11), stream)
  }
}
