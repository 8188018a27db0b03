/**
 * Sweeps over claims, O(n log n): no more is held at once than may be, fences rise, and a line is served in its order.
 * For a lock whose claims are exactly what processes believed in, the first is the whole of mutual exclusion.
 */
import { EXCLUSIVE } from '../admission.ts'
import { byName, type Claim, type Operation } from './operations.ts'
import type { Violation } from './violation.ts'

const byStart = (claims: readonly Claim[]): readonly Claim[] => [...claims].sort((a, b) => a.fromNs - b.fromNs)
const isEmpty = ({ fromNs, untilNs }: Claim): boolean => untilNs <= fromNs

/** What it takes of its line, and how much of it there is, by the rule that decides who is open. */
function weightOf({ kind, shared, permits, capacity }: Operation): { weight: number; capacity: number } {
  if (kind === 'semaphore') return { weight: permits, capacity }
  return { weight: kind === 'rwlock' && shared ? 1 : EXCLUSIVE, capacity: EXCLUSIVE }
}

/** At no moment do the claims of a name weigh more than the smallest capacity that one of them believes in. */
export function overlaps(claims: readonly Claim[]): readonly Violation[] {
  return byName(claims, ({ acquire }) => acquire).flatMap((line) => crowded(line, 'exclusion', () => 0))
}

/** A slot of a semaphore is held by one at a time. */
export function sharedSlots(claims: readonly Claim[]): readonly Violation[] {
  const slotted = claims.filter(({ acquire }) => acquire.slot !== null)
  return byName(slotted, ({ acquire }) => acquire).flatMap((line) =>
    bySlot(line).flatMap((slot) => crowded(slot, 'slot', () => EXCLUSIVE)),
  )
}

function bySlot(line: readonly Claim[]): readonly (readonly Claim[])[] {
  const slots = new Map<number | null, Claim[]>()
  for (const claim of line) {
    const held = slots.get(claim.acquire.slot)
    if (held === undefined) slots.set(claim.acquire.slot, [claim])
    else held.push(claim)
  }
  return [...slots.values()]
}

/** @param least what each weighs at the least */
function crowded(line: readonly Claim[], rule: 'exclusion' | 'slot', least: () => number): readonly Violation[] {
  const found: Violation[] = []
  let here: Claim[] = []
  for (const claim of byStart(line)) {
    if (isEmpty(claim)) continue
    here = here.filter(({ untilNs }) => untilNs > claim.fromNs)
    here.push(claim)
    let sum = 0
    let smallest = EXCLUSIVE
    for (const { acquire } of here) {
      const { weight, capacity } = weightOf(acquire)
      sum += Math.max(weight, least())
      smallest = Math.min(smallest, rule === 'slot' ? EXCLUSIVE : capacity)
    }
    if (sum <= smallest) continue
    const { name, kind, op, slot } = claim.acquire
    const what =
      rule === 'slot'
        ? `slot ${slot} of ${kind} "${name}" is held by ${here.length} at once`
        : `${kind} "${name}" is held by ${here.length} at once, and they do not fit`
    found.push({ rule, kind, name, what, operations: here.map(({ acquire }) => acquire), atNs: claim.fromNs, op })
  }
  return found
}

/** Who may not have a fence below or equal to that of whom came before. */
interface Rising {
  readonly title: string
  readonly later: (claim: Claim) => boolean
  readonly earlier: (claim: Claim) => boolean
}

const isShared = ({ acquire: { kind, shared } }: Claim): boolean => kind === 'rwlock' && shared
/** Of two readers that share the lock none is the earlier one. */
const RISING: readonly Rising[] = [
  { title: 'follows', later: (claim) => !isShared(claim), earlier: () => true },
  { title: 'reads after', later: isShared, earlier: (claim) => !isShared(claim) },
]

/** Each fence is above those of the claims that had ended when its own began. */
export function lowFences(claims: readonly Claim[]): readonly Violation[] {
  const fenced = claims.filter(({ acquire }) => acquire.fence !== null)
  return byName(fenced, ({ acquire }) => acquire).flatMap((line) => {
    const parts =
      line[0]?.acquire.kind === 'semaphore' ? bySlot(line.filter(({ acquire }) => acquire.slot !== null)) : [line]
    return parts.flatMap((part) => RISING.flatMap((rising) => lowIn(part, rising)))
  })
}

function lowIn(line: readonly Claim[], { title, later, earlier }: Rising): readonly Violation[] {
  const found: Violation[] = []
  const ended = line.filter(earlier).sort((a, b) => a.untilNs - b.untilNs)
  let highest: Claim | null = null
  let next = 0
  for (const claim of byStart(line.filter(later))) {
    for (let before = ended[next]; before !== undefined && before.untilNs <= claim.fromNs; before = ended[++next]) {
      if (before !== claim && fenceOf(before) > (highest === null ? -1n : fenceOf(highest))) highest = before
    }
    if (highest === null || highest === claim || fenceOf(claim) > fenceOf(highest)) continue
    const { name, kind, op } = claim.acquire
    const what = `${kind} "${name}": fence ${fenceOf(claim)} ${title} fence ${fenceOf(highest)}`
    const operations = [highest.acquire, claim.acquire]
    found.push({ rule: 'fence', kind, name, what, operations, atNs: claim.fromNs, op })
  }
  return found
}

function fenceOf({ acquire: { fence } }: Claim): bigint {
  if (fence === null) throw new RangeError('it has no fence')
  return fence
}

/**
 * Who was known to stand in line is served before whoever asked later: for a mutex, of which the next knows nothing
 * before the last has given it back.
 */
export function outOfOrder(operations: readonly Operation[]): readonly Violation[] {
  const served = operations.filter(
    ({ kind, action, outcome }) => kind === 'mutex' && action === 'acquire' && outcome === 'ok',
  )
  return byName(served, (operation) => operation).flatMap((line) => {
    const found: Violation[] = []
    const queued = line
      .filter(({ queuedNs }) => queuedNs !== null)
      .sort((a, b) => (a.queuedNs ?? 0) - (b.queuedNs ?? 0))
    let last: Operation | null = null
    let next = 0
    for (const operation of [...line].sort((a, b) => a.invokedNs - b.invokedNs)) {
      for (let ahead = queued[next]; (ahead?.queuedNs ?? Infinity) < operation.invokedNs; ahead = queued[++next]) {
        if (ahead !== undefined && (last === null || ahead.endedNs > last.endedNs)) last = ahead
      }
      if (last === null || last.endedNs <= operation.endedNs) continue
      const { kind, name, op } = operation
      const what = `${kind} "${name}": ${op} was served before ${last.op}, which stood in line when it came`
      found.push({ rule: 'order', kind, name, what, operations: [last, operation], atNs: operation.endedNs, op })
    }
    return found
  })
}
