/**
 * The least that is needed of a SQLite driver, which `DatabaseSync` of node:sqlite and the classes of better-sqlite3
 * and libsql all have. Values are bound by position, for the three disagree on names.
 */

export type SqliteValue = string | number | null

export interface SqliteStatement {
  run(...values: SqliteValue[]): unknown
  get(...values: SqliteValue[]): unknown
  all(...values: SqliteValue[]): unknown[]
}

/** A synchronous database object: `DatabaseSync` of node:sqlite, or a `Database` of better-sqlite3 or libsql. */
export interface SqliteDatabase {
  exec(sql: string): unknown
  prepare(sql: string): SqliteStatement
  close(): unknown
}

/** A prepared statement together with what its rows look like. */
export interface Query<Row> {
  run(...values: SqliteValue[]): { readonly changes: number | bigint }
  get(...values: SqliteValue[]): Row | undefined
  all(...values: SqliteValue[]): Row[]
}

/** Settings that a database object may have been made with, and that would change what our statements give. */
interface Tunable {
  safeIntegers?(on: boolean): unknown
  setReadBigInts?(on: boolean): unknown
  setReturnArrays?(on: boolean): unknown
}

export function query<Row>(database: SqliteDatabase, sql: string): Query<Row> {
  const statement = database.prepare(sql)
  const tunable = statement as Tunable
  tunable.safeIntegers?.(false)
  tunable.setReadBigInts?.(false)
  tunable.setReturnArrays?.(false)
  return statement as Query<Row>
}

/** Runs a pragma and gives its one value; undefined when it has none. */
export function pragma(database: SqliteDatabase, text: string): unknown {
  const row = query<Record<string, unknown>>(database, `pragma ${text}`).get()
  return row === undefined ? undefined : Object.values(row)[0]
}

/** Whether the owner of the object has a transaction open on it, as far as the driver tells. */
export function inTransaction(database: SqliteDatabase): boolean {
  // A closed database of libsql takes the process down when it is asked; what comes next says that it is closed.
  const { open, isOpen } = database as { readonly open?: unknown; readonly isOpen?: unknown }
  if (open === false || isOpen === false) return false
  const { inTransaction: ofOthers, isTransaction: ofNode } = database as {
    readonly inTransaction?: unknown
    readonly isTransaction?: unknown
  }
  return ofOthers === true || ofNode === true
}
