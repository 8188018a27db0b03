/**
 * `sqlite(file)`: locks between the processes of one machine, in a file, with no server. The file needs a driver: the
 * one in Node 22.13 and later, `libsql` or `better-sqlite3`; all of them may work on one file at the same time.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { asBackend, type Backend } from '../../backend.ts'
import { show } from '../../duration.ts'
import { checkText } from '../../names.ts'
import type { Port, WorkerRecipe } from '../../port.ts'
import type { Source } from './connection.ts'
import type { SqliteDatabase } from './database.ts'
import { SqliteLedger } from './ledger.ts'

export type { Backend } from '../../backend.ts'
export type { SqliteDatabase, SqliteStatement, SqliteValue } from './database.ts'

/**
 * A store in a SQLite file, or inside a database that is open already.
 *
 * A file is made when it is first used; what it is next to, and its folder, must be on a local disk. It is named from
 * the current folder at once. A database object stays its owner's: it is never closed, none of its settings change,
 * and while its owner has a transaction open on it, locks wait. The library's tables begin with `hf_`.
 *
 * What is *not* promised: a process that is stopped in the middle of a transaction stops everybody on the file, and
 * who deletes the file takes the locks away from those who hold them; they learn it at their next request.
 *
 * @throws {TypeError} no path and no database object @throws {RangeError} a path that no file can have
 */
export function sqlite(fileOrDatabase: string | SqliteDatabase): Backend {
  const source = sourceOf(fileOrDatabase)
  const port: Port = {
    kind: 'sqlite',
    ttlMsMin: 0,
    worker: source.kind === 'file' ? workerFor(source.file) : null,
    async connect(setup) {
      const ledger = new SqliteLedger(source, setup)
      try {
        await ledger.connect()
      } catch (error) {
        await ledger.close()
        throw error
      }
      return ledger
    },
  }
  return asBackend(port)
}

function sourceOf(given: unknown): Source {
  if (typeof given === 'string') return { kind: 'file', file: resolve(checkPath(given)) }
  if (isDatabase(given)) return { kind: 'object', database: given }
  throw new TypeError(
    `fileOrDatabase must be the path of a file, or a database object with exec, prepare and close, not ${show(given)}`,
  )
}

/** The longest path that Linux takes. */
const PATH_BYTES_MAX = 4096

function checkPath(path: string): string {
  checkText('fileOrDatabase', path, PATH_BYTES_MAX)
  if (path !== ':memory:' && path !== '') return path
  throw new RangeError(
    `fileOrDatabase must be a path; ${show(path)} would be a database that nobody else sees: use memory() for one process`,
  )
}

function isDatabase(value: unknown): value is SqliteDatabase {
  if (typeof value !== 'object' || value === null) return false
  const { exec, prepare, close } = value as Partial<Record<keyof SqliteDatabase, unknown>>
  return typeof exec === 'function' && typeof prepare === 'function' && typeof close === 'function'
}

/** A thread imports the built entry beside this very piece of the build; from sources, or bundled, there is none. */
function workerFor(file: string): WorkerRecipe | null {
  const here: unknown = import.meta.url
  if (typeof here !== 'string' || here.endsWith('.ts')) return null
  const entry = new URL('./sqlite.mjs', here)
  return existsSync(fileURLToPath(entry)) ? { module: entry.href, name: 'sqlite', target: file } : null
}
