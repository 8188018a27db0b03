/** Who comes first across processes is served first, at the price of a round trip each. */
import { sellUnder } from '../shop/selling.ts'
import { leased, locksInRedis } from './own-locks.ts'
import type { Strategy } from './strategy.ts'

export const fair: Strategy = {
  name: 'fair',
  step: 16,
  title: 'Holdfast: fair mutex, first come, first served across processes',
  store: 'redis',
  made: 'Holdfast',
  verdict: 'right',
  fixes: 'The order: nobody who came later is served earlier, whatever its process.',
  leaves: 'Each hand-over goes by way of the server.',
  source: { file: 'fairness.ts', line: 'fair: true' },
  async open(shop) {
    const locks = await locksInRedis(shop)
    const lock = locks.mutex('stock', { fair: true, wait: `${shop.terms.waitMs}ms` })
    return sellUnder(shop, leased(lock))
  },
}
