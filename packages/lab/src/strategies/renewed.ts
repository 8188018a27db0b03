/** A lock that is renewed while the work runs: by a timer of one's own, without and with a cap on the whole, and by Holdfast. */
import { randomUUID } from 'node:crypto'
import { sellUnder } from '../shop/selling.ts'
import type { Shop } from '../shop/shop.ts'
import { leased, locksInRedis } from './own-locks.ts'
import { DELETE_IF_MINE } from './owner-checked-delete.ts'
import { redisLock } from './redis-lock.ts'
import type { Buy, Strategy } from './strategy.ts'

const shared = { step: 13, store: 'redis' } as const
const FILE = 'renewed.ts'
const RENEW_IF_MINE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`

export const renewed: Strategy = {
  ...shared,
  made: 'plain client',
  name: 'renewed',
  title: 'SET NX PX with an owner, renewed by a timer',
  verdict: 'right until',
  fixes: 'The work that outlives its lock.',
  leaves: 'Work that hangs is renewed for ever.',
  source: { file: FILE, line: 'redis.eval(RENEW_IF_MINE' },
  open: (shop) => open(shop, Number.POSITIVE_INFINITY),
}

export const renewedWithCap: Strategy = {
  ...shared,
  made: 'plain client',
  name: 'renewed-with-cap',
  title: 'The same, for so long in all',
  verdict: 'right',
  fixes: 'The work that hangs: others go on after the cap.',
  leaves: 'Whoever was cut off is not told, and may still write: for that there are fences.',
  source: { file: FILE, line: 'if (shop.now() - sinceMs > capMs) clearInterval(timer)' },
  open: (shop) => open(shop, shop.terms.capMs),
}

export const holdfastMutex: Strategy = {
  ...shared,
  made: 'Holdfast',
  name: 'holdfast-mutex',
  title: 'Holdfast: mutex with maxHold',
  verdict: 'right',
  fixes: 'All of the above; the lease tells the truth about itself, and has a fence.',
  leaves: 'What no lock on time can do: a write that was on its way when the lease ended needs the fence.',
  source: { file: FILE, line: "locks.mutex('stock', { maxHold:" },
  async open(shop) {
    const locks = await locksInRedis(shop)
    const { capMs, waitMs } = shop.terms
    const lock = locks.mutex('stock', { maxHold: `${capMs}ms`, wait: `${waitMs}ms` })
    return sellUnder(shop, leased(lock))
  },
}

async function open(shop: Shop, capMs: number): Promise<Buy> {
  const { redis, key } = await redisLock(shop)
  const { ttlMs } = shop.terms
  return sellUnder(shop, () =>
    shop.retried(async () => {
      const owner = randomUUID()
      if ((await redis.set(key, owner, 'PX', ttlMs, 'NX')) === null) return null
      const sinceMs = shop.now()
      const timer = setInterval(() => {
        if (shop.now() - sinceMs > capMs) clearInterval(timer)
        else void redis.eval(RENEW_IF_MINE, 1, key, owner, ttlMs)
      }, ttlMs / 3)
      return () => {
        clearInterval(timer)
        return redis.eval(DELETE_IF_MINE, 1, key, owner)
      }
    }),
  )
}
