/**
 * One operation inside a transaction: its moment, its namespace, the statements, and whom to tell once it is
 * committed. Operations are plain functions of a step and may be run again after a rollback, so they keep nothing.
 */
import { isWatched } from '../rules.ts'
import type { Sql } from './sql.ts'

/** The namespace has no row yet: nobody has ever opened a session in it. No row has this number. */
export const UNBORN = -1

/** Thrown by an operation that found something to write, inside a transaction that only reads. */
export class NeedsWriting extends Error {}

/** Thrown by an operation that did a bounded part of its work: what it did is kept, and it is run again. */
export class Unfinished extends Error {}

export interface StepTime {
  readonly nowMs: number
  readonly wallMs: number
  readonly grainMs: number
}

export class Step {
  readonly sql: Sql
  readonly ns: number
  readonly nowMs: number
  readonly wallMs: number
  /** Two processes' clocks are apart by so much at most: an end that is written down is this much later. */
  readonly grainMs: number
  /** Inside a transaction that may write. */
  readonly writing: boolean
  readonly #hints: string[]
  /** Something happened that somebody may be waiting for. */
  moved = false

  constructor(sql: Sql, ns: number, time: StepTime, room: Room) {
    this.sql = sql
    this.ns = ns
    this.nowMs = time.nowMs
    this.wallMs = time.wallMs
    this.grainMs = time.grainMs
    this.writing = room.writing
    this.#hints = room.hints
  }

  /** @throws {NeedsWriting} */
  requireWriting(): void {
    if (!this.writing) throw new NeedsWriting()
  }

  /** Tells whoever listens in this process by name, and those in others that something moved. */
  hint(what: string): void {
    this.#hints.push(what)
    this.moved = true
  }

  /** Something about the line has changed: whoever watches it as a whole is told. */
  touch(line: string): void {
    if (isWatched(line)) this.hint(line)
  }

  /** As `hint`, for what those in other processes find out by the clock alone. */
  hintNear(what: string): void {
    this.#hints.push(what)
  }
}

/** What the steps of one transaction share. */
export interface Room {
  readonly writing: boolean
  readonly hints: string[]
}
