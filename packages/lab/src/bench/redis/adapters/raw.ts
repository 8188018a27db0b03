/** The floor: what a lock costs that is nothing but `SET key token NX PX` and a compare-and-delete. */
import { createHash, randomUUID } from 'node:crypto'
import { type Adapter, type Contender, SCRIPTS, TTL_MS } from '../adapter.ts'
import { openIoredis, openNodeRedis } from '../clients.ts'

const TEXT = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end"
const SHA = createHash('sha1').update(TEXT).digest('hex')

export const rawIoredis: Adapter = {
  name: 'raw@ioredis',
  client: 'ioredis',
  sends: [...SCRIPTS, 'set'],
  async open(url) {
    const client = await openIoredis(url)
    await client.eval(TEXT, 1, 'none', 'none')
    return {
      async take(name) {
        const token = randomUUID()
        const reply = await client.set(name, token, 'PX', TTL_MS, 'NX')
        return reply === null ? null : () => client.evalsha(SHA, 1, name, token)
      },
    }
  },
  openQuorum: rawQuorum,
}

/** Held where a majority said yes; nobody is waited for beyond that, and each is told of the release. */
async function rawQuorum(urls: readonly string[]): Promise<Contender> {
  const nodes = await Promise.all(urls.map((url) => rawIoredis.open(url)))
  const majority = Math.floor(nodes.length / 2) + 1
  return {
    async take(name) {
      const takes = nodes.map((node) => node.take(name))
      await answered(majority, takes)
      return () => {
        const releases = takes.map(async (take) => (await take)?.())
        return answered(majority, releases)
      }
    },
  }
}

/** Resolves when so many have. */
function answered(count: number, all: readonly Promise<unknown>[]): Promise<void> {
  return new Promise((resolve) => {
    let left = count
    for (const one of all) {
      one.then(
        () => {
          left -= 1
          if (left === 0) resolve()
        },
        // One that is down gives no answer, as one that is silent.
        () => {},
      )
    }
  })
}

export const rawNodeRedis: Adapter = {
  name: 'raw@node-redis',
  client: 'node-redis',
  sends: [...SCRIPTS, 'set'],
  async open(url) {
    const client = await openNodeRedis(url)
    await client.eval(TEXT, { keys: ['none'], arguments: ['none'] })
    const condition = 'NX' as const
    const expiration = { type: 'PX', value: TTL_MS } as const
    return {
      async take(name) {
        const token = randomUUID()
        const reply = await client.set(name, token, { condition, expiration })
        return reply === null ? null : () => client.evalSha(SHA, { keys: [name], arguments: [token] })
      },
    }
  },
}
