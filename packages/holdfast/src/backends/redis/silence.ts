/**
 * Notices that a server owes an answer for too long: a connection into a hole looks like any other for a quarter of an
 * hour. One timer for all requests, and none while nothing is owed.
 */
import type { Clock, Timer } from '../../clock.ts'
import { SILENT_MS } from './settings.ts'

const GRACE_MS = 50

export class Silence {
  readonly #clock: Clock
  readonly #onSilence: () => void
  /** When each unanswered request was made, in that order. */
  readonly #owed = new Set<{ readonly sentMs: number }>()
  #timer: Timer | null = null

  constructor(clock: Clock, onSilence: () => void) {
    this.#clock = clock
    this.#onSilence = onSilence
  }

  during<T>(work: Promise<T>): Promise<T> {
    const request = { sentMs: this.#clock.monotonicMs() }
    this.#owed.add(request)
    this.#timer ??= this.#clock.after(SILENT_MS, () => this.#look())
    return work.finally(() => this.#owed.delete(request))
  }

  close(): void {
    this.#timer?.cancel()
    this.#owed.clear()
  }

  #look(): void {
    this.#timer = null
    const [oldest] = this.#owed
    if (oldest === undefined) return
    const leftMs = oldest.sentMs + SILENT_MS - this.#clock.monotonicMs()
    if (leftMs > 0) {
      this.#timer = this.#clock.after(leftMs, () => this.#look())
      return
    }
    // Answers that came while this process stood still are read first.
    this.#timer = this.#clock.after(GRACE_MS, () => this.#judge(oldest))
  }

  #judge(oldest: { readonly sentMs: number }): void {
    this.#timer = null
    if (!this.#owed.has(oldest)) return this.#look()
    this.#owed.clear()
    this.#onSilence()
  }
}
