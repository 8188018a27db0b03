/** redlock 5 (beta). It polls. */
import * as redlock from 'redlock'
import { type Adapter, type Contender, heldBy, RETRIES, RETRY_MS, SCRIPTS, TTL_MS } from '../adapter.ts'
import { openIoredis } from '../clients.ts'

/** What is used of it. */
interface Library {
  readonly default: new (clients: readonly unknown[], settings: Readonly<Record<string, number>>) => Redlock
  readonly ExecutionError: new () => Error
}
interface Redlock {
  acquire(names: readonly string[], ttlMs: number): Promise<{ release(): Promise<unknown> }>
  using(names: readonly string[], ttlMs: number, routine: () => Promise<never>): Promise<unknown>
}

const { default: Redlock, ExecutionError } = redlock as Library

export const redlock5: Adapter = {
  name: 'redlock@ioredis',
  client: 'ioredis',
  sends: SCRIPTS,
  open: async (url) => contenderOf([await openIoredis(url)]),
  openQuorum: async (urls) => contenderOf(await Promise.all(urls.map(openIoredis))),
}

function contenderOf(clients: readonly unknown[]): Contender {
  const locks = new Redlock(clients, { retryCount: RETRIES, retryDelay: RETRY_MS, retryJitter: 0 })
  return {
    async take(name) {
      try {
        const lock = await locks.acquire([name], TTL_MS)
        return () => lock.release()
      } catch (error) {
        if (error instanceof ExecutionError) return null
        throw error
      }
    },
    keep: (name, ttlMs) => heldBy((section) => locks.using([name], ttlMs, section)),
  }
}
