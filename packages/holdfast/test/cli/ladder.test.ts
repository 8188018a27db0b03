/** When a command is told and ended, as numbers. */
import { describe, expect, test } from 'vitest'
import { graceOf, KILL_MARGIN_MS, limitsOnceLost, limitsWhileHeld } from '../../src/cli/ladder.ts'

describe('the grace', () => {
  test('is at most a third of the ttl when the lock is lost, so that one missed beat tells nobody', () => {
    expect(graceOf(5000, 15_000, null).lossMs).toBe(5000)
    expect(graceOf(5000, 2000, null).lossMs).toBe(666)
    expect(graceOf(30_000, 15_000, null).lossMs).toBe(5000)
    expect(graceOf(100, 15_000, null).lossMs).toBe(100)
  })

  test('is at most half of the time that the lock may be held at all', () => {
    expect(graceOf(30_000, 15_000, 300_000).hardEndMs).toBe(30_000)
    expect(graceOf(5000, 15_000, 3000).hardEndMs).toBe(1500)
  })
})

describe('while the lock is held', () => {
  const grace = graceOf(5000, 15_000, null)

  test('SIGTERM is due at the grace and SIGKILL at the margin before the end of what is known', () => {
    expect(limitsWhileHeld(1000, 14_000, null, grace)).toEqual({ termAtMs: 10_000, killAtMs: 15_000 - KILL_MARGIN_MS })
  })

  test('both are due by the hard end when that comes first', () => {
    const short = graceOf(8000, 15_000, 60_000)
    expect(limitsWhileHeld(50_000, 14_000, 61_000, short)).toEqual({
      termAtMs: 53_000,
      killAtMs: 61_000 - KILL_MARGIN_MS,
    })
  })

  test.each([
    [3000, 2968],
    [5000, 4948],
    [3_600_000, 10_000],
  ])(
    'a grace that the hard end leaves room for is not cut to that of a loss: --max-hold of %i ms',
    (maxHoldMs, validForMs) => {
      const grace = graceOf(5000, 15_000, maxHoldMs)
      const hardEndAtMs = 1000 + validForMs + 0.01 * maxHoldMs
      const endMs = 1000 + validForMs
      expect(limitsWhileHeld(1000, validForMs, hardEndAtMs, grace)).toEqual({
        termAtMs: endMs - Math.min(5000, maxHoldMs / 2),
        killAtMs: endMs - KILL_MARGIN_MS,
      })
    },
  )

  test('an end of validity before the hard end counts for SIGKILL, also when SIGTERM is due by the hard end', () => {
    const long = graceOf(30_000, 15_000, 60_000)
    expect(limitsWhileHeld(30_000, 10_000, 61_000, long)).toEqual({ termAtMs: 31_000, killAtMs: 39_900 })
  })
})

describe('once the lock is lost', () => {
  const grace = graceOf(5000, 15_000, null)
  const last = { termAtMs: 20_000, killAtMs: 25_000 }

  test.each(['revoked', 'forgotten'] as const)('%s: told at once and given the grace', (reason) => {
    expect(limitsOnceLost(1000, reason, last, grace)).toEqual({ termAtMs: 1000, killAtMs: 6000 })
  })

  test.each(['revoked', 'forgotten'] as const)('%s: never longer than the lock would have lasted', (reason) => {
    expect(limitsOnceLost(24_000, reason, last, grace)).toEqual({ termAtMs: 24_000, killAtMs: 25_000 })
  })

  test.each(['expired', 'max-hold', 'stalled', 'closed'] as const)('%s: ended at once', (reason) => {
    expect(limitsOnceLost(1000, reason, last, grace).killAtMs).toBe(1000)
  })
})
