/** What the SQLite store costs and how it behaves when others write: counted on a database object that is handed in. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { portOf } from '../../src/backend.ts'
import type { SqliteDatabase, SqliteStatement, SqliteValue } from '../../src/backends/sqlite/database.ts'
import { sqlite } from '../../src/backends/sqlite/index.ts'
import type { Ledger } from '../../src/port.ts'
import { systemRandom } from '../../src/random.ts'
import {
  claimDraft,
  claimKey,
  key,
  MAX_TTL_MS,
  openDatabase,
  sessionDraft,
  settled,
  TTL_MS,
  temporaryFile,
  terms,
} from './bench.ts'
import { SteppedClock } from './stepped-clock.ts'

/** Writes down what is run on a database, and can make it fail. */
class Scribe implements SqliteDatabase {
  readonly log: string[] = []
  fail: ((sql: string, values: readonly SqliteValue[]) => Error | null) | null = null
  readonly #database: SqliteDatabase

  constructor(database: SqliteDatabase) {
    this.#database = database
  }
  exec(sql: string): unknown {
    this.#note(sql, [])
    return this.#database.exec(sql)
  }
  prepare(sql: string): SqliteStatement {
    const statement = this.#database.prepare(sql)
    const noting =
      <T>(run: (...values: SqliteValue[]) => T) =>
      (...values: SqliteValue[]): T => {
        this.#note(sql, values)
        return run.apply(statement, values)
      }
    return { run: noting(statement.run), get: noting(statement.get), all: noting(statement.all) }
  }
  close(): unknown {
    this.log.push('close')
    return this.#database.close()
  }
  /** What was run since the last call, without what concerns the settings of the object's owner. */
  since(): string[] {
    return this.log.splice(0).filter((sql) => !sql.startsWith('pragma'))
  }
  #note(sql: string, values: readonly SqliteValue[]): void {
    this.log.push(sql.replace(/\s+/g, ' '))
    const error = this.fail?.(sql, values) ?? null
    if (error !== null) throw error
  }
}

let scribe: Scribe
let owner: SqliteDatabase
let ledger: Ledger
let file: string
let dispose: () => void
let clock: SteppedClock
let hints: (string | null)[]

beforeEach(async () => {
  ;({ file, dispose } = temporaryFile())
  clock = new SteppedClock()
  hints = []
  owner = openDatabase(file)
  owner.exec('pragma journal_mode = wal')
  scribe = new Scribe(owner)
  ledger = await portOf(sqlite(scribe)).connect({
    namespace: 'test',
    maxTtlMs: MAX_TTL_MS,
    quarantine: false,
    clock,
    random: systemRandom,
    onHint: (what) => hints.push(what),
  })
  for (const id of ['a', 'b']) await ledger.open(sessionDraft(id))
  scribe.since()
})
afterEach(async () => {
  await ledger.close()
  owner.close()
  dispose()
})

const beatTerms = { ttlMs: TTL_MS, after: '', limit: 64 }
const enter = (id: string, changes: object = {}): ReturnType<Ledger['enter']> =>
  ledger.enter(key(id.slice(0, 1)), claimDraft(id, changes), terms())

/** Another writer on the same file, as another process would be. */
function otherWriter(): SqliteDatabase {
  const other = openDatabase(file)
  other.exec('begin immediate')
  return other
}

describe('an uncontended claim', () => {
  test('costs two statements to enter and one to leave, each in a transaction of its own', async () => {
    await enter('a1')
    await ledger.leave(0, [claimKey('a1')])
    scribe.since()
    await enter('a2')
    const entered = scribe.since()
    expect([entered.at(0), entered.at(-1), entered.length]).toEqual(['begin immediate', 'commit', 4])
    await ledger.leave(0, [claimKey('a2')])
    const left = scribe.since()
    expect([left.at(0), left.at(-1), left.length]).toEqual(['begin immediate', 'commit', 3])
  })

  test('costs one statement more when others have given out numbers', async () => {
    const other = openDatabase(file)
    other.exec('update hf_entry set number = number + 5 where kind = 0')
    other.close()
    await enter('a1')
    expect(scribe.since()).toHaveLength(5)
  })
})

describe('operations', () => {
  test('of one turn travel in one transaction, sixty-four at most', async () => {
    await Promise.all(Array.from({ length: 100 }, (_, n) => enter(`a${n}`, { line: `line ${n}` })))
    expect(scribe.since().filter((sql) => sql === 'begin immediate')).toHaveLength(2)
  })

  test('that only look take no write lock: ask, inspect, list and cells', async () => {
    await Promise.all([enter('a1'), enter('b1')])
    scribe.since()
    await ledger.ask(key('b'), [claimKey('b1')])
    await ledger.ask(key('a'), [claimKey('a1')])
    await ledger.inspect('door')
    await ledger.list('', '', 10)
    await ledger.cells.get('x')
    await ledger.cells.count('x')
    const run = scribe.since()
    expect(run).toContain('begin')
    expect(run.filter((sql) => !/^(begin|commit|select|with)/.test(sql))).toEqual([])
  })

  test('that look and find a dead claim ahead take the write lock then', async () => {
    await Promise.all([enter('a1', { maxHoldMs: 10 }), enter('b1')])
    clock.advance(10)
    scribe.since()
    expect(await ledger.ask(key('b'), [claimKey('b1')])).toMatchObject({ standings: [{ state: 'open' }] })
    expect(scribe.since().filter((sql) => sql.startsWith('begin'))).toEqual(['begin', 'begin immediate'])
  })

  test('that ask for what cannot be fail alone, not those that travel with them', async () => {
    await enter('a1')
    const [amended, other] = await Promise.allSettled([
      ledger.amend(key('a'), claimKey('a1'), { weight: 2 }),
      enter('b2', { line: 'window' }),
    ])
    expect(amended).toMatchObject({ status: 'rejected', reason: expect.any(RangeError) })
    expect(other).toMatchObject({ value: { state: 'open' } })
  })

  test('that make SQLite fail are run again one by one, so that only they fail, by a typed error with its cause', async () => {
    const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
    scribe.fail = (sql, values) => (sql.startsWith('insert into hf_entry') && values.includes('poison') ? full : null)
    const entered = await Promise.allSettled(
      ['a1', 'a2', 'a3'].map((id) => enter(id, { line: id === 'a2' ? 'poison' : id })),
    )
    expect(entered).toMatchObject([
      { value: { state: 'open' } },
      { reason: { code: 'BACKEND_REFUSED', message: expect.stringMatching(/disk is full/), cause: full } },
      { value: { state: 'open' } },
    ])
    scribe.fail = null
    expect(await enter('a4', { line: 'poison' })).toMatchObject({ state: 'open' })
  })

  test.each([
    ['SQLITE_IOERR_WRITE', 'BACKEND_UNAVAILABLE'],
    ['SQLITE_READONLY', 'BACKEND_REFUSED'],
    ['SQLITE_CORRUPT', 'BACKEND_REFUSED'],
    ['SQLITE_NOMEM', 'BACKEND_UNAVAILABLE'],
  ])('that fail with %s are told %s, change nothing, and succeed when it is healed', async (code, ours) => {
    scribe.fail = (sql) => (sql.startsWith('commit') ? Object.assign(new Error(code), { code }) : null)
    await expect(enter('a1')).rejects.toMatchObject({ code: ours, cause: { code } })
    scribe.fail = null
    expect(await ledger.inspect('door')).toBeNull()
    expect(await enter('a1')).toMatchObject({ state: 'open' })
  })
})

test.each([1, 1000])('a beat of a session with %i claims is one transaction of three statements', async (count) => {
  await Promise.all(
    Array.from({ length: count }, (_, n) => enter(`a${String(n).padStart(4, '0')}`, { line: `line ${n}` })),
  )
  scribe.since()
  for (let beat = 0; beat < 12; beat++) {
    expect(await ledger.beat(key('a'), beatTerms)).toMatchObject({ state: 'beaten' })
    const run = scribe.since()
    expect([run.at(0), run.at(-1), run.length]).toEqual(['begin immediate', 'commit', 5])
  }
})

test('nothing of a session and its thousand claims stays in the file once it was ended', async () => {
  await Promise.all(Array.from({ length: 1000 }, (_, n) => enter(`a${n}`, { line: `line ${n}` })))
  await ledger.end(key('a'))
  expect(owner.prepare('select count(*) as n from hf_claim').get()).toMatchObject({ n: 0 })
  expect(owner.prepare('select count(*) as n from hf_claim_id').get()).toMatchObject({ n: 0 })
  expect(owner.prepare('select id from hf_session').all()).toMatchObject([{ id: 'b' }])
})

describe('while somebody else writes', () => {
  test('operations wait without holding up this process, and go on when it is done', async () => {
    const other = otherWriter()
    let done = false
    const entering = enter('a1').then((answer) => {
      done = true
      return answer
    })
    await settled()
    for (let round = 0; round < 20; round++) {
      clock.advance(25)
      await settled()
    }
    expect(done).toBe(false)
    other.exec('commit')
    other.close()
    clock.advance(25)
    expect(await entering).toMatchObject({ state: 'open' })
  })

  test('they can look, for readers do not wait', async () => {
    await enter('a1')
    const other = otherWriter()
    expect(await ledger.inspect('door')).toMatchObject({ claims: [{ id: 'a1' }] })
    expect(await ledger.ask(key('a'), [claimKey('a1')])).toMatchObject({ standings: [{ state: 'open' }] })
    other.close()
  })

  test('for half a minute, operations end as unavailable, and later ones work', async () => {
    const other = otherWriter()
    const entering = enter('a1').catch((error: unknown) => error)
    await settled()
    clock.advance(29_000)
    const later = ledger.cells.add('x', 'member', { notAfterMs: 2 ** 50, ttlMs: 1000 })
    await settled()
    for (let round = 0; round < 60; round++) {
      clock.advance(25)
      await settled()
    }
    expect(await entering).toMatchObject({ code: 'BACKEND_UNAVAILABLE', message: expect.stringMatching(/locked/) })
    other.exec('rollback')
    other.close()
    clock.advance(25)
    expect(await later).toMatchObject({ count: 1 })
  })

  test('closing ends the wait at once', async () => {
    const other = otherWriter()
    const entering = enter('a1').catch((error: unknown) => error)
    await settled()
    await ledger.close()
    expect(await entering).toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
    other.close()
  })

  test('closing does first what was asked for in the same turn', async () => {
    await enter('a1')
    const leaving = ledger.leave(0, [claimKey('a1')])
    await ledger.close()
    expect(await leaving).toMatchObject({ found: [true] })
  })
})

describe('a database object that was handed in', () => {
  test('is never closed', async () => {
    await ledger.close()
    expect(scribe.log).not.toContain('close')
    owner.exec('select 1')
  })

  test('keeps its settings, also the time to wait that its owner has set', async () => {
    owner.exec('pragma busy_timeout = 1234')
    clock.advance(1000)
    await enter('a1')
    expect(owner.prepare('pragma busy_timeout').get()).toMatchObject({ timeout: 1234 })
    const other = otherWriter()
    clock.advance(1000)
    const entering = enter('a2')
    await settled()
    expect(owner.prepare('pragma busy_timeout').get()).toMatchObject({ timeout: 1234 })
    other.close()
    clock.advance(25)
    await entering
  })

  test('that is in a transaction of its owner is waited for, and that transaction is left alone', async () => {
    owner.exec('create table users (id integer)')
    owner.exec('begin')
    owner.exec('insert into users values (1)')
    const entering = enter('a1')
    await settled()
    clock.advance(100)
    await settled()
    owner.exec('rollback')
    clock.advance(25)
    expect(await entering).toMatchObject({ state: 'open' })
    expect(owner.prepare('select count(*) as n from users').get()).toMatchObject({ n: 0 })
  })
})
