/** What one strategy has over another of the same run, as ratios: both were tried in the same minutes on the same machine. */
import type { FoundStrategy } from './findings.ts'

export interface Comparison {
  readonly title: string
  readonly better: string
  readonly than: string
  readonly figures: readonly {
    readonly what: string
    readonly better: number
    readonly than: number
    readonly ratio: number
  }[]
}

export type Figure = (found: FoundStrategy) => number | null

export const perSecond: Figure = ({ sale }) =>
  sale.sellingSeconds === null ? null : sale.books.sold / sale.sellingSeconds
export const commands: Figure = ({ sale }) => {
  if (sale.tally.commands === null || sale.books.sold === 0) return null
  return sale.tally.commands / sale.books.sold
}
const p99: Figure = ({ sale }) => sale.waits?.p99Ms ?? null
const wasted: Figure = ({ sale }) => (sale.books.sold === 0 ? null : sale.tally.wasted / sale.books.sold)
const contenders: Figure = ({ sale }) => sale.tally.peaks['contenders at the server'] ?? null

const WANTED: readonly {
  readonly title: string
  readonly pair: readonly [better: string, than: string]
  readonly figures: Readonly<Record<string, Figure>>
}[] = [
  {
    title: 'Two levels against one',
    pair: ['two-levels', 'one-level'],
    figures: { 'contenders at the server': contenders, 'commands a sale': commands, 'sales a second': perSecond },
  },
  {
    title: 'Ten segments against one',
    pair: ['ten-segments', 'one-segment'],
    figures: { 'sales a second': perSecond },
  },
  {
    title: 'Fair against first in its process',
    pair: ['fair', 'two-levels'],
    figures: { 'sales a second': perSecond, 'commands a sale': commands, 'longest waits (p99 ms)': p99 },
  },
  {
    title: 'Told against asking again',
    pair: ['holdfast-mutex', 'spinning'],
    figures: { 'commands a sale': commands, 'sales a second': perSecond, 'longest waits (p99 ms)': p99 },
  },
  {
    title: 'Backing off against asking at once',
    pair: ['backing-off', 'spinning'],
    figures: { 'commands a sale': commands, 'attempts in vain a sale': wasted, 'sales a second': perSecond },
  },
]

/** Those of which the run has both sides. */
export function comparisonsIn(strategies: readonly FoundStrategy[]): readonly Comparison[] {
  return WANTED.flatMap(({ title, pair, figures }) => {
    const [better, than] = pair.map((name) => strategies.find((found) => found.name === name))
    if (better === undefined || than === undefined) return []
    const found = Object.entries(figures).flatMap(([what, figure]) => {
      const [one, other] = [figure(better), figure(than)]
      return one === null || other === null || other === 0
        ? []
        : [{ what, better: one, than: other, ratio: one / other }]
    })
    return [{ title, better: better.name, than: than.name, figures: found }]
  })
}
