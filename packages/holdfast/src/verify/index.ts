/**
 * Checks what was seen of a lock service: histories of mutexes, read–write locks, semaphores, elections, latches,
 * barriers and of the data behind a lock.
 */
import { lowFences, outOfOrder, overlaps, sharedSlots } from './claims.ts'
import { earlyBarriers, earlyLatches } from './gatherings.ts'
import type { HistoryEvent } from './history.ts'
import { linearize, stepsOf } from './linearize.ts'
import { modelOf } from './models.ts'
import { byName, courseOf, type Operation } from './operations.ts'
import { shrunk } from './shrink.ts'
import type { CheckRule, Violation } from './violation.ts'

export type { Action, Died, Ended, HistoryEvent, Invoked, Kind, Noted } from './history.ts'
export { lineOf, readHistory } from './history.ts'
export type { Operation } from './operations.ts'
export { pictureOf } from './picture.ts'
export type { CheckRule, Violation } from './violation.ts'

export interface CheckOptions {
  /** Which rules; without it all but `order`, which only a fair lock keeps. */
  readonly rules?: readonly CheckRule[]
  /** How many states the search for an order may remember for a name; 2,000,000 if not said, some 200 bytes each. */
  readonly statesMax?: number
}

export interface Report {
  readonly operations: number
  readonly claims: number
  /** In the order of their moments. Empty: nothing was found wrong. */
  readonly violations: readonly Violation[]
  /** Names for which the search gave up: of these nobody knows. */
  readonly undecided: readonly string[]
}

const USUAL: readonly CheckRule[] = ['exclusion', 'slot', 'fence', 'latch', 'barrier', 'linearizability']

/**
 * @param events in the order of their moments
 * @throws {RangeError} for a history that contradicts itself
 */
export function check(events: readonly HistoryEvent[], options: CheckOptions = {}): Report {
  const { rules = USUAL, statesMax } = options
  const { operations, claims } = courseOf(events)
  const wanted = new Set(rules)
  const undecided: string[] = []
  const found: Violation[] = []
  if (wanted.has('exclusion')) found.push(...overlaps(claims))
  if (wanted.has('slot')) found.push(...sharedSlots(claims))
  if (wanted.has('fence')) found.push(...lowFences(claims))
  if (wanted.has('order')) found.push(...outOfOrder(operations))
  if (wanted.has('latch')) found.push(...earlyLatches(operations))
  if (wanted.has('barrier')) found.push(...earlyBarriers(operations))
  if (wanted.has('linearizability')) {
    for (const line of byName(operations, (operation) => operation)) {
      const outcome = ordered(line, statesMax)
      if (outcome === 'undecided') undecided.push(line[0]?.name ?? '')
      else if (outcome !== null) found.push(outcome)
    }
  }
  found.sort((a, b) => a.atNs - b.atNs)
  return { operations: operations.length, claims: claims.length, violations: found, undecided }
}

function ordered(line: readonly Operation[], statesMax?: number): Violation | 'undecided' | null {
  const [first] = line
  const model = first === undefined ? null : modelOf(first.kind)
  if (first === undefined || model === null) return null
  const outcome = linearize(model, stepsOf(line), statesMax)
  if (outcome !== 'not linearizable') return outcome === 'undecided' ? outcome : null
  const operations = shrunk(model, line)
  const last = operations.at(-1) ?? first
  const { kind, name } = first
  const what = `no order of these operations on ${kind} "${name}" is one that it could have done`
  return { rule: 'linearizability', kind, name, what, operations, atNs: last.invokedNs, op: last.op }
}
