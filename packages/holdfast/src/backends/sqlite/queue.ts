/**
 * The operations of one client on their way into transactions. Those issued in the same turn travel together, up to a
 * number and a time, so that the event loop is never held for long; when somebody else is writing they wait, without
 * holding it at all.
 */
import type { Clock, Timer } from '../../clock.ts'
import { BackendUnavailableError, HoldfastError } from '../../errors.ts'
import { jittered, type Random } from '../../random.ts'
import { microtask } from '../../turn.ts'
import type { Connection } from './connection.ts'
import { failureOf, isBusy } from './failure.ts'
import { NeedsWriting, type Step, Unfinished } from './step.ts'

interface Job {
  readonly work: (step: Step) => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  readonly sinceMs: number
  writing: boolean
}

/** Whom a committed transaction concerns. `moves`: the count of moves after it, if it made one. */
export type Committed = (hints: ReadonlySet<string>, moves: number | null) => void

const BATCH_MAX = 64
/** A transaction takes no further operation after this long. */
const BATCH_MS = 5
/** Transactions follow each other without a pause for this long; then timers and sockets get their turn. */
const TURN_MS = 20
/** How long a writer elsewhere is waited for. The caller's own limit is shorter, as a rule. */
const BUSY_MS_MAX = 30_000
const RETRY_MS = { first: 1, max: 25 }

export class Queue {
  readonly #connection: Connection
  readonly #clock: Clock
  readonly #random: Random
  readonly #committed: Committed
  #jobs: Job[] = []
  #scheduled = false
  #timer: Timer | null = null
  #retryMs = RETRY_MS.first
  /** So many of the next operations get a transaction each, because a common one failed. */
  #alone = 0
  #turnSinceMs: number | null = null
  #closed = false

  constructor(connection: Connection, clock: Clock, random: Random, committed: Committed) {
    this.#connection = connection
    this.#clock = clock
    this.#random = random
    this.#committed = committed
  }

  /** Runs the operation in a transaction. A `read` that finds something to write is run again as a `write`. */
  submit<T>(mode: 'read' | 'write', work: (step: Step) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#closed) {
        reject(new BackendUnavailableError(`this client of ${this.#connection.file} is closed`))
        return
      }
      const sinceMs = this.#clock.monotonicMs()
      const settle = resolve as (value: unknown) => void
      this.#jobs.push({ work, resolve: settle, reject, sinceMs, writing: mode === 'write' })
      this.#wake()
    })
  }

  /** Does what was asked for before, if nobody else is writing just now, and closes the database. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    const waiting = this.#timer !== null
    this.#timer?.cancel()
    for (let left = BATCH_MAX; left > 0 && !waiting && this.#jobs.length > 0 && this.#run(); left--);
    this.#reject(this.#jobs.splice(0), new BackendUnavailableError(`this client of ${this.#connection.file} is closed`))
    this.#connection.close()
  }

  #wake(): void {
    if (this.#scheduled || this.#timer !== null || this.#jobs.length === 0 || this.#closed) return
    if (this.#isTurnLong()) {
      this.#runAfter(0)
      return
    }
    this.#scheduled = true
    microtask(() => {
      this.#scheduled = false
      if (this.#timer === null && !this.#closed) this.#runAndGoOn()
    })
  }

  #runAfter(ms: number): void {
    if (this.#closed) return
    this.#timer = this.#clock.after(ms, () => {
      this.#timer = null
      this.#turnSinceMs = null
      this.#runAndGoOn()
    })
  }

  #isTurnLong(): boolean {
    const now = this.#clock.monotonicMs()
    if (this.#turnSinceMs !== null) return now - this.#turnSinceMs > TURN_MS
    this.#turnSinceMs = now
    this.#clock.after(0, () => {
      this.#turnSinceMs = null
    })
    return false
  }

  #runAndGoOn(): void {
    if (this.#run()) this.#wake()
    else {
      this.#runAfter(jittered(this.#random, this.#retryMs))
      this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS.max)
    }
  }

  /** One transaction. False: somebody else is writing; the operations wait. */
  #run(): boolean {
    const jobs = this.#jobs.splice(0, this.#alone > 0 ? 1 : BATCH_MAX)
    if (jobs.length === 0) return true
    this.#alone = Math.max(0, this.#alone - 1)
    let done: Done
    try {
      done = this.#transact(jobs)
    } catch (error) {
      this.#connection.rollback()
      if (isBusy(error)) {
        this.#keep(jobs)
        return false
      }
      if (jobs.length > 1 && !(error instanceof HoldfastError)) {
        this.#alone = jobs.length
        this.#jobs.unshift(...jobs)
        return true
      }
      this.#connection.failed(error)
      for (const job of jobs) job.reject(failureOf(error, this.#connection.file))
      return true
    }
    this.#retryMs = RETRY_MS.first
    if (done.again.length > 0) this.#jobs.unshift(...done.again)
    for (const { job, value, error } of done.settled) {
      if (error === null) job.resolve(value)
      else job.reject(error)
    }
    if (done.hints.length > 0 || done.moves !== null) this.#committed(new Set(done.hints), done.moves)
    return true
  }

  #transact(jobs: readonly Job[]): Done {
    const room = { writing: jobs.some((job) => job.writing), hints: [] as string[] }
    const settled: Settled[] = []
    const again: Job[] = []
    let moved = false
    this.#connection.ready()
    this.#connection.begin(room.writing)
    const untilMs = this.#clock.monotonicMs() + BATCH_MS
    for (const job of jobs) {
      if (settled.length > 0 && this.#clock.monotonicMs() > untilMs) {
        again.push(job)
        continue
      }
      const step = this.#connection.step(room)
      try {
        settled.push({ job, value: job.work(step), error: null })
      } catch (error) {
        if (error instanceof NeedsWriting || error instanceof Unfinished) {
          job.writing = true
          again.push(job)
        } else if (isOurs(error)) settled.push({ job, value: undefined, error })
        else throw error
      }
      moved ||= step.moved
    }
    const moves = moved ? this.#connection.move() : null
    this.#connection.commit()
    return { settled, again, hints: room.hints, moves }
  }

  /** Puts operations back in front, but not those that have waited for too long. */
  #keep(jobs: readonly Job[]): void {
    const oldestMs = this.#clock.monotonicMs() - BUSY_MS_MAX
    const kept = [...jobs, ...this.#jobs].filter((job) => job.sinceMs >= oldestMs)
    const late = [...jobs, ...this.#jobs].filter((job) => job.sinceMs < oldestMs)
    this.#jobs = kept
    const seconds = BUSY_MS_MAX / 1000
    this.#reject(
      late,
      new BackendUnavailableError(`${this.#connection.file} was locked by another writer for ${seconds} s`),
    )
  }

  #reject(jobs: readonly Job[], error: HoldfastError): void {
    for (const job of jobs) job.reject(error)
  }
}

interface Settled {
  readonly job: Job
  readonly value: unknown
  /** Null: it went well. */
  readonly error: Error | null
}

interface Done {
  readonly settled: readonly Settled[]
  readonly again: readonly Job[]
  readonly hints: readonly string[]
  readonly moves: number | null
}

/** Thrown by an operation itself, about that operation alone. */
function isOurs(error: unknown): error is Error {
  return error instanceof HoldfastError || error instanceof RangeError
}
