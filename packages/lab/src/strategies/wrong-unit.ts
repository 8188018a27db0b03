/** Ten seconds were meant. */
import { randomUUID } from 'node:crypto'
import { type Duration, holdfast } from 'holdfast'
import { memory } from 'holdfast/memory'
import { sellUnder } from '../shop/selling.ts'
import { leased, locksInRedis } from './own-locks.ts'
import { DELETE_IF_MINE } from './owner-checked-delete.ts'
import { redisLock } from './redis-lock.ts'
import type { Strategy } from './strategy.ts'

const SECONDS = 10

export const wrongUnit: Strategy = {
  name: 'wrong-unit',
  step: 14,
  title: 'The right lock with its time in the wrong unit',
  store: 'redis',
  made: 'plain client',
  verdict: 'wrong',
  fixes: 'Nothing: it is the lock before with one word wrong.',
  leaves: 'A number has no unit: ten milliseconds are over before the payment is.',
  terms: { paymentMs: 20 },
  source: { file: 'wrong-unit.ts', line: "redis.set(key, owner, 'PX', SECONDS, 'NX')" },
  async open(shop) {
    const { redis, key } = await redisLock(shop)
    return sellUnder(shop, () =>
      shop.retried(async () => {
        const owner = randomUUID()
        if ((await redis.set(key, owner, 'PX', SECONDS, 'NX')) === null) return null
        return () => redis.eval(DELETE_IF_MINE, 1, key, owner)
      }),
    )
  },
}

export const unitInTheValue: Strategy = {
  name: 'unit-in-the-value',
  step: 14,
  title: 'Holdfast: a time carries its unit, or is refused at once',
  store: 'redis',
  made: 'Holdfast',
  verdict: 'right',
  fixes: 'The wrong unit: a bare number neither compiles nor runs.',
  leaves: 'A time that is too short for the work, in whatever unit.',
  source: { file: 'wrong-unit.ts', line: 'maxHold: SECONDS as unknown as Duration' },
  async open(shop) {
    refuseBareNumbers()
    const lock = (await locksInRedis(shop)).mutex('stock', { maxHold: `${SECONDS}s`, wait: `${shop.terms.waitMs}ms` })
    return sellUnder(shop, leased(lock))
  },
}

/** What a JavaScript program gets that writes a number, before it has locked anything. */
function refuseBareNumbers(): void {
  try {
    holdfast(memory(), { namespace: 'units' }).mutex('stock', { maxHold: SECONDS as unknown as Duration })
  } catch (error) {
    if (error instanceof TypeError) return
    throw error
  }
  throw new Error('a bare number was taken for a time')
}
