/** Numbers: they rise, they stay below their bounds for the clocks of 2090, and they are never made floats. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { memory } from '../../src/backends/memory/index.ts'
import { birthSeq, nextSeq } from '../../src/backends/rules.ts'
import { HoldfastObject } from '../../src/holdfast.ts'
import { systemRandom } from '../../src/random.ts'
import { StillClock } from './still-clock.ts'

const END_OF_2090_MS = Date.UTC(2091, 0, 1) - 1
const MAX_TTL_MS = 600_000
/** What a hand-over adds at most. */
const COUNT_MAX = 1023

const wall = fc.integer({ min: Date.UTC(2024, 0, 1), max: END_OF_2090_MS })
const ttl = fc.integer({ min: 1000, max: MAX_TTL_MS })

const fenceOf = (seq: number, count: number): bigint => BigInt(seq) * 1024n + BigInt(count)

test('until the end of 2090 every number is below 2^53 and every fence below 2^63, also after a birth and many takes', () => {
  const property = fc.property(
    wall,
    ttl,
    fc.nat({ max: 10_000_000 }),
    fc.nat({ max: COUNT_MAX }),
    (at, maxTtl, takes, count) => {
      const born = birthSeq(0, at, maxTtl)
      const seq = nextSeq(born + takes, 0, at)
      expect(seq).toBeLessThan(2 ** 53)
      const fence = fenceOf(seq, count)
      expect(fence).toBeLessThan(2n ** 63n)
      expect(BigInt.asIntN(64, fence)).toBe(fence)
    },
  )
  fc.assert(property, { numRuns: 2000 })
})

test('a number is above the last, not below what its taker has seen, and not behind the clock', () => {
  const last = fc.integer({ min: 0, max: 4_000_000_000_000_000 })
  const property = fc.property(last, last, wall, (stored, seen, at) => {
    const seq = nextSeq(stored, seen, at)
    expect(seq).toBeGreaterThan(stored)
    expect(seq).toBeGreaterThanOrEqual(seen)
    expect(seq).toBeGreaterThanOrEqual(at * 1000)
    expect([stored + 1, seen, at * 1000]).toContain(seq)
  })
  fc.assert(property, { numRuns: 2000 })
})

test('numbers rise whatever the clock does', () => {
  const steps = fc.array(fc.integer({ min: -86_400_000, max: 86_400_000 }), { maxLength: 30 })
  const property = fc.property(wall, ttl, steps, (start, maxTtl, jumps) => {
    let last = birthSeq(0, start, maxTtl)
    for (const jump of jumps) {
      const seq = nextSeq(last, 0, start + jump)
      expect(seq).toBeGreaterThan(last)
      last = seq
    }
  })
  fc.assert(property)
})

test('numbers rise through a loss of data if the clock afterwards is behind by less than the largest ttl', () => {
  const property = fc.property(wall, ttl, fc.nat({ max: MAX_TTL_MS - 1 }), (at, maxTtl, behind) => {
    fc.pre(behind < maxTtl)
    // The lost store was older than the largest ttl, so its numbers had fallen in with the clock.
    const last = nextSeq(birthSeq(0, at - maxTtl - 1, maxTtl), 0, at)
    const clock = at - behind
    expect(nextSeq(birthSeq(0, clock, maxTtl), 0, clock)).toBeGreaterThan(last)
  })
  fc.assert(property)
})

test('a number that would not be below 2^53 is refused, not rounded', () => {
  expect(() => nextSeq(2 ** 53 - 1, 0, 0)).toThrow(RangeError)
  expect(() => nextSeq(0, 2 ** 53, 0)).toThrow(RangeError)
  expect(nextSeq(2 ** 53 - 2, 0, 0)).toBe(2 ** 53 - 1)
})

test('the fences of one claim are all below those of the next number', () => {
  const property = fc.property(fc.integer({ min: 1, max: 2 ** 53 - 2 }), fc.nat({ max: COUNT_MAX }), (seq, count) => {
    expect(fenceOf(seq, count)).toBeLessThan(fenceOf(seq + 1, 0))
    expect(fenceOf(seq, count)).toBeGreaterThanOrEqual(fenceOf(seq, 0))
  })
  fc.assert(property)
})

test('an object whose clock shows the last minute of 2090 gives fences that fit, and that rise by one a hand-over', async () => {
  const clock = new StillClock(END_OF_2090_MS - 60_000)
  const options = { namespace: 'late', maxTtl: '10m' } as const
  const locks = new HoldfastObject(memory(), options, { clock, random: systemRandom })
  const lock = locks.mutex('thing')
  const fences = await Promise.all(Array.from({ length: 1100 }, () => lock.run(({ fence }) => fence)))
  for (const [index, fence] of fences.entries()) {
    expect(fence).toBeGreaterThan(fences[index - 1] ?? 0n)
    expect(fence).toBeLessThan(2n ** 63n)
    expect(fence >> 10n).toBeGreaterThanOrEqual(BigInt(END_OF_2090_MS - 60_000) * 1000n)
  }
  expect((fences[1] ?? 0n) - (fences[0] ?? 0n)).toBe(1n)
  const lease = await lock.acquire()
  expect(JSON.parse(JSON.stringify(lease)).fence).toBe(String(lease.fence))
  await locks.close()
})

describe('in JSON a fence is a decimal string', () => {
  test('that gives the same number back, which a float would not', () => {
    const property = fc.property(wall, fc.nat({ max: COUNT_MAX }), (at, count) => {
      const fence = fenceOf(at * 1000, count)
      const text = String(fence)
      expect(text).toMatch(/^[1-9]\d{17,18}$/)
      expect(BigInt(JSON.parse(JSON.stringify({ fence: text })).fence)).toBe(fence)
    })
    fc.assert(property)
    const now = fenceOf(1_800_000_000_000_000, 1)
    expect(BigInt(Number(now))).not.toBe(now)
  })

  test('texts of fences compare by length, then by text', () => {
    const two = fc.tuple(wall, fc.nat({ max: COUNT_MAX }))
    const property = fc.property(two, two, ([a, m], [b, n]) => {
      const [one, other] = [fenceOf(a * 1000, m), fenceOf(b * 1000, n)]
      const [left, right] = [String(one), String(other)]
      const below = left.length !== right.length ? left.length < right.length : left < right
      expect(below).toBe(one < other)
    })
    fc.assert(property)
  })
})
