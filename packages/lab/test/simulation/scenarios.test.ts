/**
 * Single promises of Holdfast, each in a small plan of its own and in many seeds: who is served when, and what a
 * process knows of its leases after it stood still.
 */
import { expect, test } from 'vitest'
import { Dice } from '../../src/simulation/dice.ts'
import { runHistory } from '../../src/simulation/history.ts'
import { NO_WORK } from '../../src/simulation/operation-generator.ts'
import type { Fault, LockOperation, Operation, Plan } from '../../src/simulation/plan.ts'
import type { World } from '../../src/simulation/world.ts'

const SEEDS = 25
const TRIP_MS = 10

function planOf(seed: number, places: number, operations: readonly Operation[], faults: readonly Fault[] = []): Plan {
  return {
    seed,
    calm: faults.length === 0,
    ordered: true,
    maxTtlMs: 3000,
    quarantine: false,
    serverRate: 1,
    weather: { delayMs: [0.5, TRIP_MS / 2], slow: 0, slowMs: 0, loss: 0, twice: 0, twiceMs: 0, hintLoss: 0 },
    processes: Array.from({ length: places }, () => {
      return { ttlMs: 1500, front: { passes: 16, sliceMs: 50, lingerMs: 0 }, rate: 1, parks: true }
    }),
    operations,
    faults,
    healMs: Math.max(...operations.map(({ atMs }) => atMs), ...faults.map(({ atMs }) => atMs)) + 4000,
  }
}

function take(id: number, place: number, atMs: number, ms: number, more: Partial<LockOperation> = {}): LockOperation {
  return {
    kind: 'lock',
    id,
    place,
    atMs,
    thing: { type: 'mutex', name: 'n' },
    verb: 'run',
    waitMs: 20_000,
    maxHoldMs: null,
    fair: false,
    detached: false,
    abort: null,
    work: { ...NO_WORK, ms, acts: 1 },
    ...more,
  }
}

/** Runs the plan of every seed; the world is looked at before anybody closes. */
async function inEach(plan: (dice: Dice, seed: number) => Plan, look: (world: World) => void): Promise<void> {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { verdicts } = await runHistory(plan(new Dice(seed, 9), seed), false, { inspect: look })
    expect(verdicts).toEqual([])
  }
}

function servedMs(world: World, operation: number): number {
  return world.served.find((grant) => grant.operation === operation)?.atMs ?? Number.NaN
}

test('with `fair: true` nobody of four processes is served before one who came earlier', async () => {
  await inEach(
    (dice, seed) => {
      const warm = Array.from({ length: 4 }, (_, place) => take(place, place, 0, 1, { fair: true }))
      let atMs = 200
      const rest = Array.from({ length: 60 }, (_, index) => {
        // Further apart than a message can be late, and much closer together than a section is long.
        atMs += TRIP_MS + dice.fraction() * 5
        return take(4 + index, dice.whole(0, 3), atMs, 25, { fair: true })
      })
      return planOf(seed, 4, [...warm, ...rest])
    },
    (world) => {
      const order = world.served.map(({ operation }) => operation).filter((operation) => operation >= 4)
      expect(order).toEqual([...order].sort((a, b) => a - b))
      expect(order).toHaveLength(60)
    },
  )
})

test('a neighbour waits a slice, a round trip and the running section, however many tasks stand before it', async () => {
  const sectionMs = 8
  await inEach(
    (_dice, seed) => {
      const many = Array.from({ length: 150 }, (_, index) => take(index, 0, 100, sectionMs))
      return planOf(seed, 2, [take(998, 1, 0, 1), ...many, take(999, 1, 300, 1)])
    },
    (world) => {
      const waitedMs = servedMs(world, 999) - 300
      // Its enter, the slice, a question, the section, then leave, hint, ask and answer.
      expect(waitedMs).toBeLessThan(50 + sectionMs + 3.5 * TRIP_MS + 3)
    },
  )
})

test('who takes over with a short maxHold and hangs is cut off at its own end, not at that of the one before', async () => {
  await inEach(
    (_dice, seed) => {
      const first = take(0, 0, 0, 60, { maxHoldMs: 3_600_000 })
      const hung = take(1, 0, 20, 5000, { maxHoldMs: 1000, verb: 'acquire' })
      return planOf(seed, 2, [first, hung, take(2, 1, 200, 1)])
    },
    (world) => {
      expect(servedMs(world, 1)).toBeLessThan(60 + 5 * TRIP_MS)
      expect(servedMs(world, 2) - servedMs(world, 1)).toBeLessThan(1000 * 1.01 + 4 * TRIP_MS + 60)
    },
  )
})

test('a process that stood still past its ttl knows at the first question that its lease is gone', async () => {
  await inEach(
    (_dice, seed) => {
      const held = take(0, 0, 0, 6000, { work: { ...NO_WORK, ms: 6000, acts: 1, heeds: true } })
      return planOf(seed, 2, [held, take(1, 1, 100, 1)], [{ kind: 'stall', atMs: 200, place: 0, ms: 4000 }])
    },
    (world) => {
      expect(world.verdicts.counts.get('expiry while held')).toBe(1)
      expect(servedMs(world, 1)).toBeLessThan(200 + 1500 * 1.02 + 60)
    },
  )
})

test('a lease taken detached outlives the crash of its process, and ends by itself', async () => {
  await inEach(
    (_dice, seed) => {
      const held = take(0, 0, 0, 1, {
        verb: 'acquire',
        detached: true,
        maxHoldMs: 2500,
        work: { ...NO_WORK, ms: 1, acts: 1, release: 'never' },
      })
      return planOf(seed, 2, [held, take(1, 1, 100, 1)], [{ kind: 'crash', atMs: 300, place: 0, backMs: 100 }])
    },
    (world) => {
      expect(servedMs(world, 1)).toBeGreaterThan(2500)
      expect(servedMs(world, 1)).toBeLessThan(2500 + 4 * TRIP_MS + 100)
    },
  )
})

test('a waiter is served within a ttl and a beat after the holder has died', async () => {
  await inEach(
    (_dice, seed) =>
      planOf(seed, 2, [take(0, 0, 0, 9000), take(1, 1, 100, 1)], [{ kind: 'crash', atMs: 700, place: 0, backMs: 100 }]),
    (world) => {
      expect(servedMs(world, 1) - 700).toBeLessThan(1500 + 500)
    },
  )
})
