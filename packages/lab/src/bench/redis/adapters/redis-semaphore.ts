/** redis-semaphore's mutex. It polls. Its renewals stay on, for a take without them is not what it is used for. */
import { type LockOptions, Mutex, RedlockMutex } from 'redis-semaphore'
import { type Adapter, type Contender, RETRIES, RETRY_MS, SCRIPTS, TTL_MS } from '../adapter.ts'
import { openIoredis } from '../clients.ts'

const OPTIONS: LockOptions = {
  lockTimeout: TTL_MS,
  acquireTimeout: TTL_MS,
  acquireAttemptsLimit: RETRIES,
  retryInterval: RETRY_MS,
  // By itself it throws where nobody can catch it, and the process ends.
  onLockLost: () => {},
}

export const semaphoreIoredis: Adapter = {
  name: 'redis-semaphore@ioredis',
  client: 'ioredis',
  sends: [...SCRIPTS, 'set'],
  async open(url) {
    const client = await openIoredis(url)
    return {
      ...contenderOf((name) => new Mutex(client, name, OPTIONS)),
      keep: (name, ttlMs) => new Mutex(client, name, { ...OPTIONS, lockTimeout: ttlMs }).acquire(),
    }
  },
  async openQuorum(urls) {
    const clients = await Promise.all(urls.map(openIoredis))
    return contenderOf((name) => new RedlockMutex(clients, name, OPTIONS))
  },
}

function contenderOf(mutexOf: (name: string) => Mutex | RedlockMutex): Contender {
  return {
    async take(name) {
      const mutex = mutexOf(name)
      return (await mutex.tryAcquire()) ? () => mutex.release() : null
    },
  }
}
