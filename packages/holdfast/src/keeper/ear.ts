/**
 * Listens for hints while somebody waits for them. A store may have to poll for its hints, so the ear is closed a while
 * after the last one has stopped waiting; not at once, for under contention the next will wait in a moment.
 */
import type { Clock, Timer } from '../clock.ts'
import type { Link } from './link.ts'

export class Ear {
  readonly #clock: Clock
  readonly #link: Link
  readonly #callMs: number
  readonly #wanted: () => boolean
  #opening: Promise<void> | null = null
  #timer: Timer | null = null
  /** Hints arrive about everything that was asked from this moment on; null: none do. */
  openSinceMs: number | null = null

  constructor(clock: Clock, link: Link, callMs: number, wanted: () => boolean) {
    this.#clock = clock
    this.#link = link
    this.#callMs = callMs
    this.#wanted = wanted
  }

  /** Resolves when hints arrive from now on. Never rejects: without hints everything is found by looking, only later. */
  listen(): Promise<void> {
    this.#opening ??= this.#link
      .call(this.#callMs, (ledger) => ledger.listen())
      .then(
        () => {
          this.openSinceMs = this.#clock.monotonicMs()
        },
        () => {
          this.#opening = null
        },
      )
    return this.#opening
  }

  /** Somebody has stopped waiting. */
  rest(): void {
    if (this.openSinceMs === null || this.#timer !== null || this.#wanted()) return
    this.#timer = this.#clock.after(this.#callMs, () => {
      this.#timer = null
      if (this.openSinceMs !== null && !this.#wanted()) this.#shut()
    })
  }

  close(): void {
    this.#timer?.cancel()
    this.openSinceMs = null
  }

  #shut(): void {
    this.openSinceMs = null
    this.#opening = null
    this.#link.ledger?.unlisten()
  }
}
