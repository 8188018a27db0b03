/** Each holder writes a name of its own into the lock, and looks for it before it deletes: in two commands. */
import { randomUUID } from 'node:crypto'
import { sellUnder } from '../shop/selling.ts'
import { redisLock } from './redis-lock.ts'
import type { Strategy } from './strategy.ts'

export const checkThenDelete: Strategy = {
  name: 'check-then-delete',
  step: 11,
  title: 'SET NX PX with an owner, released by GET and DEL',
  store: 'redis',
  made: 'plain client',
  verdict: 'right until',
  fixes: 'The late holder that deletes the lock of the next: mostly.',
  leaves: 'Between the look and the delete the lock can end and become somebody else’s.',
  source: { file: 'check-then-delete.ts', line: 'if ((await redis.get(key)) !== owner) return' },
  async open(shop) {
    const { redis, key } = await redisLock(shop)
    return sellUnder(shop, () =>
      shop.retried(async () => {
        const owner = randomUUID()
        if ((await redis.set(key, owner, 'PX', shop.terms.ttlMs, 'NX')) === null) return null
        return async () => {
          if ((await redis.get(key)) !== owner) return
          await shop.at('saw its own name in the lock')
          await shop.at('is about to delete it')
          await redis.del(key)
        }
      }),
    )
  },
}
