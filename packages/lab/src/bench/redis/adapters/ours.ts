/** Holdfast over clients that are handed in, as its peers have it, and with its own settings but for the ttl. */
import { type Holdfast, holdfast, type MutexOptions } from 'holdfast'
import { redis } from 'holdfast/redis'
import { type Adapter, type Contender, SCRIPTS, TTL_MS } from '../adapter.ts'
import { openIoredis, openNodeRedis } from '../clients.ts'

const SENDS = [...SCRIPTS, 'subscribe']

export const oursIoredis: Adapter = {
  name: 'holdfast@ioredis',
  client: 'ioredis',
  sends: SENDS,
  open: async (url) => contenderOf(locksOver(await openIoredis(url)), {}),
}

export const oursNodeRedis: Adapter = {
  name: 'holdfast@node-redis',
  client: 'node-redis',
  sends: SENDS,
  open: async (url) => contenderOf(locksOver(await openNodeRedis(url)), {}),
}

/** First come, first served across processes. */
export const oursFair: Adapter = {
  name: 'holdfast fair@ioredis',
  client: 'ioredis',
  sends: SENDS,
  open: async (url) => contenderOf(locksOver(await openIoredis(url)), { fair: true }),
}

function locksOver(client: Parameters<typeof redis>[0]): Holdfast {
  return holdfast(redis(client), { namespace: 'bench', ttl: `${TTL_MS}ms` })
}

export function contenderOf(locks: Holdfast, options: MutexOptions): Contender {
  const taken: MutexOptions = { ...options, wait: 'forever' }
  return {
    async take(name) {
      const lease = await locks.mutex(name, taken).acquire()
      return () => lease.release()
    },
  }
}
