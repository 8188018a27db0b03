/** The weather and the faults of a plan. */
import type { Dice } from './dice.ts'
import type { Weather } from './network.ts'
import type { Fault } from './plan.ts'

const KINDS: readonly Fault['kind'][] = [
  'stall',
  'sleep',
  'step',
  'crash',
  'close',
  'cut',
  'partition',
  'weather',
  'server-stall',
  'server-step',
  'lose',
]
const LEAST = 5
const MOST = 9

export function weatherOf(dice: Dice): Weather {
  const often = (most: number): number => (dice.chance(0.4) ? dice.fraction() * most : 0)
  return {
    delayMs: dice.pick([
      [0.1, 1],
      [0.5, 5],
      [1, 20],
    ] as const),
    slow: often(0.03),
    slowMs: dice.pick([30, 200, 800]),
    loss: often(0.03),
    twice: often(0.05),
    twiceMs: dice.pick([5, 100, 1500]),
    hintLoss: often(0.3),
  }
}

export function faultsOf(dice: Dice, count: number, spanMs: number, weather: Weather): Fault[] {
  const kinds = dice.some(KINDS, 0.4)
  const faults = Array.from({ length: dice.whole(LEAST, MOST) }, () => {
    const atMs = dice.between(200, spanMs)
    return faultOf(dice, dice.pick(kinds), atMs, dice.whole(0, count - 1), weather)
  })
  // A store that has lost its numbers goes by its clock, which then must not be behind by more than its age.
  const loses = faults.some(({ kind }) => kind === 'lose')
  const forward = (fault: Fault): Fault =>
    loses && fault.kind === 'server-step' ? { ...fault, ms: Math.abs(fault.ms) } : fault
  return faults.map(forward).sort((a, b) => a.atMs - b.atMs)
}

/** A length that is sometimes below and sometimes above a ttl. */
function lengthOf(dice: Dice): number {
  return dice.pick([50, 400, 1200, 3500]) * dice.between(0.5, 1.5)
}

function faultOf(dice: Dice, kind: Fault['kind'], atMs: number, place: number, weather: Weather): Fault {
  switch (kind) {
    case 'stall':
    case 'sleep':
      return { kind, atMs, place, ms: lengthOf(dice) }
    case 'step':
      return { kind, atMs, place, ms: dice.pick([-1, 1]) * dice.pick([20, 900, 5000, 3_600_000]) }
    case 'crash':
      return { kind, atMs, place, backMs: dice.between(10, 1500) }
    case 'close':
      return { kind, atMs, place, drainMs: dice.pick([0, 0, 50, 1000]), backMs: dice.between(10, 500) }
    case 'cut':
      return { kind, atMs, place, ms: dice.pick([1, 50, 600]) }
    case 'partition': {
      const way = dice.pick(['up', 'down', 'both'])
      return { kind, atMs, place, ms: lengthOf(dice), up: way !== 'down', down: way !== 'up' }
    }
    case 'weather':
      return { kind, atMs, ms: dice.between(100, 2000), weather: stormOf(dice, weather) }
    case 'server-stall':
      return { kind, atMs, ms: lengthOf(dice) }
    case 'server-step':
      return { kind, atMs, ms: dice.pick([-1000, -50, 50, 3000]) }
    case 'lose':
      return { kind, atMs }
  }
}

function stormOf(dice: Dice, calm: Weather): Weather {
  return {
    ...calm,
    slow: dice.fraction() * 0.5,
    slowMs: dice.pick([50, 400]),
    loss: dice.fraction() * 0.4,
    twice: dice.fraction() * 0.4,
    hintLoss: dice.fraction(),
  }
}
