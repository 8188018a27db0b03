/** What all semaphores of the lab share: at most so many pay at once, and a witness in the store counts them. */
import type { Redis } from 'ioredis'
import { nowMs } from '../sale/moment.ts'
import type { Release } from '../shop/selling.ts'
import type { Shop } from '../shop/shop.ts'
import type { Buy } from './strategy.ts'

/** Sells one piece in one step: what is limited is how many do it at once, not who may. */
const SELL = `
local left = tonumber(redis.call('GET', KEYS[1]))
if left <= 0 then return 0 end
redis.call('SET', KEYS[1], left - 1)
return redis.call('RPUSH', KEYS[2], ARGV[1])`

export type TakePermit = () => Promise<Release | null>

/** @param take null: patience is over */
export async function sellWithPermit(shop: Shop, take: TakePermit): Promise<Buy> {
  const redis = await shop.redis()
  return async () => {
    const askedMs = nowMs()
    const release = await take()
    if (release === null) return 'busy'
    shop.meter.waitsMs.push(nowMs() - askedMs)
    const sold = await witnessed(shop, redis, async () => {
      await shop.at('holds the lock')
      await shop.pay()
      return Number(await redis.eval(SELL, 2, `${shop.item}:left`, `${shop.item}:receipts`, process.pid))
    })
    await shop.at('gives it back')
    await release()
    await shop.at('let go')
    return sold > 0 ? 'sold' : 'sold out'
  }
}

async function witnessed<T>(shop: Shop, redis: Redis, work: () => Promise<T>): Promise<T> {
  const inside = await redis.incr(`${shop.item}:inside`)
  if (inside > shop.terms.permits) shop.meter.fault('more paid at once than may')
  try {
    return await work()
  } finally {
    await redis.decr(`${shop.item}:inside`)
  }
}
