/** How a SQLite store learns what other processes did: told by the operating system, and by looking where nobody tells. */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { portOf } from '../../src/backend.ts'
import { type SqliteDatabase, type SqliteStatement, sqlite } from '../../src/backends/sqlite/index.ts'
import type { Ledger } from '../../src/port.ts'
import { systemRandom } from '../../src/random.ts'
import {
  claimDraft,
  claimKey,
  key,
  MAX_TTL_MS,
  openDatabase,
  sessionDraft,
  TTL_MS,
  temporaryFile,
  terms,
} from './bench.ts'
import { SteppedClock } from './stepped-clock.ts'

/** At the latest after this long the file is looked at, whatever the operating system tells. */
const LOOK_MS = 6000

let file: string
let dispose: () => void
let clock: SteppedClock
let hints: (string | null)[]
let ledger: Ledger
/** A client on its own connection that is no neighbour of ours, as one in another process. */
let stranger: Ledger
const databases: SqliteDatabase[] = []

const connect = (backend: ReturnType<typeof sqlite>, onHint: (what: string | null) => void): Promise<Ledger> =>
  portOf(backend).connect({
    namespace: 'test',
    maxTtlMs: MAX_TTL_MS,
    quarantine: false,
    clock,
    random: systemRandom,
    onHint,
  })

beforeEach(async () => {
  ;({ file, dispose } = temporaryFile())
  clock = new SteppedClock()
  hints = []
  ledger = await connect(sqlite(file), (what) => hints.push(what))
  const database = openDatabase(file)
  databases.push(database)
  stranger = await connect(sqlite(database), () => {})
  await ledger.open(sessionDraft('a'))
  await stranger.open(sessionDraft('c'))
})
afterEach(async () => {
  await Promise.all([ledger.close(), stranger.close()])
  for (const database of databases.splice(0)) database.close()
  dispose()
})

const enterOurs = (): Promise<unknown> => ledger.enter(key('a'), claimDraft('a1'), terms())
const beatTerms = { ttlMs: TTL_MS, after: '', limit: 64 }

test('an opened claim is hinted to who listens, and nothing is that nobody can be waiting for', async () => {
  await ledger.listen()
  await stranger.enter(key('c'), claimDraft('c1'), terms())
  await stranger.beat(key('c'), beatTerms)
  await stranger.enter(key('c'), claimDraft('c2', { line: 'window' }), terms())
  await stranger.leave(0, [claimKey('c2', 'window')])
  clock.advance(LOOK_MS)
  expect(hints).toEqual([])
  await enterOurs()
  await stranger.leave(0, [claimKey('c1')])
  clock.advance(LOOK_MS)
  expect(hints).toEqual([null])
  clock.advance(10_000)
  expect(hints).toEqual([null])
})

test('the bell is heard before anybody looks by the clock, also when its file was taken away in between', async () => {
  await ledger.listen()
  for (const round of [1, 2]) {
    await stranger.enter(key('c'), claimDraft(`c${round}`), terms())
    await ledger.enter(key('a'), claimDraft(`a${round}`), terms())
    await stranger.leave(0, [claimKey(`c${round}`)])
    await vi.waitFor(() => {
      clock.advance(1)
      expect(hints.splice(0)).toEqual([null])
    })
    await ledger.leave(0, [claimKey(`a${round}`)])
    rmSync(`${file}-bell`)
    // Only the operating system can tell of that.
    await new Promise((resolve) => setImmediate(resolve))
  }
})

test('no bell is rung for beats and for takes that nobody waits for', async () => {
  await stranger.enter(key('c'), claimDraft('c1'), terms())
  await stranger.beat(key('c'), beatTerms)
  await stranger.leave(0, [claimKey('c1')])
  expect(existsSync(`${file}-bell`)).toBe(false)
  await stranger.enter(key('c'), claimDraft('c2'), terms())
  await enterOurs()
  await stranger.leave(0, [claimKey('c2')])
  expect(existsSync(`${file}-bell`)).toBe(true)
})

test.each([
  ['a refused try', (): Promise<unknown> => stranger.enter(key('c'), claimDraft('c1'), terms({ mode: 'try' }))],
  ['an eviction', (): Promise<unknown> => stranger.evict('door', null)],
  ['a change of a cell', (): Promise<unknown> => stranger.cells.add('x', 'm', { notAfterMs: 2 ** 50, ttlMs: 1000 })],
])('%s is hinted', async (_, act) => {
  await enterOurs()
  await ledger.listen()
  await act()
  clock.advance(LOOK_MS)
  expect(hints).toEqual([null])
})

test('what was hinted exactly in this process is not hinted once more as a change of anything', async () => {
  const neighbour = await connect(sqlite(file), () => {})
  await ledger.listen()
  await stranger.enter(key('c'), claimDraft('c1'), terms())
  await enterOurs()
  clock.advance(LOOK_MS)
  await neighbour.leave(0, [claimKey('c1')])
  await Promise.resolve()
  await Promise.resolve()
  clock.advance(10_000)
  expect(hints).toEqual(['a1'])
  await neighbour.close()
})

test('where nobody tells, the file is looked at often after something happened and ever less often later', async () => {
  const database = openDatabase(`${file}.other`)
  databases.push(database)
  // What is no file cannot be rung.
  mkdirSync(`${file}.other-bell`)
  let looks = 0
  const counting: SqliteDatabase = {
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    prepare(sql): SqliteStatement {
      const statement = database.prepare(sql)
      if (sql !== 'pragma data_version') return statement
      const get: SqliteStatement['get'] = (...values) => {
        looks += 1
        return statement.get(...values)
      }
      return { get, all: (...values) => statement.all(...values), run: (...values) => statement.run(...values) }
    },
  }
  const counted = await connect(sqlite(counting), () => {})
  await counted.listen()
  const during = (ms: number): number => {
    looks = 0
    clock.advance(ms)
    return looks
  }
  expect(during(100)).toBeGreaterThanOrEqual(50)
  during(10_000)
  expect(during(10_000)).toBeLessThanOrEqual(251)
  counted.unlisten()
  expect(during(10_000)).toBe(0)
  await counted.close()
})
