/** What the demo says about its acts, and that each way to go wrong is told. */
import { expect, test } from 'vitest'
import { type ActPlan, type ActResult, fencesRise, recoveryMs } from '../src/sale/act.ts'
import { ACTS, closingSentence, figureRows, resultTable } from '../src/sale/program.ts'
import { faultsOf } from '../src/sale/verdict.ts'

const EXPECTED = { stock: 1_000, requests: 5_000 }
const [BARE, LOCKED, KILLED] = ACTS as readonly [ActPlan, ActPlan, ActPlan]

/** An act as it must be. */
function act(plan: ActPlan, change: Partial<ActResult> = {}): ActResult {
  const books = plan.lock
    ? { sold: 1_000, left: 0, oversold: 0, takes: { remote: 90, local: 900 }, fencesRise: true }
    : { sold: 4_000, left: 950, oversold: 3_000, takes: null, fencesRise: null }
  const load = { served: 5_000, cut: 0, failed: 0, seconds: 1, requestsPerSecond: 1_234.5, p50Ms: 20, p99Ms: 90 }
  const death = plan.kill ? { served: 4_934, cut: 66, recoveryMs: 1_940 } : { recoveryMs: null }
  return { plan, ...books, ...load, ...death, ...change }
}

test('acts that show what they must have no fault', () => {
  for (const plan of ACTS) expect(faultsOf(act(plan), EXPECTED)).toEqual([])
})

test('without a lock, selling exactly the stock is a fault: the race did not show', () => {
  expect(faultsOf(act(BARE, { sold: 1_000, oversold: 0 }), EXPECTED)).toHaveLength(1)
})

test('with a lock, one piece too many or too few is a fault', () => {
  for (const plan of [LOCKED, KILLED]) {
    expect(faultsOf(act(plan, { sold: 1_001, oversold: 1 }), EXPECTED)).toEqual(['1001 sold, but there were 1000'])
    expect(faultsOf(act(plan, { sold: 999, left: 1 }), EXPECTED)).toHaveLength(2)
  }
})

test('with a lock, fences that do not rise and servers that never took it are faults', () => {
  expect(faultsOf(act(LOCKED, { fencesRise: false }), EXPECTED)).toHaveLength(1)
  expect(faultsOf(act(LOCKED, { takes: { remote: 0, local: 0 } }), EXPECTED)).toHaveLength(1)
})

test('a holder that was not killed, or that nobody followed, is a fault', () => {
  expect(faultsOf(act(KILLED, { recoveryMs: null }), EXPECTED)).toHaveLength(1)
})

test('a request that is not accounted for is a fault', () => {
  expect(faultsOf(act(LOCKED, { served: 4_999 }), EXPECTED)).toHaveLength(1)
})

test('recovery is the time to the first turn of another process after the death', () => {
  const receipts = [
    { pid: 1, turnAtMs: 90, fence: 1n },
    { pid: 2, turnAtMs: 95, fence: 2n },
    { pid: 1, turnAtMs: 101, fence: 3n },
    { pid: 3, turnAtMs: 150, fence: 4n },
    { pid: 2, turnAtMs: 140, fence: 5n },
  ]
  expect(recoveryMs(receipts, { pid: 1, atMs: 100 })).toBe(40)
  expect(recoveryMs(receipts.slice(0, 3), { pid: 1, atMs: 100 })).toBeNull()
})

test('fences rise only if each is above the one before', () => {
  const fences = (...all: readonly (bigint | null)[]): boolean => fencesRise(all.map((fence) => ({ fence })))
  expect(fences(1n, 2n, 5n)).toBe(true)
  expect(fences(1n, 2n, 2n)).toBe(false)
  expect(fences(3n, 2n)).toBe(false)
  expect(fences(1n, null)).toBe(false)
})

test('the table has a column for each act and what an act has not is a dash', () => {
  const rows = new Map(figureRows(ACTS.map((plan) => act(plan))).map(([label = '', ...cells]) => [label, cells]))
  expect(rows.get('sold')).toEqual(['4,000', '1,000', '1,000'])
  expect(rows.get('oversold')).toEqual(['3,000', '0', '0'])
  expect(rows.get('errors')).toEqual(['0', '0', '66 (66 died with it)'])
  expect(rows.get('remote takes')).toEqual(['-', '90', '90'])
  expect(rows.get('next holder after')).toEqual(['-', '-', '1.9 s'])
})

test('the table fits a terminal of 80 columns', () => {
  const lines = resultTable(ACTS.map((plan) => act(plan))).split('\n')
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
})

test('the last words say what happened in each act', () => {
  const words = closingSentence(
    ACTS.map((plan) => act(plan)),
    1_000,
    3,
  )
  expect(words).toContain('3 servers sold 4,000 of 1,000: 3,000 buyers paid for nothing')
  expect(words).toContain('With a lock they sold 1,000')
  expect(words).toContain('another server went on 1.9 s later')
})
