/**
 * The race that every strategy is about, once: read the stock, wait for the payment, write back what should be left.
 * And the same under a lock, whatever the lock is.
 */
import { nowMs } from '../sale/moment.ts'
import type { Buy, Sale } from '../strategies/strategy.ts'
import type { Shop } from './shop.ts'

/** Sells one piece, or finds none left. Right only while nobody else does the same. */
export async function sellOne(shop: Shop): Promise<Sale> {
  const left = await shop.stock.left()
  await shop.at('read the stock')
  if (left <= 0) return 'sold out'
  await shop.pay()
  await shop.at('paid')
  await shop.stock.writeBack(left - 1)
  return 'sold'
}

/** Gives the lock back. */
export type Release = () => Promise<unknown>

/** @param take null: patience is over */
export function sellUnder(shop: Shop, take: () => Promise<Release | null>, sell: Buy = () => sellOne(shop)): Buy {
  return async () => {
    const askedMs = nowMs()
    const release = await take()
    if (release === null) return 'busy'
    shop.meter.waitsMs.push(nowMs() - askedMs)
    await shop.at('holds the lock')
    try {
      return await sell()
    } finally {
      await shop.at('gives it back')
      await release()
      await shop.at('let go')
    }
  }
}
