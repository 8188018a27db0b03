/** How many histories had which kind of event. A kind that hardly ever happens is not tested, whatever else is green. */
import type { Outcome } from './history.ts'
import { EVENT_KINDS, type EventKind } from './observer.ts'

/** Below this part of all histories a kind counts as missing. */
const PART_LEAST = 0.01

export interface Sums {
  histories: number
  operations: number
  faults: number
  events: number
  virtualMs: number
  readonly kinds: Record<string, { histories: number; times: number }>
}

export function noSums(): Sums {
  return {
    histories: 0,
    operations: 0,
    faults: 0,
    events: 0,
    virtualMs: 0,
    kinds: Object.fromEntries(EVENT_KINDS.map((kind) => [kind, { histories: 0, times: 0 }])),
  }
}

export function addOutcome(sums: Sums, { operations, faults, events, virtualMs, counts }: Outcome): void {
  sums.histories++
  sums.operations += operations
  sums.faults += faults
  sums.events += events
  sums.virtualMs += virtualMs
  for (const [kind, times] of counts) addKind(sums, kind, Number(times > 0), times)
}

export function addSums(sums: Sums, more: Sums): void {
  sums.histories += more.histories
  sums.operations += more.operations
  sums.faults += more.faults
  sums.events += more.events
  sums.virtualMs += more.virtualMs
  for (const [kind, { histories, times }] of Object.entries(more.kinds)) addKind(sums, kind, histories, times)
}

export function missingKinds(sums: Sums): readonly EventKind[] {
  return EVENT_KINDS.filter((kind) => (sums.kinds[kind]?.histories ?? 0) < sums.histories * PART_LEAST)
}

/** One line a kind: in which part of the histories, and how often all in all. */
export function tableOf(sums: Sums): string {
  const width = Math.max(...EVENT_KINDS.map((kind) => kind.length))
  const rows = EVENT_KINDS.map((kind) => {
    const { histories, times } = sums.kinds[kind] ?? { histories: 0, times: 0 }
    const part = ((100 * histories) / Math.max(1, sums.histories)).toFixed(1)
    return `  ${kind.padEnd(width)}  ${part.padStart(5)} %  ${String(times).padStart(10)}`
  })
  return [`  ${'event'.padEnd(width)}  in hist.       times`, ...rows].join('\n')
}

function addKind(sums: Sums, kind: string, histories: number, times: number): void {
  const known = sums.kinds[kind] ?? { histories: 0, times: 0 }
  sums.kinds[kind] = { histories: known.histories + histories, times: known.times + times }
}
