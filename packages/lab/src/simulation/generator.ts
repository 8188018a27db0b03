/**
 * Plans from seeds, in swarms: each history has a random part of the kinds of operations and faults, at rates of its
 * own, so that some histories do much of one thing and none does a little of everything.
 */
import { Dice } from './dice.ts'
import { faultsOf, weatherOf } from './fault-generator.ts'
import { operationsOf } from './operation-generator.ts'
import type { Plan, ProcessPlan } from './plan.ts'

/** Clocks go wrong by less than half of the one percent that deadlines allow for. */
const RHO = 0.0045
const LAST_MS = 1000

/** `calm`: the same operations with nothing going wrong. */
export function planOf(seed: number, calm = false): Plan {
  const dice = new Dice(seed, 1)
  const maxTtlMs = dice.pick([2000, 3000])
  const count = dice.pick([3, 3, 3, 4, 5])
  const processes = Array.from({ length: count }, () => processOf(dice, maxTtlMs))
  const weather = weatherOf(dice)
  const spanMs = dice.between(5000, 12_000)
  const plan = {
    seed,
    ordered: dice.chance(0.6),
    maxTtlMs,
    quarantine: dice.chance(0.25),
    serverRate: rateOf(dice),
    processes,
    faults: faultsOf(dice.fork(1), count, spanMs, weather),
    operations: operationsOf(dice.fork(2), { count, spanMs, calm }),
    healMs: spanMs + LAST_MS,
  }
  if (!calm) return { ...plan, calm, weather }
  const quiet = { ...weather, slow: 0, loss: 0, twice: 0, hintLoss: 0 }
  return { ...plan, calm, faults: [], weather: quiet }
}

function processOf(dice: Dice, maxTtlMs: number): ProcessPlan {
  const front = dice.chance(0.12)
    ? false
    : ({
        passes: dice.pick([16, 16, 4, 1, 0]),
        sliceMs: dice.pick([50, 50, 20, 200]),
        lingerMs: dice.chance(0.3) ? dice.pick([10, 100, 400]) : 0,
      } as const)
  return { ttlMs: dice.pick([1000, 1000, 1500, maxTtlMs]), front, rate: rateOf(dice), parks: dice.chance(0.5) }
}

function rateOf(dice: Dice): number {
  return dice.pick([1, 1 - RHO, 1 + RHO, dice.between(1 - RHO, 1 + RHO)])
}
