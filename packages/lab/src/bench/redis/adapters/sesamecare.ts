/** @sesamecare-oss/redlock, the fork of redlock 5. It polls. */
import { ExecutionError, Redlock } from '@sesamecare-oss/redlock'
import type { Redis } from 'ioredis'
import { type Adapter, type Contender, heldBy, RETRIES, RETRY_MS, SCRIPTS, TTL_MS } from '../adapter.ts'
import { openIoredis } from '../clients.ts'

export const sesamecare: Adapter = {
  name: 'sesamecare@ioredis',
  client: 'ioredis',
  sends: [...SCRIPTS, 'acquirelock', 'releaselock'],
  open: async (url) => contenderOf([await openIoredis(url)]),
  openQuorum: async (urls) => contenderOf(await Promise.all(urls.map(openIoredis))),
}

function contenderOf(clients: readonly Redis[]): Contender {
  const redlock = new Redlock(clients, { retryCount: RETRIES, retryDelay: RETRY_MS, retryJitter: 0 })
  return {
    async take(name) {
      try {
        const lock = await redlock.acquire([name], TTL_MS)
        return () => lock.release()
      } catch (error) {
        if (error instanceof ExecutionError) return null
        throw error
      }
    },
    keep: (name, ttlMs) => heldBy((section) => redlock.using([name], ttlMs, section)),
  }
}
