/**
 * The fault that a fence checked on write alone does not stop: an old holder's write that lands between the new
 * holder's read and its write. Played step by step on a SQLite file, each holder with a connection of its own and real
 * transactions. The leases are real too; the first one is released by force while its holder is paused.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { memory } from '../../src/backends/memory/index.ts'
import type { Guard } from '../../src/guards/index.ts'
import { holdfast } from '../../src/holdfast.ts'
import { type Holdfast, type Lease, StaleFenceError } from '../../src/index.ts'
import { type Connection, fieldOf, inTransaction, SqliteFile } from './sqlite-file.ts'

let file: SqliteFile
let guard: Guard<Connection>
/** Two processes, as far as locks go. */
let first: Holdfast
let second: Holdfast
/** A holder that was paused for too long, and the one that came after. */
let old: { readonly lease: Lease; readonly connection: Connection }
let next: typeof old

beforeEach(async () => {
  file = new SqliteFile()
  guard = file.guard('account')
  const setup = file.connect()
  setup.exec('create table account (balance integer not null)')
  setup.exec('insert into account values (100)')
  const backend = memory()
  first = holdfast(backend, { namespace: 'interleaving' })
  second = holdfast(backend, { namespace: 'interleaving' })
  old = { lease: await first.mutex('account').acquire(), connection: file.connect() }
  await second.forceRelease('account')
  next = { lease: await second.mutex('account').acquire(), connection: file.connect() }
})

afterEach(async () => {
  await Promise.all([first.close(), second.close()])
  file.close()
})

const balanceOf = (connection: Connection): number => Number(fieldOf(connection, 'select balance from account'))
const setBalance = (connection: Connection, balance: number): void => {
  connection.prepare('update account set balance = ?').run(balance)
}

test('a write of an old holder lands between the read and the write of the new one when only writes check the fence', async () => {
  const seenByOld = balanceOf(old.connection)
  const seenByNext = balanceOf(next.connection)

  await inTransaction(old.connection, async () => {
    await guard.enter(old.connection, old.lease)
    setBalance(old.connection, seenByOld + 1)
  })
  await inTransaction(next.connection, async () => {
    await guard.enter(next.connection, next.lease)
    setBalance(next.connection, seenByNext + 10)
  })

  // Both were told that their write is in. One of them is lost.
  expect(balanceOf(next.connection)).toBe(110)
})

test('a new holder that enters before its first read has the late write of the old one refused', async () => {
  const seenByOld = balanceOf(old.connection)
  const seenByNext = await inTransaction(next.connection, async () => {
    await guard.enter(next.connection, next.lease)
    return balanceOf(next.connection)
  })

  const late = inTransaction(old.connection, async () => {
    await guard.enter(old.connection, old.lease)
    setBalance(old.connection, seenByOld + 1)
  })
  await expect(late).rejects.toBeInstanceOf(StaleFenceError)
  await expect(late).rejects.toMatchObject({ code: 'STALE_FENCE', fence: next.lease.fence })

  await inTransaction(next.connection, async () => {
    await guard.enter(next.connection, next.lease)
    expect(balanceOf(next.connection)).toBe(seenByNext)
    setBalance(next.connection, seenByNext + 10)
  })
  expect(balanceOf(next.connection)).toBe(110)
})

test('a write of the old holder before the new one enters is seen by its read, and nothing is lost', async () => {
  const seenByOld = balanceOf(old.connection)
  await inTransaction(old.connection, async () => {
    await guard.enter(old.connection, old.lease)
    setBalance(old.connection, seenByOld + 1)
  })
  await inTransaction(next.connection, async () => {
    await guard.enter(next.connection, next.lease)
    setBalance(next.connection, balanceOf(next.connection) + 10)
  })
  expect(balanceOf(next.connection)).toBe(111)
})

test('a refused transaction leaves the resource as it was, fences included', async () => {
  await inTransaction(next.connection, () => guard.enter(next.connection, next.lease))
  const before = fieldOf(next.connection, 'select write_fence || read_fence || checks from guards')
  const late = inTransaction(old.connection, () => guard.enter(old.connection, old.lease))
  await expect(late).rejects.toBeInstanceOf(StaleFenceError)
  expect(fieldOf(next.connection, 'select write_fence || read_fence || checks from guards')).toBe(before)
})
