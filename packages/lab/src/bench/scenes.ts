/**
 * Figures of many contenders in many scenes are one flat round like any other; their names say which they are:
 * `scene/who/figure`.
 */
import type { Round } from './measurement.ts'
import { median } from './statistics.ts'

export interface SceneRow {
  readonly scene: string
  readonly who: string
  readonly figures: Round
}

export function named(scene: string, who: string, figures: Round): Round {
  const entries = Object.entries(figures).map(([figure, value]) => [`${scene}/${who}/${figure}`, value] as const)
  return Object.fromEntries(entries)
}

/** The rows of a round, in the order in which they were measured; none for a round without scenes. */
export function rowsOf(round: Round): readonly SceneRow[] {
  const rows = new Map<string, { scene: string; who: string; figures: Record<string, number> }>()
  for (const [name, value] of Object.entries(round)) {
    const [scene, who, figure] = name.split('/')
    if (scene === undefined || who === undefined || figure === undefined) continue
    const row = rows.get(`${scene}/${who}`) ?? { scene, who, figures: {} }
    row.figures[figure] = value
    rows.set(`${scene}/${who}`, row)
  }
  return [...rows.values()]
}

export function figureIn(round: Round, scene: string, who: string, figure: string): number {
  return round[`${scene}/${who}/${figure}`] ?? Number.NaN
}

/** The median of a number that is taken inside each round, as every ratio must be. */
export function medianOver(rounds: readonly Round[], of: (round: Round) => number): number {
  return median(rounds.map(of))
}
