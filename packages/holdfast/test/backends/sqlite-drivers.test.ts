/** All drivers do the same work, alone and on one file at the same time. */
import { createRequire } from 'node:module'
import type { DatabaseSync } from 'node:sqlite'
import type Libsql from 'libsql'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { portOf } from '../../src/backend.ts'
import { type SqliteDatabase, sqlite } from '../../src/backends/sqlite/index.ts'
import type { Ledger } from '../../src/port.ts'
import { systemRandom } from '../../src/random.ts'
import { claimDraft, claimKey, key, MAX_TTL_MS, sessionDraft, temporaryFile, terms } from './bench.ts'
import { SteppedClock } from './stepped-clock.ts'

type DatabaseClass = new (file: string) => SqliteDatabase

/** Those that are here: libsql always, and the one in Node where it has one. */
function drivers(): readonly [string, DatabaseClass][] {
  const libsql = createRequire(import.meta.url)('libsql') as DatabaseClass
  const node = process.getBuiltinModule?.('node:sqlite') as { readonly DatabaseSync: DatabaseClass } | undefined
  return [
    ['libsql', libsql],
    ...(node === undefined ? [] : [['node:sqlite', node.DatabaseSync] as [string, DatabaseClass]]),
  ]
}

const pairs = drivers().flatMap((one) => drivers().map((other) => [one[0], other[0], one[1], other[1]] as const))

let file: string
let dispose: () => void
const clock = new SteppedClock()

beforeEach(() => {
  ;({ file, dispose } = temporaryFile())
})
afterEach(() => dispose())

const connect = (database: SqliteDatabase): Promise<Ledger> =>
  portOf(sqlite(database)).connect({
    namespace: 'test',
    maxTtlMs: MAX_TTL_MS,
    quarantine: false,
    clock,
    random: systemRandom,
    onHint: () => {},
  })

test.each(pairs)('%s and %s exclude each other on one file', async (_one, _other, One, Other) => {
  const databases = [new One(file), new Other(file)] as const
  databases[0].exec('pragma journal_mode = wal')
  const ledgers = [await connect(databases[0]), await connect(databases[1])] as const
  await ledgers[0].open(sessionDraft('a'))
  await ledgers[1].open(sessionDraft('b'))
  let last = 0
  for (let round = 0; round < 20; round++) {
    const first = await ledgers[0].enter(key('a'), claimDraft(`a${round}`), terms())
    const second = await ledgers[1].enter(key('b'), claimDraft(`b${round}`), terms())
    expect([first.state, second.state]).toEqual(['open', 'closed'])
    await ledgers[0].leave(0, [claimKey(`a${round}`)])
    const asked = await ledgers[1].ask(key('b'), [claimKey(`b${round}`)])
    expect(asked).toMatchObject({ standings: [{ state: 'open' }] })
    for (const answer of [first, second]) {
      if (!('seq' in answer)) continue
      expect(answer.seq).toBeGreaterThan(last)
      last = answer.seq
    }
    await ledgers[1].leave(0, [claimKey(`b${round}`)])
  }
  expect(await ledgers[0].inspect('door')).toBeNull()
  for (const ledger of ledgers) await ledger.close()
  for (const database of databases) database.close()
})

test('objects of each driver are taken as they are, by their types too', () => {
  const take = (database: DatabaseSync | Libsql.Database): string => sqlite(database).kind
  for (const [, Database] of drivers()) {
    const database = new Database(file)
    expect(take(database as Libsql.Database)).toBe('sqlite')
    database.close()
  }
})
