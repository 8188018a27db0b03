/** What a strategy turned out to be, by what its sale and its scenes showed, and whether that is what it says of itself. */
import type { PlayedScene } from '../scenes/playing.ts'
import type { Strategy, Verdict } from '../strategies/strategy.ts'
import { faultsOf, type SaleFound } from './sale.ts'

export interface Judged {
  readonly verdict: Verdict
  /** What it was seen to do wrong, or what would break it. */
  readonly because: readonly string[]
  /** What is not as the strategy and its scenes say; empty when all is. */
  readonly surprises: readonly string[]
}

export function judge(strategy: Strategy, sale: SaleFound, played: readonly PlayedScene[]): Judged {
  const faults = faultsOf(sale)
  const broken = played.filter(({ outcome }) => outcome.broken)
  const verdict: Verdict = faults.length > 0 ? 'wrong' : broken.length > 0 ? 'right until' : 'right'
  const because = faults.length > 0 ? faults : broken.map(({ scene }) => scene.until)
  const surprises = played
    .filter(({ outcome, expect }) => outcome.broken !== (expect === 'breaks'))
    .map(({ scene, expect, outcome }) => `the scene ${scene.name} should have shown that it ${expect}: ${outcome.says}`)
  // What sells nothing oversells nothing, and proves nothing.
  if (strategy.verdict === 'right' && sale.books.sold === 0) surprises.unshift('it sold nothing')
  const errors = sale.rush.failed + sale.rush.cut
  if (strategy.verdict === 'right' && errors > 0) surprises.unshift(`${errors} requests were refused or failed`)
  if (verdict !== strategy.verdict) surprises.unshift(`it says of itself "${strategy.verdict}", and is "${verdict}"`)
  return { verdict, because, surprises }
}
