/**
 * What the library asks of a SQLite file, counted in a database object that is handed in. Counts do not depend on the
 * machine, so they are asserted here; times are the benchmark's.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { type SqliteDatabase, sqlite } from '../../src/backends/sqlite/index.ts'
import { type Holdfast, holdfast, type Lease } from '../../src/index.ts'

const TTL_MS = 3_000
const BEAT_MS = TTL_MS / 3
const BEATS = 3
const folder = mkdtempSync(join(tmpdir(), 'holdfast-counts-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function openDatabase(file: string): Promise<SqliteDatabase> {
  const builtIn = await import('node:sqlite').catch(() => null)
  const Driver = builtIn !== null ? builtIn.DatabaseSync : (await import('libsql')).default
  const database = new Driver(file) as SqliteDatabase
  database.exec('pragma journal_mode = wal')
  database.exec('pragma synchronous = normal')
  return database
}

/**
 * The same database; the list given with it gets the first word of each statement that is executed, but `busy_timeout`
 * in place of that pragma: it sets the connection, and is needed on a database of others only.
 */
function listed(real: SqliteDatabase): { readonly database: SqliteDatabase; readonly words: string[] } {
  const words: string[] = []
  const list = (sql: string): void => {
    words.push(/^\s*pragma (busy_timeout)/i.exec(sql)?.[1] ?? /\w+/.exec(sql)?.[0]?.toLowerCase() ?? '')
  }
  const watch = <T extends object>(target: T, onCall: (name: PropertyKey, first: unknown) => void): T => {
    const proxy: T = new Proxy(target, {
      get(_, name) {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        return (...values: unknown[]) => {
          onCall(name, values[0])
          const result: unknown = value.apply(target, values)
          if (result === target) return proxy
          if (name !== 'prepare') return result
          const executes = (call: PropertyKey): boolean => ['run', 'get', 'all', 'iterate'].includes(String(call))
          return watch(result as object, (call) => executes(call) && list(String(values[0])))
        }
      },
    })
    return proxy
  }
  const database = watch(real, (name, sql) => {
    if (name === 'exec') for (const one of String(sql).split(';')) if (one.trim() !== '') list(one)
    if (name === 'pragma') list('pragma')
  })
  return { database, words }
}

/** How many statements each transaction had inside; null for what is not whole transactions. */
function sizes(words: readonly string[]): readonly number[] | null {
  const text = words.map((word) => (word === 'begin' ? '<' : word === 'commit' ? '>' : '.')).join('')
  return /^(<\.*>)*$/.test(text) ? (text.match(/<\.*>/g) ?? []).map((one) => one.length - 2) : null
}

async function hold(locks: Holdfast, name: string, count: number): Promise<Lease[]> {
  const leases: Lease[] = []
  while (leases.length < count) {
    const batch = Array.from({ length: Math.min(100, count - leases.length) }, (_, index) => index + leases.length)
    leases.push(...(await Promise.all(batch.map((index) => locks.mutex(`${name}:${index}`).acquire()))))
  }
  return leases
}

test('a beat is one transaction of at most three statements, with ten leases held as with ten thousand', async () => {
  const { database, words } = listed(await openDatabase(join(folder, 'beats.db')))
  const locks = holdfast(sqlite(database), { namespace: 'counts', ttl: `${TTL_MS}ms` })
  const held: Lease[] = []
  for (const count of [10, 10_000]) {
    held.push(...(await hold(locks, `of-${count}`, count)))
    await pause(BEAT_MS)
    words.length = 0
    await pause(BEATS * BEAT_MS)
    const transactions = sizes(words.filter((word) => word !== 'busy_timeout'))
    expect(transactions, `only whole transactions, not ${words.join(' ')}`).not.toBeNull()
    expect(transactions?.length).toBeGreaterThanOrEqual(BEATS - 1)
    expect(transactions?.length).toBeLessThanOrEqual(BEATS + 1)
    expect(Math.max(...(transactions ?? []))).toBeLessThanOrEqual(3)
  }
  expect(held.every((lease) => lease.isHeld())).toBe(true)
  await locks.close()
})

test('a thousand tasks of one process on one name cost at most one statement in ten sections', async () => {
  const { database, words } = listed(await openDatabase(join(folder, 'line.db')))
  const locks = holdfast(sqlite(database), { namespace: 'counts' })
  await locks.mutex('first').run(() => {})
  words.length = 0
  const order: number[] = []
  // Short sections: what is asked once in each slice of time would count the speed of the machine.
  const task = (number: number): Promise<void> =>
    locks.mutex('line').run(async () => {
      await Promise.resolve()
      order.push(number)
    })
  await Promise.all(Array.from({ length: 1_000 }, (_, number) => task(number)))
  expect(order).toEqual(Array.from({ length: 1_000 }, (_, number) => number))
  expect(words.length).toBeGreaterThan(0)
  expect(words.length).toBeLessThanOrEqual(100)
  await locks.close()
})
