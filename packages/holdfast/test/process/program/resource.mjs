/** The resource that holders change: a row in a SQLite file of the user's own, with its guard's row beside it. */
import { sqlGuard } from 'holdfast/guard'
import { openDatabase } from './database.mjs'

const GUARD = sqlGuard({
  dialect: 'sqlite',
  table: 'fences',
  key: 'resource',
  run: async (database, sql, params) => Number(database.prepare(sql).run(...params).changes),
})

/** One transaction; with a lease it enters the guard first. @throws {StaleFenceError} nothing was changed */
export async function underGuard(file, lease, work) {
  const database = await openDatabase(file)
  database.exec('pragma busy_timeout = 10000')
  database.exec('begin immediate')
  try {
    if (lease !== null) await GUARD.enter(database, lease)
    const result = work(database)
    database.exec('commit')
    return result
  } catch (error) {
    database.exec('rollback')
    throw error
  } finally {
    database.close()
  }
}

export function readRow(database) {
  return database.prepare('select value from resource').get().value
}

export function writeRow(database, value) {
  database.prepare('update resource set value = ?').run(value)
}
