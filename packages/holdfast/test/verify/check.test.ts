/** Both sides of each checker: true histories pass, and each kind of violation that is planted is found. */
import { describe, expect, test } from 'vitest'
import { check, type HistoryEvent, type Kind, lineOf, readHistory } from '../../src/verify/index.ts'
import { ended, historyOf, invoked, stamped } from './service.ts'

const LOCKS: readonly Kind[] = ['mutex', 'rwlock', 'semaphore', 'election']
const SEEDS = Array.from({ length: 30 }, (_, index) => index + 1)

describe.each(LOCKS)('%s', (kind) => {
  test('histories of a service that keeps its word pass', () => {
    for (const seed of SEEDS) {
      const history = historyOf({ kind, names: 2, processes: 5, operations: 200, unknown: 0.1, seed })
      const { violations, undecided, claims } = check(history)
      expect([seed, violations, undecided]).toEqual([seed, [], []])
      expect(claims).toBeGreaterThan(20)
    }
  })

  test('a second holder is found, by the sweep and by the search', () => {
    for (const seed of SEEDS) {
      const history = historyOf({ kind, names: 1, processes: 4, operations: 100, unknown: 0, seed })
      const rules = check(withSecondHolder(history)).violations.map(({ rule }) => rule)
      expect(rules).toContain('exclusion')
      expect(rules).toContain('linearizability')
    }
  })

  test('a fence that does not rise is found', () => {
    const history = historyOf({ kind, names: 1, processes: 4, operations: 100, unknown: 0, seed: 1 })
    const same = history.map((event) => ('fence' in event && event.fence !== null ? { ...event, fence: 7n } : event))
    expect(check(same, { rules: ['fence'] }).violations.map(({ rule }) => rule)).toContain('fence')
    if (kind !== 'semaphore') expect(check(same, { rules: ['linearizability'] }).violations).toHaveLength(1)
  })
})

/** Somebody who has it all while the first holder has it. */
function withSecondHolder(history: readonly HistoryEvent[]): readonly HistoryEvent[] {
  const at = history.findIndex(
    ({ type }, index) =>
      type === 'ok' && index > history.length / 2 && 'fence' in (history[index] ?? {}) && isAcquired(history, index),
  )
  const told = history[at]
  if (told?.type !== 'ok') throw new Error('nobody holds anything')
  const first = history.find((event) => event.type === 'invoke' && event.op === told.op)
  if (first?.type !== 'invoke') throw new Error('it was never asked for')
  const second = { process: 'q', op: 'q.1' }
  const added = [
    invoked({ ...first, ...second, shared: false, permits: 3, capacity: 3 }),
    ended({ ...second, fence: 10_000n }),
  ]
  return stamped([...history.slice(0, at + 1), ...added, ...history.slice(at + 1)])
}

function isAcquired(history: readonly HistoryEvent[], at: number): boolean {
  const told = history[at]
  return (
    told?.type === 'ok' &&
    history.some((event) => event.type === 'invoke' && event.op === told.op && event.action === 'acquire')
  )
}

test('a slot that two have is found', () => {
  const history = [1, 2].flatMap((number) => {
    const who = { process: `p${number}`, op: `p${number}.1` }
    return [invoked({ ...who, kind: 'semaphore' }), ended({ ...who, slot: 0, fence: BigInt(number) })]
  })
  expect(check(stamped(history)).violations.map(({ rule }) => rule)).toEqual(['slot'])
})

test('a loss that was told, and a death, end a claim', () => {
  const first = { process: 'a', op: 'a.1' }
  const second = { process: 'b', op: 'b.1' }
  const between: readonly HistoryEvent[][] = [
    [{ type: 'lost', ns: 0n, ...first }],
    [{ type: 'died', ns: 0n, process: 'a' }],
    [],
  ]
  const found = between.map((events) => {
    const history = [
      invoked(first),
      ended({ ...first, fence: 1n }),
      ...events,
      invoked(second),
      ended({ ...second, fence: 2n }),
    ]
    return check(stamped(history), { rules: ['exclusion'] }).violations.length
  })
  expect(found).toEqual([0, 0, 1])
})

test('a lease that may have ended is given to the next, and not before', () => {
  const [a, b] = [
    { process: 'a', op: 'a.1' },
    { process: 'b', op: 'b.1' },
  ]
  const taken = [invoked(a), ended({ ...a, fence: 1n })]
  const next = [invoked(b), ended({ ...b, fence: 2n })]
  const expired: HistoryEvent = { type: 'expired', ns: 0n, ...a }
  const outcome = (...events: readonly HistoryEvent[]): number =>
    check(stamped(events), { rules: ['linearizability'] }).violations.length
  expect(outcome(...taken, expired, ...next)).toBe(0)
  expect(outcome(...taken, ...next, expired)).toBe(1)
  expect(outcome(...taken, ...next)).toBe(1)
})

test('an acquire without an answer may hold the lock, and may not', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((process) => ({ process, op: `${process}.1` }))
  if (a === undefined || b === undefined || c === undefined) throw new Error('three are needed')
  const lost = [invoked(a), ended({ ...a, type: 'unknown' })]
  const failed = [invoked({ ...b, action: 'acquire' }), ended({ ...b, type: 'fail' })]
  const got = [invoked(c), ended({ ...c, fence: 3n })]
  expect(check(stamped([...lost, ...failed, ...got])).violations).toEqual([])
})

test('who was in line and is passed is found, where order is promised', () => {
  const [a, b] = [
    { process: 'a', op: 'a.1' },
    { process: 'b', op: 'b.1' },
  ]
  const queued: HistoryEvent = { type: 'queued', ns: 0n, ...a }
  const history = (...marks: readonly HistoryEvent[]): readonly HistoryEvent[] =>
    stamped([
      ...[invoked(a), ...marks, invoked(b), ended({ ...b, fence: 1n })],
      ...[
        invoked({ ...b, op: 'b.2', action: 'release', of: 'b.1' }),
        ended({ ...b, op: 'b.2' }),
        ended({ ...a, fence: 2n }),
      ],
    ])
  expect(check(history(queued), { rules: ['order'] }).violations).toHaveLength(1)
  expect(check(history(), { rules: ['order'] }).violations).toEqual([])
})

test('a latch that opens early is found, and one arrival counts once', () => {
  const arrive = (process: string, value: string): readonly HistoryEvent[] => {
    const who = { process, op: `${process}.${value}` }
    return [invoked({ ...who, kind: 'latch', action: 'arrive', capacity: 2, value }), ended(who)]
  }
  const waiter = { process: 'w', op: 'w.1' }
  const history = (...arrivals: readonly HistoryEvent[]): readonly HistoryEvent[] =>
    stamped([invoked({ ...waiter, kind: 'latch', action: 'await', capacity: 2 }), ...arrivals, ended(waiter)])
  expect(check(history(...arrive('a', '1'), ...arrive('b', '2'))).violations).toEqual([])
  const rules = check(history(...arrive('a', '1'), ...arrive('b', '1'))).violations.map(({ rule }) => rule)
  expect(rules.sort()).toEqual(['latch', 'linearizability'])
})

test('a barrier that lets one through early is found', () => {
  const who = (number: number): { process: string; op: string } => ({ process: `p${number}`, op: `p${number}.1` })
  const comes = (number: number): HistoryEvent =>
    invoked({ ...who(number), kind: 'barrier', action: 'await', capacity: 2 })
  const goes = (number: number): HistoryEvent => ended(who(number))
  expect(check(stamped([comes(1), comes(2), goes(1), goes(2)])).violations).toEqual([])
  expect(check(stamped([comes(1), comes(2), goes(1), goes(2), comes(3), goes(3)])).violations).toHaveLength(1)
})

test('an update that is lost is found in the data', () => {
  const write = (op: string, value: string): readonly HistoryEvent[] => {
    const who = { process: op, op }
    return [invoked({ ...who, kind: 'register', action: 'write', value }), ended(who)]
  }
  const read = (op: string, value: string | null): readonly HistoryEvent[] => {
    const who = { process: op, op }
    return [invoked({ ...who, kind: 'register', action: 'read' }), ended({ ...who, value })]
  }
  expect(check(stamped([...read('r0', null), ...write('w1', '1'), ...read('r1', '1')])).violations).toEqual([])
  const [violation] = check(stamped([...write('w1', '1'), ...write('w2', '2'), ...read('r1', '1')])).violations
  expect(violation?.rule).toBe('linearizability')
})

test('a counter-example is small', () => {
  const history = withSecondHolder(
    historyOf({ kind: 'mutex', names: 1, processes: 5, operations: 400, unknown: 0.05, seed: 3 }),
  )
  const [violation] = check(history, { rules: ['linearizability'] }).violations
  expect(violation?.operations.filter(({ action }) => action === 'acquire').length).toBeLessThanOrEqual(3)
})

test('10,000 operations of 20 names and 10 processes, 5 % without an answer, are ordered', () => {
  const history = historyOf({ kind: 'mutex', names: 20, processes: 10, operations: 10_000, unknown: 0.05, seed: 5 })
  const startMs = performance.now()
  const { violations, undecided, operations } = check(history)
  expect([violations, undecided]).toEqual([[], []])
  expect(operations).toBeGreaterThan(9_000)
  console.info(`${operations} operations: ${Math.round(performance.now() - startMs)} ms`)
})

test('lines go there and back', () => {
  const history = historyOf({ kind: 'semaphore', names: 2, processes: 3, operations: 50, unknown: 0.2, seed: 9 })
  expect(readHistory(history.map(lineOf).join('\n'))).toEqual(history)
})
