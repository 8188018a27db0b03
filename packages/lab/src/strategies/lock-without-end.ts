/** `SETNX` alone, and with an end that comes in a second command. */
import { type Release, sellUnder } from '../shop/selling.ts'
import type { Shop } from '../shop/shop.ts'
import { type RedisLock, redisLock } from './redis-lock.ts'
import type { Buy, Strategy } from './strategy.ts'

const shared = { store: 'redis', made: 'plain client', verdict: 'right until' } as const

export const withoutEnd: Strategy = {
  ...shared,
  name: 'setnx',
  step: 7,
  title: 'SETNX, released by DEL',
  fixes: 'Servers that know nothing of each other: the lock is where all of them see it.',
  leaves: 'A holder that dies holds it for ever.',
  source: { file: 'lock-without-end.ts', line: 'await redis.setnx(key' },
  open: (shop) =>
    lockedBy(shop, async ({ redis, key }) => {
      if ((await redis.setnx(key, 'taken')) === 0) return null
      await shop.at('took it without an end')
      return () => redis.del(key)
    }),
}

export const endAfterwards: Strategy = {
  ...shared,
  name: 'setnx-then-expire',
  step: 8,
  title: 'SETNX, then PEXPIRE',
  fixes: 'The dead holder: the lock ends by itself.',
  leaves: 'Who dies between the two commands still holds it for ever.',
  source: { file: 'lock-without-end.ts', line: 'await redis.pexpire(key, shop.terms.ttlMs) // the second command' },
  open: (shop) => lockedBy(shop, (lock) => takeInTwo(shop, lock)),
}

export const endHealed: Strategy = {
  ...shared,
  name: 'setnx-then-expire-healed',
  step: 8,
  title: 'SETNX, then PEXPIRE, and whoever finds no end sets one',
  fixes: 'The death between the two commands: the next contender repairs it.',
  leaves: 'A late holder that deletes the lock of the next.',
  source: { file: 'lock-without-end.ts', line: 'if ((await redis.pttl(key)) === WITHOUT_END)' },
  open: (shop) =>
    lockedBy(shop, async (lock) => {
      const { redis, key } = lock
      const release = await takeInTwo(shop, lock)
      if (release !== null) return release
      if ((await redis.pttl(key)) === WITHOUT_END) await redis.pexpire(key, shop.terms.ttlMs)
      return null
    }),
}

/** What Redis answers when it is asked how long a key lasts that has no end. */
const WITHOUT_END = -1

async function takeInTwo(shop: Shop, { redis, key }: RedisLock): Promise<Release | null> {
  if ((await redis.setnx(key, 'taken')) === 0) return null
  await shop.at('took it without an end')
  await redis.pexpire(key, shop.terms.ttlMs) // the second command
  return () => redis.del(key)
}

async function lockedBy(shop: Shop, take: (lock: RedisLock) => Promise<Release | null>): Promise<Buy> {
  const lock = await redisLock(shop)
  return sellUnder(shop, () => shop.retried(() => take(lock)))
}
