/** The counting database object of the benchmark, around a real one: what it misses would be a promise that cannot fail. */
import { expect, test } from 'vitest'
import { countStatements } from '../src/bench/counted-database.ts'
import { findDriver } from '../src/sale/driver.ts'

const driver = await findDriver()

test('each execution counts once, however the statement is run', () => {
  const { database, take } = countStatements(driver.open(':memory:'))
  database.exec('create table t (a integer); create index i on t (a)')
  expect(take()).toEqual({ statements: 2, single: 2, timeouts: 0, transactions: [] })
  const insert = database.prepare('insert into t values (?)')
  const select = database.prepare('select a from t')
  insert.run(1)
  insert.run(2)
  expect(select.all()).toHaveLength(2)
  expect(select.get()).toMatchObject({ a: 1 })
  expect(take()).toEqual({ statements: 4, single: 4, timeouts: 0, transactions: [] })
  expect(take().statements).toBe(0)
})

test('a transaction counts what is between its BEGIN and its COMMIT, prepared or not', () => {
  const { database, take } = countStatements(driver.open(':memory:'))
  database.exec('create table t (a integer)')
  take()
  const begin = database.prepare('BEGIN IMMEDIATE')
  const insert = database.prepare('insert into t values (1)')
  begin.run()
  insert.run()
  insert.run()
  database.exec('commit')
  begin.run()
  database.exec('rollback')
  insert.run()
  expect(take()).toEqual({ statements: 7, single: 1, timeouts: 0, transactions: [2, 0] })
})

test('the wait for the write lock is set apart from what is asked of the database', () => {
  const { database, take } = countStatements(driver.open(':memory:'))
  database.prepare('pragma busy_timeout').get()
  database.exec('begin immediate')
  database.exec('pragma busy_timeout = 0')
  database.exec('pragma user_version = 7')
  database.exec('commit')
  expect(take()).toEqual({ statements: 5, single: 0, timeouts: 2, transactions: [1] })
})

test('a statement whose mode was set is still counted', () => {
  const { database, take } = countStatements(driver.open(':memory:'))
  const statement = database.prepare('select 1 as one') as { raw?: () => { all(): unknown } }
  take()
  statement.raw?.().all()
  expect(take().statements).toBe(statement.raw === undefined ? 0 : 1)
})
