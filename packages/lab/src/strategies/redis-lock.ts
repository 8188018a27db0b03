/** What the hand-made locks in Redis share: one key, and a release that takes a connection of its own. */
import type { Redis } from 'ioredis'
import type { Shop } from '../shop/shop.ts'

export interface RedisLock {
  readonly redis: Redis
  /** The key of the lock. */
  readonly key: string
}

export async function redisLock(shop: Shop): Promise<RedisLock> {
  return { redis: await shop.redis(), key: `${shop.item}:lock` }
}
