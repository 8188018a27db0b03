/**
 * What a SQLite error means for the caller. `busy` is waited out inside; the others become the library's own classes,
 * with the driver's error as the cause. The drivers tell the result code in three ways, hence `codeOf`.
 */
import { BackendRefusedError, BackendUnavailableError, HoldfastError } from '../../errors.ts'
import { obstacleAt } from './place.ts'

/** Primary result codes, as in sqlite3.h. */
const CODES: Readonly<Record<string, number>> = {
  SQLITE_ERROR: 1,
  SQLITE_PERM: 3,
  SQLITE_BUSY: 5,
  SQLITE_LOCKED: 6,
  SQLITE_NOMEM: 7,
  SQLITE_READONLY: 8,
  SQLITE_IOERR: 10,
  SQLITE_CORRUPT: 11,
  SQLITE_FULL: 13,
  SQLITE_CANTOPEN: 14,
  SQLITE_PROTOCOL: 15,
  SQLITE_TOOBIG: 18,
  SQLITE_AUTH: 23,
  SQLITE_NOTADB: 26,
}

const CANNOT_OPEN = 14

/** What will not heal until somebody changes something, and what that is. */
const REFUSALS = new Map([
  [3, 'access to it is not permitted'],
  [8, 'it or its folder is read-only'],
  [11, 'it is damaged'],
  [13, 'the disk is full'],
  [18, 'a text is too long'],
  [23, 'access to it is not permitted'],
  [26, 'it is not a SQLite database'],
])

/** SQLite has no code of its own for a table or column that a statement of ours names and the file has not. */
const LACKING = /\bno such (table|column): |\bhas no column named /
const LACKS = 'a table or column of this library is missing, so it was changed by hand or is damaged'

/** The primary result code of whatever a driver threw; null when it is no error of SQLite. */
export function codeOf(error: unknown): number | null {
  if (!(error instanceof Error)) return null
  const { code, errcode, rawCode } = error as Error & { code?: unknown; errcode?: unknown; rawCode?: unknown }
  const number = typeof errcode === 'number' ? errcode : rawCode
  if (typeof number === 'number') return number & 0xff
  if (typeof code === 'string' && code.startsWith('SQLITE_')) {
    const [name] = Object.keys(CODES).filter((known) => code === known || code.startsWith(`${known}_`))
    return name === undefined ? 1 : (CODES[name] ?? 1)
  }
  // libsql tells the code of a failed open in its text alone.
  const opening = /Unable to open connection to local database .*: (\d+)"\)$/s.exec(error.message)
  return opening === null ? null : Number(opening[1]) & 0xff
}

/** The owner of a database object has a transaction of their own open on it. */
export class OwnerBusy extends Error {}

/** Another process is making the file just now; it takes microseconds. */
export class BirthUnderWay extends Error {}

/** Somebody else is writing, or the owner of the database object is in a transaction of their own. */
export function isBusy(error: unknown): boolean {
  const code = codeOf(error)
  if (error instanceof OwnerBusy || error instanceof BirthUnderWay) return true
  if (code === 1) return error instanceof Error && error.message.includes('within a transaction')
  return code === 5 || code === 6 || code === 15
}

/** The file may be used on as it is; after anything else it is opened anew. */
export function isHarmless(error: unknown): boolean {
  const code = codeOf(error)
  return code === 13 || code === 18
}

/** The library's error for a failed step on `file`; a new one each time, for nobody shares an error. */
export function failureOf(error: unknown, file: string): HoldfastError {
  if (error instanceof BackendRefusedError)
    return new BackendRefusedError(error.message, { cause: error.cause ?? error })
  if (error instanceof HoldfastError) return new BackendUnavailableError(error.message, { cause: error.cause ?? error })
  const code = codeOf(error)
  const detail = error instanceof Error ? error.message : String(error)
  const reason = code === CANNOT_OPEN ? obstacleAt(file) : LACKING.test(detail) ? LACKS : REFUSALS.get(code ?? 0)
  if (typeof reason === 'string') {
    return new BackendRefusedError(`SQLite will not work on ${file}: ${reason} (${detail})`, { cause: error })
  }
  return new BackendUnavailableError(`SQLite failed on ${file}: ${detail}`, { cause: error })
}
