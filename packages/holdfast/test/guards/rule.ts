/**
 * The rule that all guards keep, as tests of any one: held against a plain model of two numbers, over random orders of
 * entering and over fences that a double cannot tell apart.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Lease } from '../../src/api.ts'
import { isHoldfastError } from '../../src/errors.ts'
import { exclusive, shared } from './leases.ts'

interface Entry {
  readonly fence: bigint
  readonly shared: boolean
}
type Enter = (entry: Entry) => Promise<void>

const LARGEST = 2n ** 63n - 1n
/** Neighbours that are equal as doubles, the ends of the range, and fences of our own time. */
const BASES = [1n, 2n ** 53n, 1_800_000_000_000_000n * 1024n, LARGEST - 4n]
const entries: fc.Arbitrary<Entry> = fc
  .tuple(fc.constantFrom(...BASES), fc.bigInt({ min: 0n, max: 4n }), fc.boolean())
  .map(([base, step, isShared]) => ({ fence: base + step, shared: isShared }))

/** What the two numbers say: null to pass, else the fence that refuses. */
class Model {
  write = 0n
  read = 0n
  enter({ fence, shared: isShared }: Entry): bigint | null {
    if (isShared) {
      if (fence < this.write) return this.write
      this.read = fence > this.read ? fence : this.read
      return null
    }
    if (fence < this.write && this.read <= this.write) return this.write
    if (fence < this.read) return this.read
    this.write = fence
    return null
  }
}

async function answerOf(enter: Enter, entry: Entry): Promise<bigint | null> {
  try {
    await enter(entry)
    return null
  } catch (error) {
    if (isHoldfastError(error, 'STALE_FENCE')) return error.fence
    throw error
  }
}

/** A guard for a resource that nobody has entered yet. */
export type MakeGuard = () => (lease: Lease) => Promise<void>

const leaseOf = ({ fence, shared: isShared }: Entry): Lease => (isShared ? shared(fence) : exclusive(fence))

export function describeRule(name: string, makeGuard: MakeGuard): void {
  const make = (): Enter => {
    const enter = makeGuard()
    return (entry) => enter(leaseOf(entry))
  }
  describe(name, () => {
    test('lets in and refuses as the two fences say, and names the fence that refuses', async () => {
      let refused = 0
      let passed = 0
      const orders = fc.array(entries, { minLength: 1, maxLength: 12 })
      await fc.assert(
        fc.asyncProperty(orders, async (order) => {
          const enter = make()
          const model = new Model()
          for (const entry of order) {
            const expected = model.enter(entry)
            expect(await answerOf(enter, entry)).toBe(expected)
            if (expected === null) passed++
            else refused++
          }
        }),
        { numRuns: 40 },
      )
      expect(refused).toBeGreaterThan(20)
      expect(passed).toBeGreaterThan(20)
    }, 30_000)

    test.each(BASES)('tells %d from its successor, which a double may not', async (fence) => {
      const enter = make()
      await enter({ fence: fence + 1n, shared: false })
      expect(await answerOf(enter, { fence, shared: false })).toBe(fence + 1n)
      expect(await answerOf(enter, { fence, shared: true })).toBe(fence + 1n)
      expect(await answerOf(enter, { fence: fence + 1n, shared: false })).toBeNull()
    })

    test('readers of any order share, and a writer below one of them is refused', async () => {
      const enter = make()
      await enter({ fence: 7n, shared: true })
      await enter({ fence: 5n, shared: true })
      expect(await answerOf(enter, { fence: 6n, shared: false })).toBe(7n)
      expect(await answerOf(enter, { fence: 7n, shared: false })).toBeNull()
      expect(await answerOf(enter, { fence: 6n, shared: true })).toBe(7n)
    })

    test('the same lease enters as often as it likes', async () => {
      const enter = make()
      for (let times = 0; times < 3; times++) {
        expect(await answerOf(enter, { fence: 9n, shared: false })).toBeNull()
      }
    })
  })
}
