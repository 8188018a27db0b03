/** A SQLite file that is taken away, replaced, or met again after the machine was started anew. */
import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { portOf } from '../../src/backend.ts'
import { sqlite } from '../../src/backends/sqlite/index.ts'
import type { Ledger, LedgerSetup } from '../../src/port.ts'
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

let file: string
let dispose: () => void
let clock: SteppedClock
const ledgers: Ledger[] = []

beforeEach(() => {
  ;({ file, dispose } = temporaryFile())
  clock = new SteppedClock()
})
afterEach(async () => {
  await Promise.all(ledgers.splice(0).map((ledger) => ledger.close()))
  dispose()
})

async function connect(changes: Partial<LedgerSetup> = {}): Promise<Ledger> {
  const ledger = await portOf(sqlite(file)).connect({
    namespace: 'test',
    maxTtlMs: MAX_TTL_MS,
    quarantine: false,
    clock,
    random: systemRandom,
    onHint: () => {},
    ...changes,
  })
  ledgers.push(ledger)
  return ledger
}

/** Takes the mutex with a new session and gives the number. */
async function take(ledger: Ledger, session: string): Promise<number> {
  await ledger.open(sessionDraft(session, { seenBefore: true }))
  const answer = await ledger.enter(key(session), claimDraft(`${session}1`), terms())
  expect(answer.state).toBe('open')
  return answer.state === 'open' ? answer.seq : Number.NaN
}

const removals: readonly [string, () => void][] = [
  [
    'with all that belongs to it',
    () => {
      for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix)
    },
  ],
  ['without its log', () => rmSync(file)],
]

test.each(removals)(
  'a file that was deleted %s is noticed by the next request: the session is gone, and a new file takes over',
  async (_, remove) => {
    const [holder, other] = [await connect(), await connect()]
    const before = await take(holder, 'a')
    remove()
    clock.advance(1000)
    expect((await holder.ask(key('a'), [claimKey('a1')])).state).toBe('session-gone')
    expect((await other.beat(key('a'), { ttlMs: TTL_MS, after: '', limit: 64 })).state).toBe('session-gone')
    expect(existsSync(file)).toBe(true)
    expect(await take(other, 'b')).toBeGreaterThan(before)
    expect(await holder.inspect('door')).toMatchObject({ claims: [{ id: 'b1' }] })
    const reader = openDatabase(file)
    expect(reader.prepare('pragma integrity_check').get()).toMatchObject({ integrity_check: 'ok' })
    reader.close()
  },
)

test('a file that was replaced by an older copy of itself is another file, and its numbers go on rising', async () => {
  const holder = await connect()
  await take(holder, 'a')
  const checkpoint = openDatabase(file)
  checkpoint.exec('pragma wal_checkpoint(truncate)')
  checkpoint.close()
  copyFileSync(file, `${file}.copy`)
  await holder.leave(0, [claimKey('a1')])
  let last = 0
  for (let n = 2; n < 10; n++) {
    const answer = await holder.enter(key('a'), claimDraft(`a${n}`), terms())
    last = answer.state === 'open' ? answer.seq : Number.NaN
    await holder.leave(0, [claimKey(`a${n}`)])
  }
  renameSync(`${file}.copy`, file)
  clock.advance(1000)
  expect(await holder.ask(key('a'), [claimKey('a9')])).toMatchObject({ standings: [{ state: 'gone' }] })
  await holder.leave(0, [claimKey('a1')])
  // The old copy does not know the last numbers; whoever saw them does.
  const answer = await holder.enter(key('a'), claimDraft('a9'), terms({ minSeq: last + 1 }))
  expect(answer.state === 'open' && answer.seq > last).toBe(true)
})

test('a file that was deleted under waiting clients is noticed while they only listen', async () => {
  const hints: (string | null)[] = []
  const waiting = await connect({ onHint: (what) => hints.push(what) })
  await take(waiting, 'a')
  await waiting.listen()
  rmSync(file)
  clock.advance(6000)
  expect(hints).toContain(null)
})

test('with quarantine a deleted file holds grants back, for the holder may not know yet', async () => {
  const ledger = await connect({ quarantine: true })
  await ledger.open(sessionDraft('a'))
  await ledger.enter(key('a'), claimDraft('a1'), terms())
  rmSync(file)
  clock.advance(1000)
  await ledger.open(sessionDraft('b', { seenBefore: true }))
  expect(await ledger.enter(key('b'), claimDraft('b1'), terms())).toMatchObject({
    state: 'closed',
    recheckMs: MAX_TTL_MS,
  })
})

test('a database object whose file was deleted is refused until another one is handed in', async () => {
  const database = openDatabase(file)
  const ledger = await portOf(sqlite(database)).connect({
    namespace: 'test',
    maxTtlMs: MAX_TTL_MS,
    quarantine: false,
    clock,
    random: systemRandom,
    onHint: () => {},
  })
  await take(ledger, 'a')
  rmSync(file)
  clock.advance(1000)
  await expect(ledger.ask(key('a'), [])).rejects.toMatchObject({
    code: 'BACKEND_REFUSED',
    message: expect.stringMatching(/hand in/),
  })
  await ledger.close()
  database.close()
})

test('after the machine was started anew every session is dead, numbers rise, and cells keep their time to live', async () => {
  const first = await connect()
  const before = await take(first, 'a')
  await first.cells.set('x', 'kept', { opId: '1', notAfterMs: 2 ** 50, minSeq: 0, ifVersion: null, ttlMs: 10_000 })
  await first.cells.add('y', 'member', { notAfterMs: 2 ** 50, ttlMs: 10_000 })
  await first.close()
  const editor = openDatabase(file)
  editor.exec("update hf_store set boot = 'an earlier start of the machine'")
  // Its clock had run for 900 seconds more than ours has now, and its last commits did not reach the disk.
  editor.exec(`update hf_store set wall_offset_ms = wall_offset_ms - 900000; update hf_entry set number = number - 100 where kind = 0;
    update hf_cell set ends_ms = ends_ms + 900000; update hf_group set ends_ms = ends_ms + 900000;
    update hf_session set ends_ms = ends_ms + 900000`)
  editor.close()
  clock.stepWall(4000)
  const second = await connect()
  expect((await second.ask(key('a'), [])).state).toBe('session-gone')
  expect(await take(second, 'b')).toBeGreaterThan(before)
  expect(await second.cells.get('x')).toMatchObject({ value: 'kept' })
  clock.advance(5999)
  expect(await second.cells.get('x')).toMatchObject({ value: 'kept' })
  expect(await second.cells.count('y')).toBe(1)
  clock.advance(1)
  expect(await second.cells.get('x')).toBeNull()
  expect(await second.cells.count('y')).toBe(0)
  expect(await second.beat(key('a'), { ttlMs: TTL_MS, after: '', limit: 64 })).toMatchObject({ state: 'session-gone' })
})
