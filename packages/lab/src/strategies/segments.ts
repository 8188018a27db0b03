/** The stock as one number under one lock, and in ten parts under ten. */
import type { Redis } from 'ioredis'
import { nowMs } from '../sale/moment.ts'
import { sellUnder } from '../shop/selling.ts'
import type { Shop } from '../shop/shop.ts'
import { leased, locksInRedis } from './own-locks.ts'
import type { Buy, Sale, Strategy } from './strategy.ts'

/** Long enough that the lock is what a sale waits for. */
const PAYMENT_MS = 5
const SEGMENTS = 10
const shared = {
  step: 26,
  store: 'redis',
  made: 'Holdfast',
  verdict: 'right',
  terms: { paymentMs: PAYMENT_MS },
} as const
const FILE = 'segments.ts'

export const oneSegment: Strategy = {
  ...shared,
  name: 'one-segment',
  title: 'The whole stock under one lock, with a payment of 5 ms',
  fixes: 'Nothing: it is here to be compared.',
  leaves: 'One sale at a time, however many could pay.',
  source: { file: FILE, line: "locks.mutex('stock'" },
  async open(shop) {
    const locks = await locksInRedis(shop)
    const lock = locks.mutex('stock', { wait: `${shop.terms.waitMs}ms` })
    return sellUnder(shop, leased(lock))
  },
}

export const tenSegments: Strategy = {
  ...shared,
  name: 'ten-segments',
  title: 'The stock in ten parts, each under its own lock',
  fixes: 'The queue in front of one lock: ten sell at once.',
  leaves: 'When a part runs out the others have to be looked through, and no single number says what is left.',
  source: { file: FILE, line: 'for (let tried = 0; tried < SEGMENTS; tried += 1)' },
  open,
}

/** The parts are cut from the stock by whoever comes first, and counted back into its books at each sale. */
const CUT = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local left, parts = tonumber(redis.call('GET', KEYS[2])), tonumber(ARGV[1])
for part = 0, parts - 1 do
  redis.call('HSET', KEYS[1], part, math.floor(left / parts) + (part < left % parts and 1 or 0))
end
return 1`

async function open(shop: Shop): Promise<Buy> {
  const locks = await locksInRedis(shop)
  const redis = await shop.redis()
  await redis.eval(CUT, 2, partsOf(shop), `${shop.item}:left`, SEGMENTS)
  const segments = Array.from({ length: SEGMENTS }, (_, part) => locks.mutex(`stock:${part}`))
  let turn = shop.plan.process
  return async () => {
    const askedMs = nowMs()
    turn += 1
    for (let tried = 0; tried < SEGMENTS; tried += 1) {
      const part = (turn + tried) % SEGMENTS
      // A look without the lock: what is sold out stays so.
      if (Number(await redis.hget(partsOf(shop), `${part}`)) === 0) continue
      const wait = `${shop.terms.waitMs}ms` as const
      const sale = await segments[part]?.run(() => sellFrom(shop, redis, part, askedMs), { wait })
      if (sale === 'sold') return sale
    }
    return 'sold out'
  }
}

async function sellFrom(shop: Shop, redis: Redis, part: number, askedMs: number): Promise<Sale> {
  shop.meter.waitsMs.push(nowMs() - askedMs)
  const left = Number(await redis.hget(partsOf(shop), `${part}`))
  if (left === 0) return 'sold out'
  await shop.pay()
  const write = redis
    .multi()
    .hset(partsOf(shop), part, left - 1)
    .decr(`${shop.item}:left`)
  await write.rpush(`${shop.item}:receipts`, process.pid).exec()
  return 'sold'
}

const partsOf = (shop: Shop): string => `${shop.item}:parts`
