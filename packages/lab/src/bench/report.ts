/** What was found, for people: the raw rounds as they come, then one table of figures and one of checks. */
import Table from 'cli-table3'
import type { Check, Findings, Measurement, Round } from './measurement.ts'
import { medianRound } from './statistics.ts'

export interface Found extends Findings {
  readonly measurement: Measurement
  /** Why it came to nothing; null: it did not. */
  readonly failure: string | null
}

/** The raw rounds, a line each. */
export function roundLines(rounds: readonly Round[]): string {
  const lines = rounds.map((round, index) => {
    const figures = Object.entries(round).map(([name, value]) => `${name} ${figure(value)}`)
    return `  round ${index + 1}: ${figures.join(', ')}\n`
  })
  return lines.join('')
}

export function figureTable(all: readonly Found[]): string {
  const table = new Table({
    head: ['measurement', 'figure', 'median', 'least', 'most'],
    colAligns: ['left', 'left', 'right', 'right', 'right'],
    style: { head: [], border: [], compact: true },
  })
  table.push(...all.flatMap(figureRows))
  return table.toString()
}

export function figureRows({ measurement, rounds }: Pick<Found, 'measurement' | 'rounds'>): string[][] {
  return Object.entries(medianRound(rounds)).map(([name, median], index) => {
    const values = rounds.map((round) => round[name] ?? Number.NaN)
    const cells = [median, Math.min(...values), Math.max(...values)].map(figure)
    return [index === 0 ? measurement.name : '', name, ...cells]
  })
}

export function checkTable(checks: readonly Check[]): string {
  const table = new Table({
    head: ['', 'promise', 'limit', 'median'],
    colAligns: ['left', 'left', 'right', 'right'],
    style: { head: [], border: [], compact: true },
  })
  for (const { ok, what, kind, limit, got } of checks) {
    table.push([ok ? 'kept' : 'MISSED', what, `${kind} ${figure(limit)}`, figure(got)])
  }
  return table.toString()
}

/** Three digits that matter, and no more. */
export function figure(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString('en-US')
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)))
}
