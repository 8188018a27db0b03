/**
 * Looks for changes made by other processes while somebody waits. SQLite cannot call us, but others ring a bell, and
 * `data_version` costs two microseconds: where no bell is heard, it is read often after something happened and ever
 * less often while nothing does. Only a change of the namespace's count of moves is a hint; beats and uncontended takes
 * of others are not.
 */
import type { Clock, Timer } from '../../clock.ts'
import { Ear } from './bell.ts'
import type { Connection } from './connection.ts'

/** The pause is this part of the time since the last move … */
const PACE = 1 / 250
/** … within these bounds, so that after ten quiet seconds a hand-over is seen within 40 ms. */
const PAUSE_MS = { min: 1, max: 40 }
/** How often the file itself is looked at; and its content, where the bell is heard. */
const FILE_MS = 500
const HEARD_MS = 2000
/** How long what a ring was about is looked for by the clock. */
const UNSEEN_MS = 1000
/** A ring within this time after a move of this process is taken for its own. */
const OWN_MS = 50

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
  readonly #ear = new Ear(() => this.#rung())
  /** A look is due because the bell was rung. */
  #due: Timer | null = null
  #rungAtMs = Number.NEGATIVE_INFINITY
  /** When the last move of this process was told; its ring comes back to us as well. */
  #toldAtMs = Number.NEGATIVE_INFINITY
  /** A ring was heard of which nothing can be seen yet, as while the owner of a database object is in a transaction. */
  #unseen = false

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
    // First the bell: a move after the look would go unheard.
    this.#ear.open(this.#connection.file)
    this.#look()
    this.#movedAtMs = this.#clock.monotonicMs()
    this.#next()
  }

  stop(): void {
    if (--this.#listeners <= 0) this.close()
  }

  close(): void {
    this.#listeners = 0
    this.#timer?.cancel()
    this.#due?.cancel()
    this.#timer = null
    this.#due = null
    this.#ear.close()
  }

  /** A move was made in this process, and whom it concerns has been told exactly. */
  told(moves: number): void {
    if (this.#moves === moves - 1) this.#moves = moves
    this.#movedAtMs = this.#clock.monotonicMs()
    this.#toldAtMs = this.#movedAtMs
  }

  #next(): void {
    this.#timer?.cancel()
    this.#ear.open(this.#connection.file)
    const nowMs = this.#clock.monotonicMs()
    if (nowMs - this.#rungAtMs > UNSEEN_MS) this.#unseen = false
    const quietMs = nowMs - (this.#unseen ? this.#rungAtMs : this.#movedAtMs)
    const paceMs = Math.min(Math.max(quietMs * PACE, PAUSE_MS.min), PAUSE_MS.max)
    this.#timer = this.#clock.after(this.#ear.isOpen && !this.#unseen ? HEARD_MS : paceMs, () => {
      this.#tell()
      if (this.#listeners > 0) this.#next()
    })
  }

  /** At once; but where moves follow each other quickly, no more than one look a millisecond is of use. */
  #rung(): void {
    this.#ear.open(this.#connection.file)
    if (this.#due !== null) return
    const nowMs = this.#clock.monotonicMs()
    if (nowMs - this.#rungAtMs >= 1) return this.#heard(nowMs)
    this.#due = this.#clock.after(1, () => {
      this.#due = null
      this.#heard(this.#clock.monotonicMs())
    })
  }

  #heard(nowMs: number): void {
    if (this.#listeners === 0) return
    this.#rungAtMs = nowMs
    const version = this.#version
    this.#tell()
    if (this.#version !== version || this.#listeners === 0 || nowMs - this.#toldAtMs < OWN_MS) return
    this.#unseen = true
    this.#next()
  }

  #tell(): void {
    if (this.#listeners === 0) return
    const version = this.#version
    const moved = this.#look()
    if (this.#version !== version) this.#unseen = false
    if (!moved) return
    this.#movedAtMs = this.#clock.monotonicMs()
    this.#onMove()
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
