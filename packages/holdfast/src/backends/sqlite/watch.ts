/**
 * Looks for changes made by other processes while somebody waits. SQLite cannot call us, but `data_version` costs two
 * microseconds: it is read often after something happened and ever less often while nothing does. Only a change of the
 * namespace's count of moves is a hint; beats and uncontended takes of others are not.
 */
import type { Clock, Timer } from '../../clock.ts'
import type { Connection } from './connection.ts'

/** The pause is this part of the time since the last move … */
const PACE = 1 / 250
/** … within these bounds, so that after ten quiet seconds a hand-over is seen within 40 ms. */
const PAUSE_MS = { min: 1, max: 40 }
/** How often the file itself is looked at. */
const FILE_MS = 500

export class Watch {
  readonly #connection: Connection
  readonly #clock: Clock
  readonly #onMove: () => void
  #listeners = 0
  #timer: Timer | null = null
  #version = -1
  #moves = -1
  #movedAtMs = 0
  #fileAtMs = 0

  constructor(connection: Connection, clock: Clock, onMove: () => void) {
    this.#connection = connection
    this.#clock = clock
    this.#onMove = onMove
  }

  get isOn(): boolean {
    return this.#listeners > 0
  }

  /** Everything that happens from now on will be seen. */
  start(): void {
    if (this.#listeners++ > 0) return
    this.#look()
    this.#movedAtMs = this.#clock.monotonicMs()
    this.#next()
  }

  stop(): void {
    if (--this.#listeners > 0) return
    this.#timer?.cancel()
    this.#timer = null
  }

  close(): void {
    this.#listeners = 0
    this.#timer?.cancel()
    this.#timer = null
  }

  /** A move was made in this process, and whom it concerns has been told exactly. */
  told(moves: number): void {
    if (this.#moves === moves - 1) this.#moves = moves
    this.#movedAtMs = this.#clock.monotonicMs()
  }

  #next(): void {
    const quietMs = this.#clock.monotonicMs() - this.#movedAtMs
    const pauseMs = Math.min(Math.max(quietMs * PACE, PAUSE_MS.min), PAUSE_MS.max)
    this.#timer = this.#clock.after(pauseMs, () => {
      if (this.#look()) {
        this.#movedAtMs = this.#clock.monotonicMs()
        this.#onMove()
      }
      if (this.#listeners > 0) this.#next()
    })
  }

  /** Whether there may be news. A database that cannot be read is no news: whoever asks will be told what is wrong. */
  #look(): boolean {
    try {
      const nowMs = this.#clock.monotonicMs()
      if (nowMs - this.#fileAtMs > FILE_MS) {
        this.#fileAtMs = nowMs
        if (this.#connection.isLost()) return true
      }
      const found = this.#connection.look()
      if (found === null || found.version === this.#version) return false
      const moves = found.moves()
      const moved = moves !== this.#moves
      this.#version = found.version
      this.#moves = moves
      return moved
    } catch {
      return false
    }
  }
}
