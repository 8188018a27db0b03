/** The watch over a running command, on a virtual clock: what is sent to the group, and when. */
import { beforeEach, describe, expect, test } from 'vitest'
import { graceOf, type Limits } from '../../src/cli/ladder.ts'
import { Watch } from '../../src/cli/watch.ts'
import { VirtualClock } from './virtual-clock.ts'
import { FakeGroup, FakeLease } from './watched-command.ts'

const TTL_MS = 15_000
let clock: VirtualClock
let lease: FakeLease
let group: FakeGroup
let heard: { readonly limits: Limits; readonly told: boolean }[]

beforeEach(() => {
  clock = new VirtualClock()
  lease = new FakeLease(clock, TTL_MS)
  group = new FakeGroup(clock)
  heard = []
})

function watchFor(graceMs = 5000, maxHoldMs: number | null = null): Watch {
  return new Watch({
    clock,
    lease,
    group,
    grace: graceOf(graceMs, TTL_MS, maxHoldMs),
    hardEndAtMs: maxHoldMs === null ? null : clock.monotonicMs() + maxHoldMs,
    onLimits: (limits, told) => heard.push({ limits, told }),
  })
}

test('a lock that is renewed disturbs nobody', () => {
  const watch = watchFor()
  for (let beat = 0; beat < 20; beat++) {
    clock.advance(TTL_MS / 3)
    lease.renew(TTL_MS)
  }
  expect(group.signals).toEqual([])
  expect(watch.told).toBeNull()
})

describe('a lock that is not renewed', () => {
  test('has the group told at the grace and killed before the end', async () => {
    const watch = watchFor()
    clock.advance(TTL_MS)
    expect(group.at('SIGTERM')).toBe(10_000)
    expect(group.at('SIGKILL')).toBe(14_900)
    expect(watch.told).toBe('not-renewed')
    clock.advance(100)
    await expect(watch.over).resolves.toBe('gone')
  })

  test('wakes what is stopped, or it could not hear that it should end', () => {
    watchFor()
    clock.advance(TTL_MS)
    expect(group.at('SIGCONT')).toBe(10_000)
  })

  test('is over as soon as the group is gone, and nothing is killed after that', async () => {
    const watch = watchFor()
    group.diesOf = new Set(['SIGTERM'])
    clock.advance(10_100)
    await expect(watch.over).resolves.toBe('gone')
    clock.advance(TTL_MS)
    expect(group.at('SIGKILL')).toBeNull()
    expect(clock.timers).toBe(0)
  })

  test('is not over while something of the group is left', async () => {
    const watch = watchFor()
    clock.advance(14_000)
    await expect(Promise.race([watch.over, Promise.resolve('open')])).resolves.toBe('open')
  })

  test('that is renewed after SIGTERM moves SIGKILL on, but the command stays told', () => {
    const watch = watchFor()
    clock.advance(12_000)
    lease.renew(TTL_MS)
    clock.advance(10_000)
    expect(group.at('SIGKILL')).toBeNull()
    expect(watch.told).toBe('not-renewed')
    expect(group.signals.filter(({ signal }) => signal === 'SIGTERM')).toHaveLength(1)
  })

  test('with a grace of nothing is killed untold', () => {
    watchFor(0)
    clock.advance(TTL_MS)
    expect(group.at('SIGTERM')).toBeNull()
    expect(group.at('SIGKILL')).toBe(14_900)
  })
})

test('the hard end comes however well the lock is renewed', () => {
  const watch = watchFor(8000, 60_000)
  for (let beat = 0; beat < 12; beat++) {
    clock.advance(TTL_MS / 3)
    lease.renew(TTL_MS)
  }
  expect(group.at('SIGTERM')).toBe(52_000)
  expect(group.at('SIGKILL')).toBe(59_900)
  expect(watch.told).toBe('max-hold')
})

test('a lock that is not renewed long before its hard end is lost for that and not for the end', () => {
  const watch = watchFor(5000, 600_000)
  clock.advance(TTL_MS)
  expect(watch.told).toBe('not-renewed')
})

describe('a lock released by force', () => {
  test('has the group told in the same turn and killed after the grace', () => {
    const watch = watchFor()
    clock.advance(1000)
    lease.lose('revoked')
    expect(group.at('SIGTERM')).toBe(1000)
    clock.advance(5000)
    expect(group.at('SIGKILL')).toBe(6000)
    expect(watch.told).toBe('revoked')
  })
})

describe('this process stopped', () => {
  test('past the end: the first look kills, without a word', () => {
    const watch = watchFor()
    clock.stall(TTL_MS + 1000)
    watch.look()
    expect(group.signals.map(({ signal }) => signal)).toEqual(['SIGKILL'])
  })

  test('into the grace: the first look tells', () => {
    const watch = watchFor()
    clock.stall(11_000)
    watch.look()
    expect(group.signals.map(({ signal }) => signal)).toEqual(['SIGTERM', 'SIGCONT'])
  })

  test('for a moment: nothing', () => {
    const watch = watchFor()
    clock.stall(5000)
    watch.look()
    expect(group.signals).toEqual([])
  })
})

describe('a lock in doubt, because another clock says that its time is over,', () => {
  test('is asked about once and kept when the store confirms it', async () => {
    watchFor()
    lease.inDoubt = true
    lease.confirmWith = async () => {
      lease.inDoubt = false
    }
    clock.advance(200)
    await Promise.resolve()
    await Promise.resolve()
    clock.advance(1000)
    expect(lease.confirms).toBe(1)
    expect(group.signals).toEqual([])
  })

  test('has the group killed when the store says nothing for a quarter of a second', () => {
    watchFor()
    lease.inDoubt = true
    lease.confirmWith = () => new Promise(() => {})
    clock.advance(1000)
    expect(group.at('SIGKILL')).toBe(450)
    expect(lease.confirms).toBe(1)
  })

  test('is noticed within a fifth of a second although no timer of ours ran while the machine slept', () => {
    watchFor()
    clock.advance(1000)
    lease.inDoubt = true
    clock.advance(200)
    expect(lease.confirms).toBe(1)
  })
})

test('what outlives SIGKILL is given up after two seconds', async () => {
  const watch = watchFor()
  group.diesOf = new Set()
  clock.advance(TTL_MS + 2000)
  await expect(watch.over).resolves.toBe('stuck')
  expect(clock.timers).toBe(0)
})

test('a watch that was stopped looks no more', () => {
  const watch = watchFor()
  watch.stop()
  clock.advance(2 * TTL_MS)
  lease.lose('revoked')
  expect(group.signals).toEqual([])
  expect(clock.timers).toBe(0)
})

describe('the watchdog', () => {
  test('hears the limits at the start, at each renewal, and that the command was told', () => {
    watchFor()
    const startMs = clock.monotonicMs()
    expect(heard).toEqual([{ limits: { termAtMs: startMs + 10_000, killAtMs: startMs + 14_900 }, told: false }])
    clock.advance(5000)
    lease.renew(TTL_MS)
    clock.advance(1000)
    expect(heard).toHaveLength(2)
    clock.advance(9500)
    expect(heard.map(({ told }) => told)).toEqual([false, false, true])
  })
})
