/** A SQLite file with guards in it, opened by as many connections as a test wants, and real transactions on them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { type Guard, guardTable, sqlGuard } from '../../src/guards/index.ts'

export type Connection = InstanceType<typeof Database>

export class SqliteFile {
  readonly #folder = mkdtempSync(join(tmpdir(), 'holdfast-guards-'))
  readonly #open: Connection[] = []

  constructor() {
    this.connect().exec(`pragma journal_mode = wal; ${guardTable('sqlite', 'guards')}`)
  }

  connect(): Connection {
    const connection = new Database(join(this.#folder, 'shop.db'), { timeout: 0 })
    // No test here is about power loss, and waiting for the disk at each commit makes hundreds of them slow.
    connection.exec('pragma synchronous = off')
    this.#open.push(connection)
    return connection
  }

  /** A guard with a row of its own. */
  guard(key: string, run: typeof changedRows = changedRows): Guard<Connection> {
    this.#open[0]?.prepare('insert into guards (resource) values (?)').run(key)
    return sqlGuard({ dialect: 'sqlite', run, table: 'guards', key })
  }

  close(): void {
    for (const connection of this.#open) connection.close()
    rmSync(this.#folder, { recursive: true })
  }
}

export async function changedRows(tx: Connection, sql: string, params: readonly unknown[]): Promise<number> {
  return tx.prepare(sql).run(...params).changes
}

export async function inTransaction<T>(connection: Connection, work: () => T | Promise<T>): Promise<T> {
  connection.exec('begin immediate')
  try {
    const value = await work()
    connection.exec('commit')
    return value
  } catch (error) {
    connection.exec('rollback')
    throw error
  }
}

/** The first field of the first row. */
export function fieldOf(connection: Connection, sql: string, ...params: readonly unknown[]): unknown {
  const row = connection.prepare(sql).get(...params) as Record<string, unknown> | undefined
  return row === undefined ? undefined : Object.values(row)[0]
}
