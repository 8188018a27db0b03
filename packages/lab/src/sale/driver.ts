/**
 * Opens SQLite files with the driver at hand: `node:sqlite` where Node has it, else `libsql`, which brings its binary.
 * Both are synchronous, so a call blocks this process for as long as another one sits on the file.
 */

export type SqlValue = string | number | bigint | null

export interface Statement {
  run(...values: SqlValue[]): unknown
  get(...values: SqlValue[]): unknown
  all(...values: SqlValue[]): unknown[]
}

/** What the two drivers have in common. */
export interface Database {
  exec(sql: string): unknown
  prepare(sql: string): Statement
  close(): unknown
}

export interface Driver {
  readonly name: 'node:sqlite' | 'libsql'
  open(file: string): Database
}

/** @throws {Error} when there is neither; says what to install */
export async function findDriver(): Promise<Driver> {
  const builtIn = await import('node:sqlite').catch(() => null)
  if (builtIn !== null) return { name: 'node:sqlite', open: (file) => new builtIn.DatabaseSync(file) as Database }
  const libsql = await import('libsql').catch((cause: unknown) => {
    throw new Error('no SQLite driver: this Node has no node:sqlite, so run `npm install libsql`', { cause })
  })
  return { name: 'libsql', open: (file) => new libsql.default(file) as Database }
}

/** Opens a file with the log and the durability that the library gives the files it opens itself. */
export function openAlike(driver: Driver, file: string): Database {
  const database = driver.open(file)
  database.exec('pragma journal_mode = wal')
  database.exec('pragma synchronous = normal')
  return database
}

/** For programs that open files: Node 22 warns that node:sqlite is experimental, and only newer ones can be told not to. */
export const childFlags: readonly string[] = process.allowedNodeEnvironmentFlags.has('--disable-warning')
  ? ['--disable-warning=ExperimentalWarning']
  : []

/** The number in the column of a row, whatever the driver calls the row. */
export function numberIn(row: unknown, column: string): number {
  const value = typeof row === 'object' && row !== null ? (row as Record<string, unknown>)[column] : undefined
  if (typeof value !== 'number') throw new TypeError(`no number in column ${column}`)
  return value
}

/** The text in the column of a row. */
export function textIn(row: unknown, column: string): string {
  const value = typeof row === 'object' && row !== null ? (row as Record<string, unknown>)[column] : undefined
  if (typeof value !== 'string') throw new TypeError(`no text in column ${column}`)
  return value
}
