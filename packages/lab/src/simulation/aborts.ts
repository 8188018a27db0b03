/**
 * A take aborted at every point between its beginning and its end: in each event of the history, before and after each
 * turn of its own process's promises. Nothing of it may be left in the line, and nobody behind it may sleep on.
 */
import { Dice } from './dice.ts'
import { runHistory } from './history.ts'
import { NO_WORK } from './operation-generator.ts'
import type { Abort, LockOperation, Operation, Plan, Thing } from './plan.ts'
import type { World } from './world.ts'

/** The take that is aborted. */
const TARGET = 1
/** More turns than any take needs from the answer to its end; further ones would find nothing new. */
const TURNS = 14
/** All that was sent is settled by then, also what had to be sent again. */
const CLEAN_UP_MS = 8000

export interface AbortSums {
  takes: number
  points: number
  readonly failures: string[]
}

export function noAborts(): AbortSums {
  return { takes: 0, points: 0, failures: [] }
}

export async function abortEverywhere(seeds: { readonly from: number; readonly count: number }): Promise<AbortSums> {
  const sums = noAborts()
  for (let seed = seeds.from; seed < seeds.from + seeds.count; seed++) await abortOne(seed, sums)
  return sums
}

async function abortOne(seed: number, sums: AbortSums): Promise<void> {
  let span = { from: 0, to: 0 }
  await judge(seed, { inEvent: 0, turn: 0 }, sums, (world) => {
    span = world.takes.get(TARGET) ?? span
  })
  sums.takes++
  for (let inEvent = span.from; inEvent <= span.to; inEvent++) {
    for (let turn = 0; turn < TURNS; turn++) {
      await judge(seed, { inEvent, turn }, sums, () => {})
      sums.points++
    }
  }
}

async function judge(seed: number, abort: Abort, sums: AbortSums, learn: (world: World) => void): Promise<void> {
  const inspect = (world: World): void => {
    learn(world)
    demandClean(world)
  }
  const outcome = await runHistory(abortPlanOf(seed, abort), false, { inspect })
  const [first] = outcome.verdicts
  if (first !== undefined)
    sums.failures.push(`abort seed ${seed} at ${JSON.stringify(abort)}: ${first.rule}: ${first.what}`)
}

function demandClean(world: World): void {
  world.kernel.run(world.kernel.nowMs + CLEAN_UP_MS)
  const { claims, lines } = world.network.store.census()
  if (claims + lines > 0) world.verdicts.wrong('left over', `${claims} claims and ${lines} lines after the abort`)
  for (const [id, { granted }] of world.takes) {
    if (id !== TARGET && !granted) world.verdicts.wrong('wake-up', `op ${id} was not served within its wait`)
  }
}

/** A holder, the take that is aborted, and some who stand behind it in its own process and in another one. */
export function abortPlanOf(seed: number, abort: Abort): Plan {
  const dice = new Dice(seed, 7)
  // Long enough that a look by oneself comes long after a wake-up.
  const lossless = dice.chance(0.5)
  const ttlMs = lossless ? 6000 : 1500
  const front = dice.chance(0.2) ? false : { passes: 16, sliceMs: 50, lingerMs: dice.pick([0, 0, 30]) }
  const thing = thingOf(dice)
  return {
    seed,
    calm: lossless,
    ordered: dice.chance(0.5),
    maxTtlMs: 6000,
    quarantine: false,
    serverRate: 1,
    weather: {
      delayMs: dice.pick([
        [0.1, 0.5],
        [0.5, 8],
      ] as const),
      slow: 0,
      slowMs: 0,
      loss: lossless ? 0 : 0.1,
      twice: lossless ? 0 : 0.2,
      twiceMs: 20,
      hintLoss: lossless ? 0 : 0.3,
    },
    processes: Array.from({ length: 3 }, () => ({ ttlMs, front, rate: 1, parks: true })),
    operations: operationsOf(dice, thing, abort),
    faults: [],
    healMs: 12_000,
  }
}

function thingOf(dice: Dice): Thing {
  const type = dice.pick(['mutex', 'mutex', 'read', 'write', 'permit', 'reentrant', 'election', 'all'] as const)
  if (type === 'permit') return { type, name: 'n', capacity: 3, permits: dice.whole(1, 3), slot: false }
  return type === 'all' ? { type, names: ['m', 'n'] } : { type, name: 'n' }
}

/** Takes all of what the others want a part of. */
function holderOf(thing: Thing): Thing {
  if (thing.type === 'permit') return { ...thing, permits: thing.capacity, slot: false }
  return thing.type === 'election' ? thing : { type: 'mutex', name: 'n' }
}

function operationsOf(dice: Dice, thing: Thing, abort: Abort): readonly Operation[] {
  const fair = dice.chance(0.2)
  const take = (id: number, place: number, atMs: number, more: Partial<LockOperation> = {}): Operation => ({
    kind: 'lock',
    id,
    place,
    atMs,
    thing,
    verb: dice.pick(['run', 'acquire']),
    waitMs: 9000,
    maxHoldMs: dice.chance(0.15) ? 500 : null,
    fair,
    detached: false,
    abort: null,
    work: { ...NO_WORK, ms: dice.between(0, 15), acts: 1 },
    ...more,
  })
  const heldBy = dice.whole(0, 2)
  const holder = holderOf(thing)
  const others = Array.from({ length: dice.whole(1, 3) }, (_, index) => {
    return take(2 + index, dice.whole(0, 2), 20 + dice.between(0, 12))
  })
  return [
    ...(dice.chance(0.8) ? [take(0, heldBy, 0, { thing: holder, work: { ...NO_WORK, ms: 35, acts: 1 } })] : []),
    take(TARGET, 1, 20 + dice.between(0, 10), { abort }),
    ...others,
  ]
}
