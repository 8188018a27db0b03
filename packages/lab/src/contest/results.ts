/** What a run found as a table for the terminal. */
import Table from 'cli-table3'
import type { Findings, FoundStrategy } from '../findings/findings.ts'
import { verdictOf } from '../findings/verdict-signs.ts'

const HEAD = [
  'strategy',
  'sold',
  'left',
  'unfinished',
  'sold a second',
  'p50 ms',
  'p99 ms',
  'commands a sale',
  'verdict',
]

export function resultTable({ strategies }: Findings): string {
  const table = new Table({ head: HEAD, style: { head: [], border: [] } })
  for (const found of strategies) table.push([found.name, ...figures(found), verdictOf(found)])
  return table.toString()
}

function figures({ sale }: FoundStrategy): string[] {
  const { books, rush, tally, sellingSeconds, unfinished } = sale
  const each = tally.commands === null || books.sold === 0 ? '' : (tally.commands / books.sold).toFixed(1)
  const numbers = [
    books.sold,
    books.left,
    unfinished,
    sellingSeconds === null ? 0 : books.sold / sellingSeconds,
    rush.p50Ms,
    rush.p99Ms,
  ]
  return [...numbers.map((number) => Math.round(number).toLocaleString('en-US')), each]
}
