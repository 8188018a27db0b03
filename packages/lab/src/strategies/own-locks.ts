/** Holdfast as a strategy uses it: in a namespace that no other run shares. */
import { join } from 'node:path'
import { type Holdfast, type HoldfastOptions, holdfast, type Lockable } from 'holdfast'
import { redis } from 'holdfast/redis'
import type { Release } from '../shop/selling.ts'
import type { Shop } from '../shop/shop.ts'

/** The least that Holdfast takes. */
const TTL_MS_MIN = 1_000

export const ttlMsOf = ({ terms }: Shop): number => Math.max(TTL_MS_MIN, terms.ttlMs)

/** Over the client that the shop counts the commands of. */
export async function locksInRedis(shop: Shop, options: Partial<HoldfastOptions> = {}): Promise<Holdfast> {
  return opened(holdfast(redis(await shop.redis()), optionsOf(shop, options)))
}

export async function locksInFile(shop: Shop, options: Partial<HoldfastOptions> = {}): Promise<Holdfast> {
  const file = join(shop.plan.addresses.folder, `${shop.item}-locks.db`)
  return opened(holdfast(`sqlite:${file}`, optionsOf(shop, options)))
}

export function optionsOf(shop: Shop, options: Partial<HoldfastOptions>): HoldfastOptions {
  return { namespace: shop.item, ttl: `${ttlMsOf(shop)}ms`, ...options }
}

export async function opened(locks: Holdfast): Promise<Holdfast> {
  await locks.ready()
  return locks
}

/** A take of the lock, as `sellUnder` wants it. */
export const leased = (lock: Pick<Lockable, 'acquire'>) => async (): Promise<Release> => {
  const lease = await lock.acquire()
  return () => lease.release()
}
