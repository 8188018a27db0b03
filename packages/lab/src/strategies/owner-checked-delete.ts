/** The look and the delete as one step of the server: by a script, or by a watched transaction. */
import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { sellUnder } from '../shop/selling.ts'
import type { Shop } from '../shop/shop.ts'
import { connectionPool, type Lend } from './connection-pool.ts'
import { redisLock } from './redis-lock.ts'
import type { Buy, Strategy } from './strategy.ts'

export const DELETE_IF_MINE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`

const shared = {
  step: 12,
  store: 'redis',
  made: 'plain client',
  verdict: 'right until',
  fixes: 'The race between the look and the delete.',
  leaves: 'The work that outlives its lock: two sell at once, and neither learns of it.',
} as const

export const deleteByScript: Strategy = {
  ...shared,
  name: 'delete-by-script',
  title: 'SET NX PX with an owner, released by one script',
  source: { file: 'owner-checked-delete.ts', line: 'const DELETE_IF_MINE' },
  open: (shop) => open(shop, (redis, key, owner) => redis.eval(DELETE_IF_MINE, 1, key, owner)),
}

export const deleteByWatch: Strategy = {
  ...shared,
  name: 'delete-by-watch',
  title: 'SET NX PX with an owner, released by WATCH and MULTI',
  source: { file: 'owner-checked-delete.ts', line: 'await own.watch(key)' },
  open: (shop) => open(shop, deleteWatched),
}

type Remove = (redis: Redis, key: string, owner: string, lend: Lend) => Promise<unknown>

async function open(shop: Shop, remove: Remove): Promise<Buy> {
  const { redis, key } = await redisLock(shop)
  const lend = await connectionPool(shop)
  return sellUnder(shop, () =>
    shop.retried(async () => {
      const owner = randomUUID()
      if ((await redis.set(key, owner, 'PX', shop.terms.ttlMs, 'NX')) === null) return null
      return async () => {
        await shop.at('is about to delete it')
        await remove(redis, key, owner, lend)
      }
    }),
  )
}

/** A transaction belongs to a connection: one that others use meanwhile would watch for them too. */
const deleteWatched: Remove = (_, key, owner, lend) =>
  lend(async (own) => {
    await own.watch(key)
    if ((await own.get(key)) === owner) await own.multi().del(key).exec()
    else await own.unwatch()
  })
