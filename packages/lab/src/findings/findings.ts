/** What a run found, as it is kept in a file and drawn as a page. Nothing in here needs the lab to be read. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Crowd, SaleFound } from '../contest/sale.ts'
import type { Judged } from '../contest/verdict.ts'
import type { Belief, Happening } from '../scenes/timeline.ts'
import type { Store, Verdict } from '../strategies/strategy.ts'

export interface FoundScene {
  readonly name: string
  readonly title: string
  readonly strategy: string
  readonly broken: boolean
  readonly says: string
  readonly happenings: readonly Happening[]
  readonly beliefs: readonly Belief[]
}

export interface Source {
  readonly text: string
  /** The line that makes the difference, counted from one. */
  readonly line: number
}

export interface FoundStrategy {
  readonly name: string
  readonly step: number
  readonly title: string
  readonly store: Store
  readonly made: string
  readonly fixes: string
  readonly leaves: string
  readonly claims: Verdict
  readonly source: Source
  readonly sale: SaleFound
  readonly scenes: readonly FoundScene[]
  readonly judged: Judged
}

export interface Findings {
  readonly at: string
  readonly machine: readonly string[]
  readonly crowd: Crowd
  readonly strategies: readonly FoundStrategy[]
  /** Steps of the staircase that need a store which this version has not, and strategies whose server was not there. */
  readonly leftOut: readonly {
    readonly name: string
    readonly step: number
    readonly title: string
    readonly needs: string
  }[]
}

const VERDICTS: readonly Verdict[] = ['right', 'right until', 'wrong']

export function keep(findings: Findings, file: string): void {
  writeFileSync(file, `${JSON.stringify(findings, null, 1)}\n`)
}

/** @throws {TypeError} it is not a file that a run has written */
export function readFindings(file: string): Findings {
  const text = readFileSync(file, 'utf8')
  try {
    const value = JSON.parse(text) as Findings
    if (isDrawable(value)) return value
  } catch {
    // Cut off, or something else altogether.
  }
  throw new TypeError(`${file} is not what \`holdfast-lab run\` writes`)
}

/** What is drawn without being escaped is a number, or a word that is known. */
function isDrawable({ crowd, strategies, machine, leftOut }: Findings): boolean {
  const { stock, requests, concurrency, processes } = crowd
  const numbers = strategies.flatMap(({ step, sale }) => [step, sale.books.sold, sale.books.left, sale.unfinished])
  return (
    [stock, requests, concurrency, processes, ...numbers].every((number) => typeof number === 'number') &&
    [machine, leftOut].every(Array.isArray) &&
    strategies.every(({ judged }) => VERDICTS.includes(judged.verdict))
  )
}
