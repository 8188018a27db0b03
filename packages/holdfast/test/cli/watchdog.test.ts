/** The second process: what it does when the first says nothing more. */
import { beforeEach, describe, expect, test } from 'vitest'
import { read, Watchdog, written } from '../../src/cli/watchdog.ts'
import { VirtualClock } from './virtual-clock.ts'
import { FakeGroup } from './watched-command.ts'

let clock: VirtualClock
let group: FakeGroup
let watchdog: Watchdog

beforeEach(() => {
  clock = new VirtualClock()
  group = new FakeGroup(clock)
  watchdog = new Watchdog(clock, () => group)
})

function tell(termInMs: number, killInMs: number, told = false): void {
  const nowMs = clock.monotonicMs()
  const limits = { termAtMs: nowMs + termInMs, killAtMs: nowMs + killInMs }
  watchdog.hear(written({ group: 77, limits, graceMs: 5000, told }).trimEnd())
}

test('a word survives the pipe', () => {
  const word = { group: 77, limits: { termAtMs: 123.25, killAtMs: 456.5 }, graceMs: 666, told: true }
  expect(read(written(word).trimEnd())).toEqual(word)
})

test.each(['', 'x', '0 1 2 3 0', '1 1 2 3 0', '-5 1 2 3 0', '7.5 1 2 3 0', '77 1'])('%j is no word', (line) => {
  expect(read(line)).toBeNull()
})

test('it acts a little after the limits and before the end, for whoever told them acts at them', () => {
  tell(10_000, 14_900)
  clock.advance(10_099)
  expect(group.signals).toEqual([])
  clock.advance(20_000)
  expect(group.at('SIGTERM')).toBe(10_100)
  expect(group.at('SIGKILL')).toBe(14_950)
})

test('each word replaces the one before', () => {
  for (let beat = 0; beat < 5; beat++) {
    tell(10_000, 14_900)
    clock.advance(5000)
  }
  expect(group.signals).toEqual([])
})

test('a command that was told is not told twice', () => {
  tell(10_000, 14_900)
  clock.advance(9000)
  tell(0, 5900, true)
  clock.advance(20_000)
  expect(group.at('SIGTERM')).toBeNull()
  expect(group.at('SIGKILL')).toBe(14_950)
})

describe('when the other one dies', () => {
  test('the command is told at once and killed after the grace', () => {
    tell(10_000, 14_900)
    clock.advance(1000)
    watchdog.endOfWords()
    clock.advance(20_000)
    expect(group.at('SIGTERM')).toBe(1000)
    expect(group.at('SIGKILL')).toBe(6000)
  })

  test('the command never lives longer than the lock', () => {
    tell(10_000, 14_900)
    clock.advance(9500)
    tell(500, 3000)
    watchdog.endOfWords()
    clock.advance(20_000)
    expect(group.at('SIGKILL')).toBe(12_500)
  })

  test('a command that ends when told is left in peace', () => {
    tell(10_000, 14_900)
    group.diesOf = new Set(['SIGTERM'])
    watchdog.endOfWords()
    clock.advance(20_000)
    expect(group.signals.map(({ signal }) => signal)).toEqual(['SIGTERM', 'SIGCONT'])
    expect(clock.timers).toBe(0)
  })

  test('before it said anything, there is nothing to do', () => {
    watchdog.endOfWords()
    clock.advance(20_000)
    expect(group.signals).toEqual([])
  })
})

test('after the farewell nothing is done and nothing waits', () => {
  tell(10_000, 14_900)
  watchdog.hear('done')
  watchdog.endOfWords()
  clock.advance(20_000)
  expect(group.signals).toEqual([])
  expect(clock.timers).toBe(0)
})
