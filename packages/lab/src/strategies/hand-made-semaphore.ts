/** Counting semaphores in sorted sets, as they are made by hand: by times, by numbers, and what makes the latter safe. */
import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { Release } from '../shop/selling.ts'
import type { Shop } from '../shop/shop.ts'
import { DELETE_IF_MINE } from './owner-checked-delete.ts'
import { sellWithPermit } from './permits.ts'
import type { Buy, Strategy } from './strategy.ts'

const shared = { store: 'redis', made: 'plain client' } as const
const FILE = 'hand-made-semaphore.ts'
/** Far longer than the few commands of a take: should it end between them, the race would be back. */
const SHORT_LOCK_MS = 5_000

export const byTimes: Strategy = {
  ...shared,
  name: 'semaphore-by-times',
  step: 20,
  title: 'A semaphore: the first N by their own time in a sorted set',
  verdict: 'wrong',
  fixes: 'The cap on how many do something at once, also when one of them dies.',
  leaves:
    'Whose clock is behind, or whose command is late, stands in front of others and takes a permit that is given out.',
  source: { file: FILE, line: '.zadd(line, now, id)' },
  open: (shop) => open(shop, takeByTime),
}

export const byNumbers: Strategy = {
  ...shared,
  name: 'semaphore-by-numbers',
  step: 21,
  title: 'A semaphore: the first N by a counter, with times for the dead only',
  verdict: 'wrong',
  fixes: 'The order by clocks: a counter of the server says who came first.',
  leaves: 'Who drew the lower number and enters later still steps in front of one that has its permit.',
  source: { file: FILE, line: 'const number = await redis.incr(' },
  open: (shop) => open(shop, takeByNumber),
}

export const underAShortLock: Strategy = {
  ...shared,
  name: 'semaphore-under-a-lock',
  step: 22,
  title: 'The same, under a short lock',
  verdict: 'right',
  fixes: 'The race between drawing a number and entering with it.',
  leaves: 'A lock for every permit, and times of the dead that clients write.',
  source: { file: FILE, line: 'takeByNumber(shop, redis, line, id).finally(' },
  open: (shop) => open(shop, takeUnderLock),
}

export const byScript: Strategy = {
  ...shared,
  name: 'semaphore-by-script',
  step: 22,
  title: 'A semaphore in one script, by the clock of the server',
  verdict: 'right',
  fixes: 'Races and clocks alike: one step, one clock.',
  leaves: 'No order among those who wait, and nobody is told.',
  source: { file: FILE, line: 'const TAKE = `' },
  open: (shop) => open(shop, takeByScript),
}

/** True: it has a permit. */
type Take = (shop: Shop, redis: Redis, line: string, id: string) => Promise<boolean>

async function open(shop: Shop, take: Take): Promise<Buy> {
  const redis = await shop.redis()
  const line = `${shop.item}:permits`
  return sellWithPermit(shop, () =>
    shop.retried(async (): Promise<Release | null> => {
      const id = randomUUID()
      if (await take(shop, redis, line, id)) return () => leave(redis, line, id)
      await leave(redis, line, id)
      return null
    }),
  )
}

const leave = (redis: Redis, line: string, id: string): Promise<unknown> =>
  redis.multi().zrem(line, id).zrem(`${line}:owners`, id).exec()

const takeByTime: Take = async (shop, redis, line, id) => {
  const now = shop.now()
  const entered = redis
    .multi()
    .zremrangebyscore(line, '-inf', now - shop.terms.ttlMs)
    .zadd(line, now, id)
    .zrank(line, id)
  return isAmongFirst(shop, await entered.exec())
}

const takeByNumber: Take = async (shop, redis, line, id) => {
  const now = shop.now()
  const owners = `${line}:owners`
  await redis
    .multi()
    .zremrangebyscore(line, '-inf', now - shop.terms.ttlMs)
    .zinterstore(owners, 2, owners, line, 'WEIGHTS', 1, 0)
    .exec()
  const number = await redis.incr(`${line}:counter`)
  await shop.at('has its number')
  const entered = redis.multi().zadd(line, now, id).zadd(owners, number, id).zrank(owners, id)
  return isAmongFirst(shop, await entered.exec())
}

const takeUnderLock: Take = async (shop, redis, line, id) => {
  const key = `${line}:lock`
  const locked = await shop.retried(() => redis.set(key, id, 'PX', SHORT_LOCK_MS, 'NX'))
  if (locked === null) return false
  return takeByNumber(shop, redis, line, id).finally(() => redis.eval(DELETE_IF_MINE, 1, key, id))
}

const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
return redis.call('ZADD', KEYS[1], now, ARGV[1])`

const takeByScript: Take = async ({ terms }, redis, line, id) =>
  (await redis.eval(TAKE, 1, line, id, terms.ttlMs, terms.permits)) === 1

/** By the rank that the last command of a transaction answered. */
function isAmongFirst({ terms }: Shop, answers: readonly [Error | null, unknown][] | null): boolean {
  const [, rank] = answers?.at(-1) ?? []
  return typeof rank === 'number' && rank < terms.permits
}
