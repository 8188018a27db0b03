/** The guards that need no server, by the rule. */
import { afterAll } from 'vitest'
import { memoryGuard } from '../../src/guards/index.ts'
import { describeRule } from './rule.ts'
import { changedRows, fieldOf, SqliteFile } from './sqlite-file.ts'

const file = new SqliteFile()
afterAll(() => file.close())
const connection = file.connect()
let keys = 0

/** As a driver that does not count a row whose fences stay as they were, whatever else of it changed. */
const onlyRealChanges: typeof changedRows = async (tx, sql, params) => {
  const fences = (): unknown => fieldOf(tx, "select group_concat(write_fence || ' ' || read_fence) from guards")
  const before = fences()
  const changed = await changedRows(tx, sql, params)
  return sql.includes('_fence =') && fences() === before ? 0 : changed
}

describeRule('the guard in memory', () => {
  const guard = memoryGuard()
  return (lease) => guard.enter(undefined, lease)
})

describeRule('the SQL guard on SQLite', () => {
  const guard = file.guard(`resource ${keys++}`)
  return (lease) => guard.enter(connection, lease)
})

describeRule('the SQL guard with a driver that reports 0 for an update that changes no fence', () => {
  const guard = file.guard(`resource ${keys++}`, onlyRealChanges)
  return (lease) => guard.enter(connection, lease)
})
