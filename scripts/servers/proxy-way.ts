/** One direction of a proxied connection: what is held back, in order. */
import type { Socket } from 'node:net'

/** `up` is from the client to the server. */
export type Direction = 'up' | 'down'

/** What the proxy says about all connections at this moment. */
export interface Weather {
  isHole(direction: Direction): boolean
  delayMs(): number
}

export class Way {
  readonly #direction: Direction
  readonly #into: Socket
  readonly #weather: Weather
  /** Null is the end of the connection. */
  readonly #held: { readonly atMs: number; readonly bytes: Buffer | null }[] = []
  #timer: NodeJS.Timeout | null = null

  constructor(direction: Direction, into: Socket, weather: Weather) {
    this.#direction = direction
    this.#into = into
    this.#weather = weather
  }

  /** Passes it on in its time; null ends the connection behind what was said before. */
  push(bytes: Buffer | null): void {
    // A later one never overtakes, however the jitter falls.
    const atMs = Math.max(this.#held.at(-1)?.atMs ?? 0, performance.now() + this.#weather.delayMs())
    this.#held.push({ atMs, bytes })
    this.#flush(false)
  }

  /** Passes on all that is held back by delays; what a hole holds back stays. */
  release(): void {
    this.#flush(true)
  }

  /** Forgets what is held back. */
  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#held.length = 0
  }

  #flush(early: boolean): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    while (!this.#weather.isHole(this.#direction)) {
      const [next] = this.#held
      if (next === undefined) return
      const waitMs = early ? 0 : next.atMs - performance.now()
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.#flush(false), waitMs)
        return
      }
      this.#held.shift()
      if (this.#into.destroyed) continue
      if (next.bytes === null) this.#into.end()
      else this.#into.write(next.bytes)
    }
  }
}
