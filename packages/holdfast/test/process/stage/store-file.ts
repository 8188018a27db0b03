/**
 * A look into a SQLite file from outside of the library: what its tables still hold, and a resource of the user's own
 * with its guard.
 */
import { isDeepStrictEqual } from 'node:util'
import { guardTable } from '../../../src/guards/index.ts'
import { until } from './moment.ts'

interface Statement {
  run(...values: unknown[]): unknown
  get(...values: unknown[]): unknown
  all(...values: unknown[]): unknown[]
}
export interface Database {
  prepare(sql: string): Statement
  exec(sql: string): unknown
  close(): unknown
}

/** What stays on purpose: the layout, and a namespace with its last number. Claims are counted as such, not as entries. */
const KEPT: ReadonlySet<string> = new Set(['hf_store', 'hf_space', 'hf_number', 'hf_entry', 'hf_claim_id'])

export async function openDatabase(file: string): Promise<Database> {
  const builtIn = await import('node:sqlite').catch(() => null)
  if (builtIn !== null) return new builtIn.DatabaseSync(file) as Database
  const libsql = await import('libsql')
  return new libsql.default(file) as Database
}

async function inside<T>(file: string, look: (database: Database) => T): Promise<T> {
  const database = await openDatabase(file)
  try {
    database.exec('pragma busy_timeout = 2000')
    return look(database)
  } finally {
    database.close()
  }
}

/** How many rows each table of the library has; tables with none are left out. */
export function rowsLeft(file: string): Promise<Record<string, number>> {
  return inside(file, (database) => {
    const tables = database
      .prepare("select name from sqlite_master where type in ('table', 'view') and name like 'hf\\_%' escape '\\'")
      .all()
    const counts = (tables as { name: string }[])
      .filter(({ name }) => !KEPT.has(name))
      .map(
        ({ name }) => [name, (database.prepare(`select count(*) as n from ${name}`).get() as { n: number }).n] as const,
      )
    if (counts.length === 0) throw new Error(`${file} has no tables of the library`)
    return Object.fromEntries(counts.filter(([, rows]) => rows > 0))
  })
}

/** Waits until the tables hold exactly this. @throws {Error} naming what they hold instead */
export async function untilRows(file: string, expected: Record<string, number>, limitMs: number): Promise<void> {
  let left: Record<string, number> = {}
  const look = async (): Promise<boolean> => {
    left = await rowsLeft(file)
    return isDeepStrictEqual(left, expected)
  }
  await until('rows', look, limitMs).catch(() => {
    throw new Error(`the tables hold ${JSON.stringify(left)} after ${limitMs} ms, not ${JSON.stringify(expected)}`)
  })
}

/** SQLite's own opinion of the file: `ok`. */
export function soundness(file: string): Promise<string> {
  return inside(
    file,
    (database) => (database.prepare('pragma integrity_check').get() as { integrity_check: string }).integrity_check,
  )
}

/** Whether nobody is in the middle of writing, or is so for a moment only. */
export async function isWritable(file: string): Promise<boolean> {
  try {
    await execute(file, 'pragma busy_timeout = 100; begin immediate; rollback')
    return true
  } catch (error) {
    if (/locked|busy/i.test(String(error))) return false
    throw error
  }
}

export function execute(file: string, sql: string): Promise<void> {
  return inside(file, (database) => {
    database.exec(sql)
  })
}

/** A row that holders write to, with a guard that refuses those who were passed by others. */
export async function makeResource(file: string): Promise<void> {
  await execute(
    file,
    `${guardTable('sqlite', 'fences')}; insert into fences (resource) values ('resource');
     create table resource (value text not null); insert into resource values ('')`,
  )
}

export function readResource(file: string): Promise<string> {
  return inside(file, (database) => (database.prepare('select value from resource').get() as { value: string }).value)
}
