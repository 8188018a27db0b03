/** Holdfast over clients that are handed in, as its peers have it, and with its own settings but for the ttl. */
import { type Holdfast, holdfast, type MutexOptions } from 'holdfast'
import { quorum } from 'holdfast/quorum'
import { redis } from 'holdfast/redis'
import { type Adapter, type Contender, SCRIPTS, TTL_MS } from '../adapter.ts'
import { openIoredis, openNodeRedis } from '../clients.ts'

export const QUORUM_TTL_MS = 5_000
const SENDS = [...SCRIPTS, 'subscribe']

export const oursIoredis: Adapter = {
  name: 'holdfast@ioredis',
  client: 'ioredis',
  sends: SENDS,
  open: async (url) => contenderOf(locksOver(await openIoredis(url)), {}),
  openQuorum: async (urls) => contenderOf(quorumOver(await Promise.all(urls.map(openIoredis))), {}),
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

/** As most will have it: by a URL, so that the heartbeat has a thread of its own. */
export function locksAt(url: string, ttlMs: number): Holdfast {
  return holdfast(url, { namespace: 'bench', ttl: `${ttlMs}ms` })
}

function locksOver(client: Parameters<typeof redis>[0]): Holdfast {
  return holdfast(redis(client), { namespace: 'bench', ttl: `${TTL_MS}ms` })
}

/** The largest ttl is how long a new node may hold back. */
function quorumOver(clients: readonly Parameters<typeof redis>[0][]): Holdfast {
  const ttl = `${QUORUM_TTL_MS}ms` as const
  return holdfast(quorum(clients.map((client) => redis(client))), { namespace: 'bench', ttl, maxTtl: ttl })
}

function contenderOf(locks: Holdfast, options: MutexOptions): Contender {
  const taken: MutexOptions = { ...options, wait: 'forever' }
  return {
    take: (name) =>
      locks
        .mutex(name, taken)
        .acquire()
        .then((lease) => () => lease.release()),
  }
}
