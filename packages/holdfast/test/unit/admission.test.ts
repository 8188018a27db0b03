/**
 * The one rule and what to watch, against the sentences of the design taken literally: slow, obvious, and written
 * without looking at the implementation.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { blockers, EXCLUSIVE, freeSlot, openCount, type Weighed } from '../../src/admission.ts'

const RUNS = 2000

const claim = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 }))
  .map(([one, other]): Weighed => ({ weight: Math.min(one, other), capacity: Math.max(one, other) }))
const readWrite = fc.boolean().map((writes): Weighed => ({ weight: writes ? EXCLUSIVE : 1, capacity: EXCLUSIVE }))
const lines = fc.oneof(fc.array(claim, { maxLength: 9 }), fc.array(readWrite, { maxLength: 9 }))

const weigh = (claims: readonly Weighed[]): number => claims.reduce((sum, { weight }) => sum + weight, 0)
const smallest = (claims: readonly Weighed[]): number => Math.min(...claims.map(({ capacity }) => capacity))

/** A claim is open when the weights ahead of it plus its own fit the smallest capacity among them and itself. */
function isOpen(line: readonly Weighed[], index: number): boolean {
  const upTo = line.slice(0, index + 1)
  return weigh(upTo) <= smallest(upTo)
}

function subsets(positions: readonly number[]): number[][] {
  const masks = Array.from({ length: 2 ** positions.length }, (_, mask) => mask)
  return masks.map((mask) => positions.filter((_, at) => (mask & (2 ** at)) > 0))
}

function pick(line: readonly Weighed[], positions: readonly number[]): Weighed[] {
  return positions.flatMap((position) => line[position] ?? [])
}

describe('who is open', () => {
  test('as many are open as the sentence says of each by itself, and they are a prefix', () => {
    const property = fc.property(lines, (line) => {
      const open = line.map((_, index) => isOpen(line, index))
      const count = openCount(line)
      expect(open).toEqual(line.map((_, index) => index < count))
    })
    fc.assert(property, { numRuns: RUNS })
  })

  test('no more is open than any open claim believes', () => {
    const property = fc.property(lines, (line) => {
      const open = line.slice(0, openCount(line))
      for (const { capacity } of open) expect(weigh(open)).toBeLessThanOrEqual(capacity)
    })
    fc.assert(property, { numRuns: RUNS })
  })

  test('the first of a line is always open', () => {
    fc.assert(fc.property(lines, (line) => openCount(line) > 0 || line.length === 0))
  })

  test('nothing granted is taken back by whoever comes, leaves or becomes lighter', () => {
    const change = fc.oneof(
      fc.record({ kind: fc.constant('enter' as const), claim }),
      fc.record({ kind: fc.constant('leave' as const), at: fc.nat() }),
      fc.record({ kind: fc.constant('shrink' as const), at: fc.nat(), weight: fc.integer({ min: 1, max: 6 }) }),
    )
    const property = fc.property(
      fc.array(claim, { maxLength: 5 }),
      fc.array(change, { maxLength: 25 }),
      (first, all) => {
        let line: { readonly claim: Weighed; open: boolean }[] = first.map((one) => ({ claim: one, open: false }))
        const look = (): void => {
          const count = openCount(line.map((one) => one.claim))
          for (const [index, one] of line.entries()) {
            expect(one.open && index >= count).toBe(false)
            one.open = index < count
          }
        }
        look()
        for (const each of all) {
          if (each.kind === 'enter') line.push({ claim: each.claim, open: false })
          else if (line.length > 0) {
            const at = each.at % line.length
            const one = line[at]
            if (each.kind === 'leave') line = line.filter((_, index) => index !== at)
            else if (one !== undefined) {
              const lighter = { ...one.claim, weight: Math.min(each.weight, one.claim.weight) }
              line[at] = { claim: lighter, open: one.open }
            }
          }
          look()
        }
      },
    )
    fc.assert(property, { numRuns: RUNS })
  })

  test('readers share, a writer has the line for itself, and a reader behind a waiting writer waits', () => {
    const reader = { weight: 1, capacity: EXCLUSIVE }
    const writer = { weight: EXCLUSIVE, capacity: EXCLUSIVE }
    expect(openCount([reader, reader, reader])).toBe(3)
    expect(openCount([writer, reader])).toBe(1)
    expect(openCount([reader, writer, reader])).toBe(1)
    expect(openCount([reader, reader, writer, reader])).toBe(2)
  })

  test('one that believes 5 holds back those that believe 10, and none is an error', () => {
    const five = { weight: 1, capacity: 5 }
    const ten = { weight: 1, capacity: 10 }
    expect(openCount([...Array(7).fill(ten), five, ten])).toBe(7)
    expect(openCount([five, ...Array(9).fill(ten)])).toBe(5)
  })
})

describe('what a waiting claim watches', () => {
  test('an open claim watches nobody, a closed one somebody, each once and ahead of it', () => {
    const property = fc.property(lines, (line) => {
      for (const index of line.keys()) {
        const watched = blockers(line, index)
        expect(watched.length === 0).toBe(isOpen(line, index))
        expect(new Set(watched).size).toBe(watched.length)
        expect(watched.every((position) => position >= 0 && position < index)).toBe(true)
      }
    })
    fc.assert(property, { numRuns: RUNS })
  })

  test('those it watches weigh, with itself, more than the smallest capacity among them', () => {
    const property = fc.property(lines, (line) => {
      for (const index of line.keys()) {
        const watched = blockers(line, index)
        if (watched.length === 0) continue
        const together = pick(line, [...watched, index])
        expect(weigh(together)).toBeGreaterThan(smallest(together))
      }
    })
    fc.assert(property, { numRuns: RUNS })
  })

  test('while they all stand unchanged it cannot open, whoever else leaves or becomes lighter', () => {
    const property = fc.property(fc.array(claim, { maxLength: 7 }), (line) => {
      for (const index of line.keys()) {
        const watched = new Set(blockers(line, index))
        if (watched.size === 0) continue
        const others = [...line.keys()].filter((position) => position < index && !watched.has(position))
        for (const gone of subsets(others)) {
          const left = pick(
            line,
            [...Array(index + 1).keys()].filter((position) => !gone.includes(position)),
          )
          expect(isOpen(left, left.length - 1)).toBe(false)
          const lighter = line.slice(0, index + 1).map((one, at) => (gone.includes(at) ? { ...one, weight: 1 } : one))
          expect(isOpen(lighter, index)).toBe(false)
        }
      }
    })
    fc.assert(property, { numRuns: 500 })
  })

  test('they are the carrier of the smallest capacity, then the heaviest, then the nearest, and no more than needed', () => {
    const property = fc.property(lines, (line) => {
      for (const index of line.keys()) {
        const watched = blockers(line, index)
        if (watched.length === 0) continue
        const ahead = [...Array(index).keys()]
        const least = smallest(pick(line, [...ahead, index]))
        const own = line[index]
        const rest = [...watched]
        if ((own?.capacity ?? 0) > least) expect(line[rest.shift() ?? -1]?.capacity).toBe(least)
        const others = ahead
          .filter((position) => !(watched.includes(position) && !rest.includes(position)))
          .sort((a, b) => (line[b]?.weight ?? 0) - (line[a]?.weight ?? 0) || b - a)
        expect(rest).toEqual(others.slice(0, rest.length))
        const without = pick(line, [...watched.slice(0, -1), index])
        if (rest.length > 0) expect(weigh(without)).toBeLessThanOrEqual(least)
      }
    })
    fc.assert(property, { numRuns: RUNS })
  })

  test('a claim that is not in the line watches nobody', () => {
    expect(blockers([{ weight: 1, capacity: 1 }], 5)).toEqual([])
  })
})

describe('slots', () => {
  test('the free slot is the smallest that nobody has, and below the capacity of a claim that may open', () => {
    const property = fc.property(fc.uniqueArray(fc.nat({ max: 9 })), fc.nat({ max: 3 }), (taken, without) => {
      const slot = freeSlot([...taken, ...Array(without).fill(null)])
      expect(taken).not.toContain(slot)
      for (let smaller = 0; smaller < slot; smaller++) expect(taken).toContain(smaller)
      expect(slot).toBeLessThanOrEqual(taken.length)
    })
    fc.assert(property, { numRuns: RUNS })
  })
})
