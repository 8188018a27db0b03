/** Primitives of Holdfast that let several in: permits with ids of their own, readers beside readers, a sale that opens. */
import type { Holdfast } from 'holdfast'
import { sellOne, sellUnder } from '../shop/selling.ts'
import type { Shop } from '../shop/shop.ts'
import { leased, locksInFile, locksInRedis } from './own-locks.ts'
import { sellWithPermit } from './permits.ts'
import type { Buy, Strategy } from './strategy.ts'

const FILE = 'sharing.ts'

export const permits: Strategy = {
  name: 'permits',
  step: 23,
  title: 'Holdfast: a semaphore whose permits have ids, and come back when their holder is lost',
  store: 'redis',
  made: 'Holdfast',
  verdict: 'right',
  fixes: 'All of the semaphores above, in order, and with nobody who has to ask again and again.',
  leaves: 'Permits have no order, so no fence, unless they are taken with a slot.',
  source: { file: FILE, line: "locks.semaphore('checkouts', { capacity:" },
  async open(shop) {
    const locks = await locksInRedis(shop)
    const semaphore = locks.semaphore('checkouts', { capacity: shop.terms.permits, wait: `${shop.terms.waitMs}ms` })
    return sellWithPermit(shop, async () => {
      const permit = await semaphore.acquire()
      return () => permit.release()
    })
  },
}

export const readersAndWriters: Strategy = {
  name: 'readers-and-writers',
  step: 19,
  title: 'Holdfast: read–write lock; who looks shares it, who sells has it alone',
  store: 'redis',
  made: 'Holdfast',
  verdict: 'right',
  fixes: 'Readers that stand in line for each other, and readers that see half of a change.',
  leaves: 'A writer waits for the slowest reader.',
  source: { file: FILE, line: 'both.write()' },
  async open(shop) {
    const locks = await locksInRedis(shop)
    const [redis, wait] = [await shop.redis(), `${shop.terms.waitMs}ms` as const]
    const both = locks.rwlock('stock', { wait })
    const [price, tag] = [`${shop.item}:price`, `${shop.item}:tag`]
    const look = (): Promise<void> =>
      both.read().run(async () => {
        shop.meter.peak('looked at once', await redis.incr(`${shop.item}:looking`))
        const first = await redis.get(price)
        await shop.at('looks at the price')
        if (first !== (await redis.get(tag))) shop.meter.fault('price and tag differ')
        await redis.decr(`${shop.item}:looking`)
        await shop.at('has looked')
      })
    const write = async (): Promise<'sold' | 'sold out' | 'busy'> => {
      const left = await shop.stock.left()
      await redis.set(price, left)
      const sale = await sellOne(shop)
      await redis.set(tag, left)
      return sale
    }
    return async () => {
      await look()
      const sell = sellUnder(shop, leased(both.write()), write)
      return sell()
    }
  },
}

const WAREHOUSES = 3

export const openingLatch: Strategy = {
  name: 'opening-latch',
  step: 24,
  title: 'Holdfast: a latch; the sale opens when all warehouses have reported',
  store: 'sqlite',
  made: 'Holdfast',
  verdict: 'right',
  fixes: 'The start that depends on several others, each of which may report twice or late.',
  leaves: 'Nothing of its own: it counts, and does not exclude.',
  source: { file: FILE, line: 'await latch.wait(' },
  async open(shop) {
    const locks = await locksInFile(shop)
    const latch = locks.latch('opening', WAREHOUSES)
    if (shop.plan.process === 0) void report(shop, latch)
    const lock = locks.mutex('stock', { wait: `${shop.terms.waitMs}ms` })
    const sell = sellUnder(shop, leased(lock))
    return openedBy(shop, latch, sell)
  },
}

type Latch = ReturnType<Holdfast['latch']>

function openedBy(shop: Shop, latch: Latch, sell: Buy): Buy {
  return async () => {
    await latch.wait({ wait: `${shop.terms.waitMs}ms` })
    if ((await latch.remaining()) > 0) shop.meter.fault('sold before the opening')
    return sell()
  }
}

/** One report is made twice, as happens: it counts once. */
async function report(shop: Shop, latch: Latch): Promise<void> {
  for (const warehouse of ['north', 'north', 'south', 'east']) {
    await shop.pause(2 * shop.terms.retryMs)
    await latch.countDown(warehouse)
  }
}
