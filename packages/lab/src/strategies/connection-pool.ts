/** A few connections that are lent out one at a time: what is watched belongs to the connection, not to the caller. */
import type { Redis } from 'ioredis'
import type { Shop } from '../shop/shop.ts'

/** More only make each other's transactions fail. */
const CONNECTIONS = 8

export type Lend = <T>(work: (redis: Redis) => Promise<T>) => Promise<T>

export async function connectionPool(shop: Shop): Promise<Lend> {
  const free = await Promise.all(Array.from({ length: CONNECTIONS }, () => shop.redis()))
  const waiting: ((redis: Redis) => void)[] = []
  return async (work) => {
    const redis = free.pop() ?? (await new Promise<Redis>((resolve) => waiting.push(resolve)))
    try {
      return await work(redis)
    } finally {
      const next = waiting.shift()
      if (next === undefined) free.push(redis)
      else next(redis)
    }
  }
}
