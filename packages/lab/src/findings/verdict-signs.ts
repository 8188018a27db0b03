/** Verdicts as words, signs and colours: each says the same, so none is needed alone. */
import type { Verdict } from '../strategies/strategy.ts'
import type { FoundStrategy } from './findings.ts'

export const SIGN: Readonly<Record<Verdict, string>> = { right: '✓', 'right until': '△', wrong: '✗' }

/** Told apart in light and dark, and by eyes that see no red or green. */
export const COLOUR: Readonly<Record<Verdict, string>> = {
  right: '#0b84c9',
  'right until': '#d39200',
  wrong: '#c2417c',
}

/** In one phrase. */
export function verdictOf({ judged: { verdict, because } }: Pick<FoundStrategy, 'judged'>): string {
  if (verdict === 'right') return 'right'
  return verdict === 'wrong' ? `wrong: ${because.join('; ')}` : `right until ${because.join(', or ')}`
}
