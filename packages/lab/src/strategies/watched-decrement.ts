/** No lock: the stock itself is watched, and the sale is tried again when it changed meanwhile. */
import type { Redis } from 'ioredis'
import type { Shop } from '../shop/shop.ts'
import { connectionPool } from './connection-pool.ts'
import type { Sale, Strategy } from './strategy.ts'

const shared = { step: 6, store: 'redis', made: 'plain client' } as const
const FILE = 'watched-decrement.ts'

export const watchedDecrement: Strategy = {
  ...shared,
  name: 'watched-decrement',
  title: 'WATCH, MULTI, EXEC on one connection',
  verdict: 'right',
  fixes: 'The race itself, without a lock that anybody could forget.',
  leaves: 'Where many want the same item, most attempts are in vain.',
  source: { file: FILE, line: 'lend((redis) => buy(shop, redis, redis))' },
  async open(shop) {
    const lend = await connectionPool(shop)
    return () => lend((redis) => buy(shop, redis, redis))
  },
}

export const watchedElsewhere: Strategy = {
  ...shared,
  name: 'watched-elsewhere',
  title: 'WATCH on one connection, MULTI on another',
  verdict: 'wrong',
  fixes: 'Nothing: it only looks like the one before.',
  leaves: 'The transaction belongs to a connection that watched nothing, so it never fails.',
  source: { file: FILE, line: 'lend((redis) => buy(shop, redis, other))' },
  async open(shop) {
    const [lend, other] = [await connectionPool(shop), await shop.redis()]
    return () => lend((redis) => buy(shop, redis, other))
  },
}

async function buy(shop: Shop, watching: Redis, writing: Redis): Promise<Sale> {
  const sale = await shop.retried(async (): Promise<Sale | null> => {
    await watching.watch(keyOf(shop, 'left'))
    const left = Number(await watching.get(keyOf(shop, 'left')))
    await shop.at('read the stock')
    if (left <= 0) {
      await watching.unwatch()
      return 'sold out'
    }
    await shop.pay()
    await shop.at('paid')
    const kept = await writeBack(writing, shop, left - 1)
    return kept ? 'sold' : null
  })
  return sale ?? 'busy'
}

async function writeBack(redis: Redis, shop: Shop, left: number): Promise<boolean> {
  const write = redis.multi().set(keyOf(shop, 'left'), left).rpush(keyOf(shop, 'receipts'), process.pid)
  return (await write.exec()) !== null
}

const keyOf = (shop: Shop, part: 'left' | 'receipts'): string => `${shop.item}:${part}`
