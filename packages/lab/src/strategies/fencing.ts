/** A holder that was stopped while it held the lock, and writes when it goes on: without and with a fence at the shelf. */

import type { Lease } from 'holdfast'
import { type RedisGuard, redisGuard } from 'holdfast/guard'
import { sellUnder } from '../shop/selling.ts'
import type { Shop } from '../shop/shop.ts'
import { leased, locksInRedis } from './own-locks.ts'
import type { Buy, Sale, Strategy } from './strategy.ts'

const shared = { step: 30, store: 'redis', made: 'Holdfast' } as const
const FILE = 'fencing.ts'

export const unfenced: Strategy = {
  ...shared,
  name: 'unfenced',
  title: 'A correct lock, and a shelf that takes every write',
  verdict: 'right until',
  fixes: 'Everything that a lock can.',
  leaves: 'A holder that is stopped before it writes, and goes on when another has sold.',
  source: { file: FILE, line: 'return sellUnder(shop, leased(lock))' },
  async open(shop) {
    const lock = (await locksInRedis(shop)).mutex('stock', { wait: `${shop.terms.waitMs}ms` })
    return sellUnder(shop, leased(lock))
  },
}

export const fenced: Strategy = {
  ...shared,
  name: 'fenced',
  title: 'The same lock, and a shelf that knows the highest fence',
  verdict: 'right',
  fixes: 'The late write: it is refused, however sure its writer is.',
  leaves: 'Every write has to go by the guard; what cannot check a number cannot be fenced.',
  source: { file: FILE, line: 'await guard.run(lease, WRITE_BACK' },
  async open(shop) {
    const lock = (await locksInRedis(shop)).mutex('stock', { wait: `${shop.terms.waitMs}ms` })
    return fencedBuy(shop, redisGuard(await shop.redis(), `${shop.item}:left`), () => lock.acquire())
  },
}

const WRITE_BACK = `redis.call('SET', KEYS[1], ARGV[1]) redis.call('RPUSH', KEYS[2], ARGV[2])`

/** Sells under the leases that `take` gives; each write is checked by the guard. */
export function fencedBuy(shop: Shop, guard: RedisGuard, take: () => Promise<Lease>): Buy {
  return async () => {
    const lease = await take()
    await shop.at('holds the lock')
    try {
      return await sellFenced(shop, guard, lease)
    } finally {
      await shop.at('gives it back')
      await lease.release()
      await shop.at('let go')
    }
  }
}

async function sellFenced(shop: Shop, guard: RedisGuard, lease: Lease): Promise<Sale> {
  // Before the first read: from here on the shelf refuses all who came before.
  await guard.enter(undefined, lease)
  const left = await shop.stock.left()
  await shop.at('read the stock')
  if (left <= 0) return 'sold out'
  await shop.pay()
  await shop.at('paid')
  await guard.run(lease, WRITE_BACK, { keys: [`${shop.item}:receipts`], args: [`${left - 1}`, `${process.pid}`] })
  return 'sold'
}
