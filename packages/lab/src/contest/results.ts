/** What a run found as a table for the terminal. */
import Table from 'cli-table3'
import type { Findings, FoundStrategy } from '../findings/findings.ts'

const HEAD = ['strategy', 'sold', 'left', 'a second', 'p50 ms', 'p99 ms', 'commands a sale', 'verdict']

export function resultTable({ strategies }: Findings): string {
  const table = new Table({ head: HEAD, style: { head: [], border: [] } })
  for (const found of strategies) table.push([found.name, ...figures(found), verdictOf(found)])
  return table.toString()
}

function figures({ sale }: FoundStrategy): string[] {
  if (sale === null) return ['', '', '', '', '', '']
  const { books, rush, tally } = sale
  const each = tally.commands === null || books.sold === 0 ? '' : (tally.commands / books.sold).toFixed(1)
  const numbers = [books.sold, books.left, rush.requestsPerSecond, rush.p50Ms, rush.p99Ms]
  return [...numbers.map((number) => Math.round(number).toLocaleString('en-US')), each]
}

function verdictOf({ judged: { verdict, because } }: FoundStrategy): string {
  if (verdict === 'right') return 'right'
  return verdict === 'wrong' ? `wrong: ${because.join('; ')}` : `right until ${because.join(', or ')}`
}
