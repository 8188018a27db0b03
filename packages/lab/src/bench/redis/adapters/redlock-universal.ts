/** redlock-universal in its quickest mode, `lean`. It polls. */
import {
  createLock,
  createRedlock,
  IoredisAdapter,
  type Lock,
  LockAcquisitionError,
  NodeRedisAdapter,
  type RedisAdapter,
} from 'redlock-universal'
import { type Adapter, type Contender, heldBy, RETRIES, RETRY_MS, SCRIPTS, TTL_MS } from '../adapter.ts'
import { openIoredis, openNodeRedis } from '../clients.ts'

const SENDS = [...SCRIPTS, 'set']
const RETRYING = { ttl: TTL_MS, retryAttempts: RETRIES, retryDelay: RETRY_MS }

export const universalIoredis: Adapter = {
  name: 'redlock-universal@ioredis',
  client: 'ioredis',
  sends: SENDS,
  open: async (url) => lone(new IoredisAdapter(await openIoredis(url))),
  openQuorum: async (urls) =>
    several(await Promise.all(urls.map(async (url) => new IoredisAdapter(await openIoredis(url))))),
}

export const universalNodeRedis: Adapter = {
  name: 'redlock-universal@node-redis',
  client: 'node-redis',
  sends: SENDS,
  open: async (url) => lone(new NodeRedisAdapter(await openNodeRedis(url))),
}

function lone(adapter: RedisAdapter): Contender {
  return {
    ...contenderOf((key) => createLock({ adapter, key, performance: 'lean', ...RETRYING })),
    keep: (key, ttl) => heldBy((section) => createLock({ adapter, key, performance: 'lean', ttl }).using(section)),
  }
}

function several(adapters: readonly RedisAdapter[]): Contender {
  return contenderOf((key) => createRedlock({ adapters, key, ...RETRYING }))
}

function contenderOf(lockOf: (name: string) => Lock): Contender {
  return {
    async take(name) {
      const lock = lockOf(name)
      try {
        const handle = await lock.acquire()
        return () => lock.release(handle)
      } catch (error) {
        if (error instanceof LockAcquisitionError) return null
        throw error
      }
    },
  }
}
