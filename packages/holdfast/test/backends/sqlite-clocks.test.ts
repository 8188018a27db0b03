/** Processes of one machine read its clock at slightly different moments: what one has declared dead is dead for all. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { portOf } from '../../src/backend.ts'
import { BootClock } from '../../src/backends/sqlite/boot-clock.ts'
import { sqlite } from '../../src/backends/sqlite/index.ts'
import type { Ledger } from '../../src/port.ts'
import { systemRandom } from '../../src/random.ts'
import { claimDraft, claimKey, key, MAX_TTL_MS, sessionDraft, TTL_MS, temporaryFile, terms } from './bench.ts'
import { SteppedClock } from './stepped-clock.ts'

let file: string
let dispose: () => void
const ledgers: Ledger[] = []

beforeEach(() => {
  ;({ file, dispose } = temporaryFile())
})
afterEach(async () => {
  await Promise.all(ledgers.splice(0).map((ledger) => ledger.close()))
  dispose()
})

async function connect(clock: SteppedClock): Promise<Ledger> {
  const setup = { namespace: 'test', maxTtlMs: MAX_TTL_MS, quarantine: false, random: systemRandom, onHint: () => {} }
  const ledger = await portOf(sqlite(file)).connect({ ...setup, clock })
  ledgers.push(ledger)
  return ledger
}

test('a session that somebody was opened past is gone also for a process whose clock lags behind', async () => {
  const [lagging, leading] = [new SteppedClock(), new SteppedClock()]
  const holder = await connect(lagging)
  const other = await connect(leading)
  await holder.open(sessionDraft('a'))
  await holder.enter(key('a'), claimDraft('a1'), terms())
  await holder.enter(key('a'), claimDraft('a2', { line: 'window' }), terms())
  lagging.advance(TTL_MS - 5)
  leading.advance(TTL_MS)
  await other.open(sessionDraft('b'))
  expect((await other.enter(key('b'), claimDraft('b1'), terms())).state).toBe('open')
  expect((await holder.beat(key('a'), { ttlMs: TTL_MS, after: '', limit: 64 })).state).toBe('session-gone')
  expect((await holder.ask(key('a'), [claimKey('a2', 'window')])).state).toBe('session-gone')
  expect((await holder.enter(key('a'), claimDraft('a3', { line: 'free' }), terms())).state).toBe('session-gone')
  await holder.open(sessionDraft('a'))
  expect((await holder.ask(key('a'), [])).state).toBe('session-gone')
})

test('the boot clock is read seldom, never goes back, and after a suspend is right within twenty milliseconds', () => {
  let monotonicMs = 0
  let aheadMs = 1000
  let readings = 0
  const clock = new BootClock({
    monotonicMs: () => monotonicMs,
    bootMs: () => {
      readings++
      return Math.floor((monotonicMs + aheadMs) / 10) * 10
    },
  })
  let last = 0
  for (let round = 0; round < 1000; round++) {
    monotonicMs += 0.7
    const now = clock.nowMs()
    expect(now).toBeGreaterThanOrEqual(last)
    expect(Math.abs(now - (monotonicMs + aheadMs))).toBeLessThan(10)
    last = now
  }
  expect(readings).toBeLessThan(50)
  aheadMs += 3_600_000
  monotonicMs += 20
  expect(Math.abs(clock.nowMs() - (monotonicMs + aheadMs))).toBeLessThan(10)
})
