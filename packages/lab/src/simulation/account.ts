/** How a failing history is told to people: what is wrong, what it took, and what happened around it. */

import type { Outcome } from './history.ts'
import type { EventKind } from './observer.ts'
import type { Plan } from './plan.ts'
import type { Verdict } from './verdicts.ts'

const LINES_BEFORE = 60
const LINES_AFTER = 10

export function verdictLines(verdicts: readonly Verdict[]): readonly string[] {
  return verdicts.map(({ rule, atMs, what }) => `  ${atMs.toFixed(3).padStart(11)}  ${rule}: ${what}`)
}

export function eventLines(counts: ReadonlyMap<EventKind, number>): readonly string[] {
  return [...counts].filter(([, times]) => times > 0).map(([kind, times]) => `  ${String(times).padStart(6)}  ${kind}`)
}

export function planLines({ processes, faults, operations, ...rest }: Plan): readonly string[] {
  return [
    `  ${JSON.stringify(rest)}`,
    ...processes.map((process, place) => `  process ${place}: ${JSON.stringify(process)}`),
    ...faults.map((fault) => `  fault: ${JSON.stringify(fault)}`),
    `  ${operations.length} operations${operations.length > 20 ? '' : `:`}`,
    ...(operations.length > 20 ? [] : operations.map((operation) => `  ${JSON.stringify(operation)}`)),
  ]
}

/** What happened up to the first verdict, and a little after it. */
export function timelineLines({ lines, verdicts }: Outcome, all: boolean): readonly string[] {
  const atMs = verdicts[0]?.atMs ?? Number.POSITIVE_INFINITY
  const at = lines.findIndex((line) => Number.parseFloat(line) > atMs)
  if (all) return lines
  const end = at < 0 ? lines.length : at + LINES_AFTER
  return lines.slice(Math.max(0, end - LINES_BEFORE - LINES_AFTER), end).map((line) => line.slice(0, 200))
}
