/** The floor: what a lock costs that is nothing but `SET key token NX PX` and a compare-and-delete. */
import { createHash, randomUUID } from 'node:crypto'
import { type Adapter, SCRIPTS, TTL_MS } from '../adapter.ts'
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
