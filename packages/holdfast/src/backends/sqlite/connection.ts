/**
 * One connection to one database: opened when first needed, opened anew when the file behind it was deleted, replaced
 * or made trouble, and the transactions on it. Everything here is synchronous and short; nothing is awaited between the
 * begin and the end of a transaction.
 */
import type { Clock } from '../../clock.ts'
import { BackendRefusedError, BackendUnavailableError } from '../../errors.ts'
import { alone, makeFile } from './birth.ts'
import { BootClock, bootId } from './boot-clock.ts'
import { inTransaction, query, type SqliteDatabase } from './database.ts'
import { driver } from './driver.ts'
import { codeOf, isBusy, isHarmless, OwnerBusy } from './failure.ts'
import { type Identity, identityOf, isSame, obstacleAt, refuseNetwork, removeLeftovers } from './place.ts'
import { prepareFile, prepareObject, rollback, type Start } from './schema.ts'
import { prepareSql, type Sql } from './sql.ts'
import { type Room, Step, UNBORN } from './step.ts'

/** A path of ours to open, or a database that its owner has opened. */
export type Source =
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'object'; readonly database: SqliteDatabase }

interface Opened {
  readonly database: SqliteDatabase
  readonly sql: Sql
  /** Where its file is; empty: in memory. */
  readonly file: string
  readonly identity: Identity | null
  readonly index: Identity | null
}

/** How long the file is believed to be the one that was opened. */
const BELIEVED_MS = 5
/** How long the time to wait that the owner of an object has set is believed to be the same. */
const WAIT_BELIEVED_MS = 100

/** Where another connection is in the middle of a transaction, it is over after some fifty microseconds. */
const BEGIN_ATTEMPTS = 8

export class Connection {
  readonly source: Source
  readonly #namespace: string
  readonly #clock: Clock
  readonly #boot: BootClock
  #opened: Opened | null = null
  /** A transaction of this client is open. */
  #begun = false
  #ns = UNBORN
  #seenMs = Number.NEGATIVE_INFINITY
  #waitMs = 0
  #waitAskedMs = Number.NEGATIVE_INFINITY

  constructor(source: Source, namespace: string, clock: Clock) {
    this.source = source
    this.#namespace = namespace
    this.#clock = clock
    this.#boot = new BootClock(clock)
  }

  get isOpen(): boolean {
    return this.#opened !== null
  }

  get file(): string {
    return this.source.kind === 'file' ? this.source.file : (this.#opened?.file ?? 'the database object')
  }

  /** Opens the database if it is not open, or if its file is not the one that was opened. Throws what SQLite says. */
  ready(): Opened {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs - this.#seenMs > BELIEVED_MS) {
      this.#seenMs = nowMs
      if (this.isLost()) this.#lose()
    }
    this.#opened ??=
      this.source.kind === 'file' ? this.#openFile(this.source.file) : this.#openObject(this.source.database)
    return this.#opened
  }

  /** The file was deleted or replaced: what is done here, nobody else will see. */
  isLost(): boolean {
    const opened = this.#opened
    if (opened === null || opened.identity === null) return false
    if (!isSame(identityOf(opened.file), opened.identity)) return true
    // Its index taken away: we would go on with one that nobody else has.
    return opened.index !== null && !isSame(identityOf(`${opened.file}-shm`), opened.index)
  }

  begin(writing: boolean): void {
    const { database } = this.#current()
    if (this.source.kind === 'file') {
      if (writing) beginWriting(database)
      else database.exec('begin')
      this.#begun = true
      return
    }
    if (inTransaction(database)) throw new OwnerBusy('the database object is in a transaction of its owner')
    // Its owner may have set a time to wait in, which would hold up the whole process.
    const waitMs = this.#ownersWaitMs()
    if (waitMs > 0) database.exec('pragma busy_timeout = 0')
    try {
      if (writing) beginWriting(database)
      else database.exec('begin')
      this.#begun = true
    } finally {
      if (waitMs > 0) database.exec(`pragma busy_timeout = ${waitMs}`)
    }
  }

  #ownersWaitMs(): number {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs - this.#waitAskedMs > WAIT_BELIEVED_MS) {
      this.#waitAskedMs = nowMs
      this.#waitMs = this.#current().sql.space.busyTimeout.get()?.timeout ?? 0
    }
    return this.#waitMs
  }

  commit(): void {
    this.#current().database.exec('commit')
    this.#begun = false
  }

  /** Takes back what this client began, never what the owner of a database object did. */
  rollback(): void {
    if (this.#begun && this.#opened !== null) rollback(this.#opened.database)
    this.#begun = false
    this.#ns = UNBORN
  }

  /** One operation's step, at the present moment. */
  step(room: Room): Step {
    const { sql } = this.#current()
    const time = { nowMs: this.#boot.nowMs(), wallMs: this.#clock.wallMs(), grainMs: this.#boot.grainMs }
    return new Step(sql, this.#space(sql), time, room)
  }

  /** Counts a move in the namespace. */
  move(): number | null {
    const { sql } = this.#current()
    return sql.space.move.get(this.#space(sql))?.moves ?? null
  }

  /** What other connections have done to the database and to the namespace, as numbers to compare; null: not open. */
  look(): { readonly version: number; readonly moves: () => number } | null {
    if (this.#opened === null) return null
    const { space } = this.#opened.sql
    const version = space.dataVersion.get()?.data_version ?? 0
    const sql = this.#opened.sql
    return { version, moves: () => space.moves.get(this.#space(sql))?.moves ?? 0 }
  }

  /** After a failure: a file of ours is opened anew by the next call, unless the connection is still good. */
  failed(error: unknown): void {
    if (!isHarmless(error) && this.source.kind === 'file') this.close()
  }

  close(): void {
    const opened = this.#opened
    this.#opened = null
    this.#ns = UNBORN
    if (opened === null || this.source.kind === 'object') return
    try {
      opened.database.close()
    } catch {
      // It is given up in any case.
    }
  }

  #current(): Opened {
    if (this.#opened === null) throw new BackendUnavailableError('the database is not open')
    return this.#opened
  }

  #space(sql: Sql): number {
    if (this.#ns === UNBORN) this.#ns = sql.space.find.get(this.#namespace)?.ns ?? UNBORN
    return this.#ns
  }

  #lose(): void {
    const opened = this.#opened
    if (opened === null) return
    if (this.source.kind === 'object') {
      throw new BackendRefusedError(`${opened.file} was deleted or replaced: hand in a newly opened database object`)
    }
    // Left behind by the file that was replaced, log and index would be read into the new one.
    alone(opened.file, this.#clock, () => {
      if (isSame(identityOf(`${opened.file}-shm`), opened.index)) removeLeftovers(opened.file)
    })
    this.close()
  }

  #openFile(file: string): Opened {
    refuseNetwork(file)
    makeFile(file, this.#clock)
    const database = this.#openDatabase(file)
    try {
      prepareFile(database, file, this.#start())
      const sql = prepareSql(database)
      return { database, sql, file, identity: identityOf(file), index: identityOf(`${file}-shm`) }
    } catch (error) {
      closeQuietly(database)
      throw error
    }
  }

  #openDatabase(file: string): SqliteDatabase {
    const open = driver()
    try {
      return open(file)
    } catch (error) {
      // better-sqlite3 looks for the folder itself, and says so without a code.
      const obstacle = codeOf(error) === null ? obstacleAt(file) : null
      if (obstacle !== null) {
        throw new BackendRefusedError(`SQLite will not work on ${file}: ${obstacle}`, { cause: error })
      }
      throw error
    }
  }

  #openObject(database: SqliteDatabase): Opened {
    if (inTransaction(database)) throw new OwnerBusy('the database object is in a transaction of its owner')
    const [main] = query<{ readonly file: string | null }>(database, 'pragma database_list').all()
    const file = main?.file ?? ''
    prepareObject(database, file === '' ? 'the database object' : file, this.#start())
    const identity = file === '' ? null : identityOf(file)
    return { database, sql: prepareSql(database), file, identity, index: null }
  }

  #start(): Start {
    return { nowMs: this.#boot.nowMs(), wallMs: this.#clock.wallMs(), bootId: bootId() }
  }
}

/** A prepared `begin` that fails would keep its old view of the file in libsql; one that is run as text does not. */
function beginWriting(database: SqliteDatabase): void {
  for (let attempt = 1; ; attempt++) {
    try {
      database.exec('begin immediate')
      return
    } catch (error) {
      if (attempt === BEGIN_ATTEMPTS || !isBusy(error)) throw error
    }
  }
}

function closeQuietly(database: SqliteDatabase): void {
  try {
    database.close()
  } catch {
    // The error that led here is the one to tell.
  }
}
