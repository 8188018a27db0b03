/**
 * Finds a SQLite driver: the one in Node where there is one (22.13 and later), else `libsql` or `better-sqlite3` if
 * the application has installed it.
 */
import { BackendRefusedError } from '../../errors.ts'
import { loadPeer } from '../peer.ts'
import type { SqliteDatabase } from './database.ts'

export type OpenFile = (file: string) => SqliteDatabase

type DatabaseClass = new (file: string, options?: { readonly timeout: number }) => SqliteDatabase

let found: OpenFile | null = null

/** @throws {BackendRefusedError} when no driver is installed */
export function driver(): OpenFile {
  found ??= find()
  return found
}

function find(): OpenFile {
  const builtin = process.getBuiltinModule?.('node:sqlite') as { readonly DatabaseSync: DatabaseClass } | undefined
  if (builtin !== undefined) return (file) => new builtin.DatabaseSync(file)
  const failures: unknown[] = []
  for (const name of ['libsql', 'better-sqlite3']) {
    const Database = loadPeer(name, failures) as DatabaseClass | null
    if (Database !== null) return (file) => new Database(file, { timeout: 0 })
  }
  throw new BackendRefusedError(
    'no SQLite driver was found: install one with `npm install libsql`, or use Node 22.13 or later, which has its own',
    { cause: failures.length === 1 ? failures[0] : new AggregateError(failures) },
  )
}
