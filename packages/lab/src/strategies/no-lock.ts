/** Nothing at all: the race itself. */
import { sellOne } from '../shop/selling.ts'
import type { Strategy } from './strategy.ts'

export const noLock: Strategy = {
  name: 'no-lock',
  step: 1,
  title: 'No lock: read, decrement, write back',
  store: 'sqlite',
  made: 'plain client',
  verdict: 'wrong',
  fixes: 'Nothing. This is what the others are for.',
  leaves: 'Two that read the same number both write the one below it: one piece is sold twice.',
  source: { file: 'no-lock.ts', line: 'sellOne(shop)' },
  open: async (shop) => () => sellOne(shop),
}
