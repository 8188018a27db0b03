/**
 * What is read from the sections of one name: how many, how long from one to the next, and in which order they were
 * served. Each process tells its own; here they are put into one line.
 */
import type { Round } from '../measurement.ts'
import { percentile } from '../statistics.ts'
import type { Sections } from './crowd.ts'

interface Section {
  readonly owner: string
  readonly process: number
  readonly askedAtMs: number
  readonly startAtMs: number
  readonly endAtMs: number
}

export interface LineTerms {
  readonly tasks: number
  readonly fromMs: number
  readonly toMs: number
  /** Who asked earlier by more than this came first; less cannot be told between processes. */
  readonly orderMs: number
}

export function lineFigures(processes: readonly Sections[], terms: LineTerms): Round {
  const sections = inOneLine(processes)
  const unserved = processes.flatMap(({ unservedAtMs }) => unservedAtMs)
  const waits = [
    ...sections.map(({ askedAtMs, startAtMs }) => startAtMs - askedAtMs),
    ...unserved.map((askedAtMs) => terms.toMs - askedAtMs),
  ]
  const between = handOversUs(sections, ({ process }) => process)
  const gaps = processes.length > 1 ? between : handOversUs(sections, ({ owner }) => owner)
  return {
    perSecond: (1000 * sections.length) / (terms.toMs - terms.fromMs),
    handOverP50Us: percentile(gaps, 50),
    handOverP99Us: percentile(gaps, 99),
    inversions: inversions(sections, unserved, terms.orderMs),
    longestWaitMs: waits.reduce((longest, wait) => Math.max(longest, wait), 0),
    jain: jain(countsOf(sections), terms.tasks),
  }
}

export function inOneLine(processes: readonly Sections[]): readonly Section[] {
  const all = processes.flatMap(({ task, askedAtMs, startAtMs, endAtMs }, process) =>
    task.map((id, row) => ({
      owner: `${process}/${id}`,
      process,
      askedAtMs: askedAtMs[row] ?? Number.NaN,
      startAtMs: startAtMs[row] ?? Number.NaN,
      endAtMs: endAtMs[row] ?? Number.NaN,
    })),
  )
  return all.sort((a, b) => a.startAtMs - b.startAtMs)
}

/** From the end of a section to the begin of the next, where the next is somebody else's. */
function handOversUs(sections: readonly Section[], who: (section: Section) => unknown): readonly number[] {
  const gaps: number[] = []
  for (const [index, next] of sections.entries()) {
    const before = sections[index - 1]
    if (before !== undefined && who(before) !== who(next)) gaps.push(1000 * (next.startAtMs - before.endAtMs))
  }
  return gaps
}

/** Sections that began while somebody still waited who had asked before. */
function inversions(sections: readonly Section[], unserved: readonly number[], orderMs: number): number {
  let earliestAtMs = unserved.reduce((earliest, atMs) => Math.min(earliest, atMs), Number.POSITIVE_INFINITY)
  let found = 0
  for (let index = sections.length - 1; index >= 0; index -= 1) {
    const askedAtMs = sections[index]?.askedAtMs ?? Number.NaN
    if (earliestAtMs < askedAtMs - orderMs) found += 1
    earliestAtMs = Math.min(earliestAtMs, askedAtMs)
  }
  return found
}

function countsOf(sections: readonly Section[]): readonly number[] {
  const counts = new Map<string, number>()
  for (const { owner } of sections) counts.set(owner, (counts.get(owner) ?? 0) + 1)
  return [...counts.values()]
}

/** Jain's index of fairness: 1 when all have had as many, 1/n when one has had all. Those with none are not in `counts`. */
export function jain(counts: readonly number[], tasks: number): number {
  const sum = counts.reduce((total, count) => total + count, 0)
  const squares = counts.reduce((total, count) => total + count * count, 0)
  return sum ** 2 / (tasks * squares)
}
