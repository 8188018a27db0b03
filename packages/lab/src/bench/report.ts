/** What was found, for people: the raw rounds as they come, then one table of figures and one of checks. */
import Table from 'cli-table3'
import type { Check, Findings, Measurement, Round } from './measurement.ts'
import { rowsOf, type SceneRow } from './scenes.ts'
import { medianRound } from './statistics.ts'

export interface Found extends Findings {
  readonly measurement: Measurement
  /** Why it came to nothing; null: it did not. */
  readonly failure: string | null
}

/** The raw rounds, a line each, or for each contender in each scene. */
export function roundLines(rounds: readonly Round[]): string {
  const lines = rounds.flatMap((round, index) => {
    const rows = rowsOf(round)
    if (rows.length === 0) return [`  round ${index + 1}: ${figuresIn(round)}\n`]
    return rows.map(({ scene, who, figures }) => `  round ${index + 1}: ${scene}: ${who}: ${figuresIn(figures)}\n`)
  })
  return lines.join('')
}

function figuresIn(round: Round): string {
  return Object.entries(round)
    .map(([name, value]) => `${name} ${figure(value)}`)
    .join(', ')
}

export function figureTable(all: readonly Found[]): string {
  const table = new Table({
    head: ['measurement', 'figure', 'median', 'least', 'most'],
    colAligns: ['left', 'left', 'right', 'right', 'right'],
    style: { head: [], border: [], compact: true },
  })
  const flat = all.filter(({ rounds }) => sceneRows(rounds).length === 0)
  table.push(...flat.flatMap(figureRows))
  const scenes = all.filter((found) => !flat.includes(found)).map(sceneTable)
  return [...(flat.length > 0 ? [table.toString()] : []), ...scenes].join('\n\n')
}

/** The medians of each contender in each scene. */
function sceneTable({ measurement, rounds }: Pick<Found, 'measurement' | 'rounds'>): string {
  const rows = sceneRows(rounds)
  const columns = columnsOf(rows)
  const table = new Table({
    head: [measurement.name, 'median', ...columns],
    colAligns: ['left', 'left', ...columns.map(() => 'right' as const)],
    style: { head: [], border: [], compact: true },
  })
  for (const { scene, who, figures } of rows) {
    table.push([scene, who, ...columns.map((column) => shown(figures[column]))])
  }
  return table.toString()
}

export function sceneRows(rounds: readonly Round[]): readonly SceneRow[] {
  return rowsOf(medianRound(rounds))
}

export function columnsOf(rows: readonly SceneRow[]): readonly string[] {
  return [...new Set(rows.flatMap(({ figures }) => Object.keys(figures)))]
}

/** Not every figure is there for all, and not all of them could be measured. */
export function shown(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? '–' : figure(value)
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
