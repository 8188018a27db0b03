/** The programme of the evening, and what is said about it at the end: tables and sentences, no work. */
import Table from 'cli-table3'
import type { ActPlan, ActResult } from './act.ts'

/** Short, so that the demo need not wait long for a dead holder; the library's own default is 15 s. */
export const SHORT_TTL_MS = 2_000

export const ACTS: readonly ActPlan[] = [
  { title: 'without a lock', lock: false, ttlMs: null, kill: false },
  { title: 'with a lock', lock: true, ttlMs: null, kill: false },
  { title: 'holder killed', lock: true, ttlMs: SHORT_TTL_MS, kill: true },
]

/** One line a figure, one column an act: fits a terminal of 80 columns. */
export function figureRows(acts: readonly ActResult[]): readonly (readonly string[])[] {
  const row = (label: string, figure: (act: ActResult) => string): readonly string[] => [label, ...acts.map(figure)]
  return [
    row('sold', ({ sold }) => whole(sold)),
    row('left on the shelf', ({ left }) => whole(left)),
    row('oversold', ({ oversold }) => whole(oversold)),
    row('errors', errorCell),
    row('requests a second', ({ requestsPerSecond }) => whole(requestsPerSecond)),
    row('answer p50 / p99', ({ p50Ms, p99Ms }) => `${whole(p50Ms)} / ${whole(p99Ms)} ms`),
    row('remote takes', ({ takes }) => (takes === null ? '-' : whole(takes.remote))),
    row('local hand-overs', ({ takes }) => (takes === null ? '-' : whole(takes.local))),
    row('next holder after', (act) => (act.plan.kill ? recoveryCell(act) : '-')),
  ]
}

export function resultTable(acts: readonly ActResult[]): string {
  const table = new Table({
    head: ['', ...acts.map(({ plan }) => plan.title)],
    colAligns: ['left', ...acts.map(() => 'right' as const)],
    style: { head: [], border: [] },
  })
  table.push(...figureRows(acts).map((row) => [...row]))
  return table.toString()
}

/** What happened, for somebody who reads nothing else. */
export function closingSentence(acts: readonly ActResult[], stock: number, servers: number): string {
  const sentences = acts.map((act) => {
    const { sold, oversold, plan, recoveryMs } = act
    if (!plan.lock)
      return `Without a lock ${servers} servers sold ${whole(sold)} of ${whole(stock)}: ${buyers(oversold)}.`
    if (!plan.kill) return `With a lock they sold ${whole(sold)}.`
    const recovery =
      recoveryMs === null ? 'and nobody went on' : `and another server went on ${seconds(recoveryMs)} later`
    return `With its holder killed by SIGKILL in the middle (ttl ${seconds(SHORT_TTL_MS)}), they sold ${whole(sold)}, ${recovery}.`
  })
  return sentences.join('\n')
}

function buyers(oversold: number): string {
  return oversold === 0 ? 'this time nobody paid for nothing' : `${whole(oversold)} buyers paid for nothing`
}

function errorCell({ cut, failed }: ActResult): string {
  return cut === 0 ? whole(failed) : `${whole(cut + failed)} (${whole(cut)} died with it)`
}

function recoveryCell({ recoveryMs }: ActResult): string {
  return recoveryMs === null ? 'never' : seconds(recoveryMs)
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

export function whole(number: number): string {
  return Math.round(number).toLocaleString('en-US')
}
