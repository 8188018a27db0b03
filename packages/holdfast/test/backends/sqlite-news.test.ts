/** How a SQLite store learns what other processes did: told by the operating system, and by looking where nobody tells. */
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

test('the operating system tells of it before anybody looks by the clock', async () => {
  await ledger.listen()
  await stranger.enter(key('c'), claimDraft('c1'), terms())
  await enterOurs()
  await stranger.leave(0, [claimKey('c1')])
  await vi.waitFor(() => {
    clock.advance(0)
    expect(hints).toEqual([null])
  })
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
  // Without a write-ahead log there is nothing to follow.
  database.exec('pragma journal_mode = delete; pragma synchronous = off')
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
