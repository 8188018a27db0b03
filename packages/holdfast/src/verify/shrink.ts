/** Makes a counter-example small: what is left still shows that the thing is broken, and nothing in it is idle. */
import { linearize, type Model, stepsOf } from './linearize.ts'
import type { Operation } from './operations.ts'

/** Searches that one counter-example is worth. */
const TRIES_MAX = 2000
/** States of each: a part of what could not be ordered is mostly decided at once. */
const STATES_MAX = 20_000

/**
 * Leaves out what may be left out of a true history without making it false: a hold with its release, a read, a waiter.
 * A write or an arrival stays, for what was read or passed may rest on it.
 */
export function shrunk<S>(model: Model<S>, operations: readonly Operation[]): readonly Operation[] {
  let tries = 0
  const shows = (some: readonly Operation[]): boolean =>
    some.length > 0 && ++tries <= TRIES_MAX && linearize(model, stepsOf(some), STATES_MAX) === 'not linearizable'
  let kept = operations
  let units = unitsOf(operations)
  for (let size = Math.ceil(units.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < units.length; ) {
      const out = new Set(units.slice(at, at + size).flat())
      const rest = kept.filter((operation) => !out.has(operation))
      if (!shows(rest)) {
        at += size
        continue
      }
      kept = rest
      units = units.filter((_, index) => index < at || index >= at + size)
    }
  }
  return kept
}

function unitsOf(operations: readonly Operation[]): readonly (readonly Operation[])[] {
  const holds = new Map<string, Operation[]>()
  for (const operation of operations) {
    const { op, action } = operation
    if (action === 'acquire' || action === 'read' || action === 'await') holds.set(op, [operation])
  }
  for (const operation of operations) {
    if (operation.action === 'release') holds.get(operation.of ?? '')?.push(operation)
  }
  return [...holds.values()]
}
