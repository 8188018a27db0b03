/** The operations of a plan: a random part of the kinds, some arriving alone and some in a crowd. */
import type { Dice } from './dice.ts'
import type { Abort, LockOperation, Operation, Thing, Work } from './plan.ts'

const LEAST = 205
/** Takes it and gives it back. */
export const NO_WORK: Work = {
  ms: 0,
  acts: 0,
  overruns: false,
  hangs: false,
  confirms: false,
  downgrades: false,
  children: 0,
  strays: 0,
  heeds: false,
  release: 'here',
  releasesTwice: false,
}
const FOREVER = Number.POSITIVE_INFINITY
const HASTY = [20, 100, 1000, 5000, 15_000, FOREVER]
/** Long enough for a first connection and a session. */
const PATIENT = [1000, 5000, 15_000, FOREVER]

export interface OperationTerms {
  readonly count: number
  readonly spanMs: number
  /** Nothing that takes long, so that waiting times can be foretold. */
  readonly calm: boolean
}

/** What this history is inclined to. */
interface Mood extends OperationTerms {
  readonly names: readonly string[]
  readonly things: readonly Thing['type'][]
  readonly workMs: number
  readonly fair: number
  readonly tries: number
  readonly aborts: number
  readonly maxHold: number
  readonly detached: number
  readonly confirms: number
  readonly nests: number
  readonly hangs: number
  readonly crowd: number
  readonly others: number
  readonly otherKinds: readonly Exclude<Operation['kind'], 'lock'>[]
}

const THINGS: readonly Thing['type'][] = ['mutex', 'reentrant', 'read', 'write', 'permit', 'election', 'all']
/** Who holds several things waits for one while it holds another, and nobody can foretell how long. */
const ALONE: readonly Thing['type'][] = THINGS.filter((type) => type !== 'all')
const OTHERS: Mood['otherKinds'] = ['force', 'arrive', 'await', 'meet', 'lead', 'observe', 'count', 'look']

export function operationsOf(dice: Dice, terms: OperationTerms): readonly Operation[] {
  const mood = moodOf(dice, terms)
  const operations: Operation[] = []
  while (operations.length < LEAST) {
    const atMs = dice.fraction() * terms.spanMs
    const place = dice.whole(0, terms.count - 1)
    if (dice.chance(mood.others)) {
      operations.push(...othersOf(dice, mood, operations.length, place, atMs))
      continue
    }
    const crowd = dice.chance(mood.crowd) ? dice.whole(2, 12) : 1
    for (let one = 0; one < crowd; one++) {
      operations.push(lockOf(dice, mood, operations.length, place, atMs + one * dice.fraction()))
    }
  }
  return operations.sort((a, b) => a.atMs - b.atMs).map((operation, id) => ({ ...operation, id }))
}

function moodOf(dice: Dice, terms: OperationTerms): Mood {
  const often = (probability: number, most: number): number => (dice.chance(probability) ? dice.fraction() * most : 0)
  return {
    ...terms,
    names: Array.from({ length: dice.whole(1, 3) }, (_, index) => `n${index}`),
    things: dice.some(terms.calm ? ALONE : THINGS, 0.45),
    workMs: dice.pick([2, 8, 30]),
    fair: dice.chance(0.1) ? 1 : often(0.3, 0.3),
    tries: often(0.6, 0.5),
    aborts: often(0.6, 0.4),
    maxHold: often(0.5, 0.4),
    detached: terms.calm ? 0 : often(0.4, 0.3),
    confirms: often(0.3, 0.2),
    nests: often(0.5, 0.4),
    hangs: terms.calm ? 0 : often(0.4, 0.02),
    crowd: dice.fraction() * 0.4,
    others: terms.calm ? 0 : often(0.6, 0.3),
    otherKinds: dice.some(OTHERS, 0.4),
  }
}

function thingOf(dice: Dice, { things, names }: Mood): Thing {
  const type = dice.pick(things)
  const name = dice.pick(names)
  if (type === 'all') return { type, names: dice.some(['n0', 'n1', 'n2', 'n3'], 0.5) }
  if (type !== 'permit') return { type, name }
  const capacity = dice.pick([5, 10])
  const slot = dice.chance(0.3)
  return { type, name, capacity, permits: slot ? 1 : dice.pick([1, 1, 1, 2, 3, capacity]), slot }
}

function lockOf(dice: Dice, mood: Mood, id: number, place: number, atMs: number): LockOperation {
  const thing = thingOf(dice, mood)
  const detached = thing.type !== 'all' && thing.type !== 'election' && dice.chance(mood.detached)
  const tries = dice.chance(mood.tries)
  const verb = detached
    ? dice.pick(['acquire', 'tryAcquire'] as const)
    : tries
      ? dice.pick(['tryRun', 'tryAcquire'] as const)
      : dice.pick(['run', 'run', 'acquire'] as const)
  const waits = verb === 'run' || verb === 'acquire'
  const maxHold = detached || dice.chance(mood.maxHold)
  return {
    kind: 'lock',
    id,
    place,
    atMs,
    thing,
    verb,
    waitMs: waits || dice.chance(0.1) ? dice.pick(mood.calm ? PATIENT : HASTY) : 0,
    maxHoldMs: maxHold ? dice.pick(endsOf(mood, thing, detached)) : null,
    fair: thing.type !== 'election' && dice.chance(mood.fair),
    detached,
    abort: abortOf(dice, mood),
    work: workOf(dice, mood, detached),
  }
}

/** Several things with short ends are never all held at once, and an end within a round trip comes before the lease. */
function endsOf({ calm }: Mood, thing: Thing, detached: boolean): readonly number[] {
  if (thing.type === 'all' || calm) return [1000, 1500]
  return [5, 50, 500, detached ? 2500 : 1500]
}

function abortOf(dice: Dice, { aborts }: Mood): Abort | null {
  if (!dice.chance(aborts)) return null
  return dice.chance(0.5) ? { afterMs: dice.around(20) } : { turns: dice.whole(0, 10) }
}

function workOf(dice: Dice, { calm, workMs, hangs, confirms, nests }: Mood, detached: boolean): Work {
  const long = !calm && dice.chance(0.02)
  const nested = dice.chance(nests)
  return {
    ms: long ? dice.around(1500) : Math.min(dice.around(workMs), calm ? 4 * workMs : FOREVER),
    acts: dice.whole(1, 3),
    overruns: dice.chance(0.3),
    hangs: dice.chance(hangs),
    confirms: dice.chance(confirms),
    downgrades: dice.chance(0.3),
    children: nested ? dice.whole(0, 4) : 0,
    strays: nested && !calm ? dice.whole(0, 1) : 0,
    heeds: dice.chance(0.3),
    release: detached ? dice.pick(['here', 'elsewhere', 'never']) : 'here',
    releasesTwice: dice.chance(0.1),
  }
}

/** One of the other kinds; a meeting and a latch bring all who are needed. */
function othersOf(dice: Dice, mood: Mood, id: number, place: number, atMs: number): Operation[] {
  const kind = dice.pick(mood.otherKinds)
  const at = { id, place, atMs }
  const name = dice.pick(mood.names)
  switch (kind) {
    case 'force':
    case 'look':
    case 'count':
      return [{ kind, ...at, name }]
    case 'lead':
      return [{ kind, ...at, name, forMs: dice.between(50, 3000), termMs: dice.between(5, 500) }]
    case 'observe':
      return [{ kind, ...at, name, forMs: dice.between(50, 3000) }]
    case 'arrive':
    case 'await':
      return latchOf(dice, mood, at)
    case 'meet':
      return meetingOf(dice, mood, at)
  }
}

type At = Pick<Operation, 'id' | 'place' | 'atMs'>

function latchOf(dice: Dice, { count: places }: Mood, { id, atMs }: At): Operation[] {
  const name = `l${id}`
  const count = dice.whole(1, 5)
  const some = (): At => ({ id, place: dice.whole(0, places - 1), atMs: atMs + dice.between(0, 300) })
  const arrivals = Array.from({ length: count }, (_, member): Operation => {
    return { kind: 'arrive', ...some(), name, count, member: `m${member}` }
  })
  const waiters = Array.from({ length: dice.whole(1, 2) }, (): Operation => {
    return { kind: 'await', ...some(), name, count, waitMs: dice.pick([100, 1000, 8000]) }
  })
  return [...arrivals, ...waiters]
}

function meetingOf(dice: Dice, { count: places, names }: Mood, { id, atMs }: At): Operation[] {
  const parties = dice.whole(1, 4)
  const name = `${dice.pick(names)}-${parties}`
  const workMs = dice.chance(0.5) ? null : dice.around(5)
  return Array.from({ length: parties }, (): Operation => {
    const place = dice.whole(0, places - 1)
    const waitMs = dice.pick([100, 1000, 8000])
    return { kind: 'meet', id, place, atMs: atMs + dice.between(0, 200), name, parties, waitMs, workMs }
  })
}
