/** Histories that come from elsewhere: what is no event is named, and what contradicts itself is refused. */
import { expect, test } from 'vitest'
import { check, type HistoryEvent, pictureOf, readHistory } from '../../src/verify/index.ts'
import { ended, historyOf, invoked, stamped } from './service.ts'

const EVENT = { ns: '1', process: 'a', type: 'invoke', op: 'a1', kind: 'mutex', name: 'x', action: 'acquire' }

test('what is left out is null, false or 1', () => {
  expect(readHistory(`\n${JSON.stringify(EVENT)}\n\n`)).toEqual([
    { ...EVENT, ns: 1n, shared: false, permits: 1, capacity: 1, of: null, value: null },
  ])
})

test.each([
  ['{', /line 2 is no event/],
  ['[]', /no object/],
  ['null', /no object/],
  [JSON.stringify({ ...EVENT, type: 'done' }), /its type is "done"/],
  [JSON.stringify({ ...EVENT, ns: '-1' }), /ns is no whole number/],
  [JSON.stringify({ ...EVENT, ns: 1.5 }), /ns is no whole number/],
  [JSON.stringify({ ...EVENT, ns: '9'.repeat(30) }), /at most 19 digits/],
  [JSON.stringify({ ...EVENT, process: 7 }), /process is no text: 7/],
  [JSON.stringify({ ...EVENT, kind: 'toString' }), /kind is none of mutex/],
  [JSON.stringify({ ...EVENT, action: '__proto__' }), /action is none of/],
  [JSON.stringify({ ...EVENT, permits: 0 }), /permits is no whole number from 1 on/],
  [JSON.stringify({ ...EVENT, capacity: '3' }), /capacity is no whole number/],
  [JSON.stringify({ ...EVENT, shared: 'no' }), /neither true nor false/],
  [`{"__proto__":${JSON.stringify(EVENT)}}`, /no whole number/],
  [JSON.stringify({ ...EVENT, name: 'x'.repeat(70_000) }), /more than 65536 characters/],
])('%.60s is no event', (line, why) => {
  expect(() => readHistory(`${JSON.stringify(EVENT)}\n${line}`)).toThrow(SyntaxError)
  expect(() => readHistory(`${JSON.stringify(EVENT)}\n${line}`)).toThrow(why)
})

const who = { process: 'a', op: 'a1' }
const release = invoked({ process: 'a', op: 'a2', action: 'release', of: 'a1' })
const CONTRADICTIONS: readonly (readonly [string, readonly HistoryEvent[], RegExp])[] = [
  ['an end without a beginning', [ended(who)], /goes on without having begun/],
  ['two ends', [invoked(who), ended(who), ended(who)], /ends twice/],
  ['two operations of one name', [invoked(who), invoked(who)], /names two operations/],
  ['a release of nothing', [release], /releases what was not acquired/],
  ['a release of another thing', [invoked({ ...who, name: 'b' }), release], /releases what was not acquired/],
]
test.each(CONTRADICTIONS)('%s contradicts itself', (_, events, why) => {
  expect(() => check(stamped(events))).toThrow(RangeError)
  expect(() => check(stamped(events))).toThrow(why)
})

test('a clock that goes back is refused', () => {
  expect(() => check([invoked({ ...who, ns: 5n }), ended({ ...who, ns: 4n })])).toThrow(/the clock goes back at 4 ns/)
})

test('a search that would take too much says that it does not know', () => {
  const history = historyOf({ kind: 'mutex', names: 1, processes: 5, operations: 200, unknown: 0.2, seed: 4 })
  expect(check(history, { statesMax: 10 })).toMatchObject({ violations: [], undecided: ['n0'] })
})

test('100,000 events are swept', () => {
  const history = historyOf({ kind: 'rwlock', names: 50, processes: 40, operations: 60_000, unknown: 0.02, seed: 6 })
  expect(history.length).toBeGreaterThan(100_000)
  const startMs = performance.now()
  expect(check(history, { rules: ['exclusion', 'slot', 'fence', 'order'] }).violations).toEqual([])
  const tookMs = performance.now() - startMs
  console.info(`${history.length} events: ${Math.round(tookMs)} ms`)
})

test('a picture has a line for each operation, and hostile names do not escape from it', () => {
  const events = [
    invoked({ process: '\u001b[31mred\n', op: '1' }),
    invoked({ process: 'b', op: '2' }),
    ended({ process: 'b', op: '2', fence: 3n }),
  ]
  const [violation] = check(stamped([...events, ended({ process: '\u001b[31mred\n', op: '1', fence: 3n })]), {
    rules: ['exclusion'],
  }).violations
  const picture = pictureOf(violation?.operations ?? [])
  expect(picture.split('\n')).toHaveLength(4)
  expect(picture).not.toMatch(/[^\x20-\x7e\n]/)
  expect(picture).toContain('fence 3')
})
