/** A pair that is sold together needs both locks: in whatever order it comes, or all at once. */
import { type Release, sellUnder } from '../shop/selling.ts'
import { locksInFile } from './own-locks.ts'
import type { Strategy } from './strategy.ts'

const shared = { step: 17, store: 'sqlite', made: 'Holdfast' } as const
const FILE = 'two-items.ts'
/** Half of the customers name the left shoe first. */
const NAMES = ['left', 'right'] as const

export const oneAfterTheOther: Strategy = {
  ...shared,
  name: 'one-after-the-other',
  title: 'Two locks, taken in the order in which the customer names them',
  verdict: 'right until',
  fixes: 'The race for a pair.',
  leaves: 'Two customers with one lock each, who wait for the other one: until their patience ends.',
  terms: { waitMs: 1_000 },
  source: { file: FILE, line: 'const second = await locks.mutex(names[1]).tryAcquire(' },
  async open(shop) {
    const locks = await locksInFile(shop)
    const wait = `${shop.terms.waitMs}ms` as const
    return sellUnder(shop, async (): Promise<Release | null> => {
      const names = shop.plan.process % 2 === 0 ? NAMES : ([NAMES[1], NAMES[0]] as const)
      const first = await locks.mutex(names[0]).tryAcquire({ wait })
      if (first === null) return null
      await shop.at('has the first of two')
      const second = await locks.mutex(names[1]).tryAcquire({ wait })
      if (second === null) {
        await first.release()
        return null
      }
      return () => Promise.all([second.release(), first.release()])
    })
  },
}

export const allAtOnce: Strategy = {
  ...shared,
  name: 'all-at-once',
  title: 'Holdfast: several locks as one, all or nothing',
  verdict: 'right',
  fixes: 'The deadlock: locks are taken in one order, whoever names them, and given back if one cannot be had.',
  leaves: 'Who needs all waits for the slowest of them.',
  source: { file: FILE, line: 'locks.all(names.map((name) => locks.mutex(name)))' },
  async open(shop) {
    const locks = await locksInFile(shop)
    const names = shop.plan.process % 2 === 0 ? NAMES : [...NAMES].reverse()
    const pair = locks.all(names.map((name) => locks.mutex(name)))
    return sellUnder(shop, async () => {
      const lease = await pair.acquire({ wait: `${shop.terms.waitMs}ms` })
      return () => lease.release()
    })
  },
}
