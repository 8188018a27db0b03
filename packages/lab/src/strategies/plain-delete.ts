/** One command that takes the lock and gives it an end; and a release that asks nobody. */
import { sellUnder } from '../shop/selling.ts'
import { redisLock } from './redis-lock.ts'
import type { Strategy } from './strategy.ts'

export const plainDelete: Strategy = {
  name: 'plain-delete',
  step: 10,
  title: 'SET NX PX, released by DEL',
  store: 'redis',
  made: 'plain client',
  verdict: 'right until',
  fixes: 'A holder that dies: the lock has an end from its first moment.',
  leaves: 'Who comes back late deletes whatever lock is there, and that is somebody else’s.',
  source: { file: 'plain-delete.ts', line: 'redis.del(key)' },
  async open(shop) {
    const { redis, key } = await redisLock(shop)
    return sellUnder(shop, () =>
      shop.retried(async () => {
        const taken = await redis.set(key, 'taken', 'PX', shop.terms.ttlMs, 'NX')
        return taken === null ? null : () => redis.del(key)
      }),
    )
  },
}
