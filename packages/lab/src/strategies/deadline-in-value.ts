/**
 * The lock whose value is its own deadline, from the time before `SET` could give an end. Who finds an old deadline takes
 * the lock over, and how that is done makes three locks of it.
 */
import type { Redis } from 'ioredis'
import { sellUnder } from '../shop/selling.ts'
import type { Shop } from '../shop/shop.ts'
import { connectionPool, type Lend } from './connection-pool.ts'
import { redisLock } from './redis-lock.ts'
import type { Buy, Strategy } from './strategy.ts'

const shared = { step: 9, store: 'redis', made: 'plain client', verdict: 'right until' } as const
const FILE = 'deadline-in-value.ts'

export const deadlineDeleted: Strategy = {
  ...shared,
  name: 'deadline-deleted',
  title: 'The deadline as value; an old one is deleted and taken anew',
  fixes: 'The death between two commands: the lock has its end in its value.',
  leaves: 'Two that see the same old deadline: the second deletes the lock of the first.',
  source: { file: FILE, line: 'await redis.del(key) // whatever is there by now' },
  open: (shop) => open(shop, takeByDelete),
}

export const deadlineSwapped: Strategy = {
  ...shared,
  name: 'deadline-swapped',
  title: 'The deadline as value; an old one is swapped by GETSET',
  fixes: 'The double grant: only one of two gets the old deadline back.',
  leaves: 'The other one has written its own deadline over that of the holder, who no longer knows its lock.',
  source: { file: FILE, line: 'const before = await redis.getset(key, deadline)' },
  open: (shop) => open(shop, takeBySwap),
}

export const deadlineWatched: Strategy = {
  ...shared,
  name: 'deadline-watched',
  title: 'The deadline as value; an old one is swapped under WATCH',
  fixes: 'The overwritten deadline: who comes second writes nothing.',
  leaves: 'Deadlines by the clocks of those who ask: one that runs ahead takes what is held.',
  source: { file: FILE, line: 'await own.multi().set(key, deadline).exec()' },
  open: (shop) => open(shop, takeByWatch),
}

interface Connections {
  readonly redis: Redis
  readonly lend: Lend
}

/** Resolves with whether the old lock was taken over. */
type TakeOver = (at: Connections, key: string, deadline: string, shop: Shop) => Promise<boolean>

async function open(shop: Shop, takeOver: TakeOver): Promise<Buy> {
  const { redis, key } = await redisLock(shop)
  const connections = { redis, lend: await connectionPool(shop) }
  return sellUnder(shop, () =>
    shop.retried(async () => {
      const deadline = `${shop.now() + shop.terms.ttlMs}`
      const taken = (await redis.setnx(key, deadline)) === 1 || (await takeOver(connections, key, deadline, shop))
      if (!taken) return null
      return async () => {
        if ((await redis.get(key)) === deadline) await redis.del(key)
        else shop.meter.peak('locks not given back', 1)
      }
    }),
  )
}

const isOld = (deadline: string | null, shop: Shop): boolean => deadline !== null && Number(deadline) < shop.now()

const takeByDelete: TakeOver = async ({ redis }, key, deadline, shop) => {
  if (!isOld(await redis.get(key), shop)) return false
  await shop.at('saw an old deadline')
  await redis.del(key) // whatever is there by now
  return (await redis.setnx(key, deadline)) === 1
}

const takeBySwap: TakeOver = async ({ redis }, key, deadline, shop) => {
  if (!isOld(await redis.get(key), shop)) return false
  await shop.at('saw an old deadline')
  const before = await redis.getset(key, deadline)
  await shop.at('wrote its deadline')
  return isOld(before, shop)
}

const takeByWatch: TakeOver = ({ lend }, key, deadline, shop) =>
  lend(async (own) => {
    await own.watch(key)
    if (!isOld(await own.get(key), shop)) {
      await own.unwatch()
      return false
    }
    await shop.at('saw an old deadline')
    return (await own.multi().set(key, deadline).exec()) !== null
  })
