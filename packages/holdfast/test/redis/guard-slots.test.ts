/** Where the fences of the Redis guard are kept: in the slot of the value, so that one script may touch both. */
import { Cluster, Redis } from 'ioredis'
import { createCluster } from 'redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { givenServers } from '../../../../scripts/servers/given.ts'
import { HOST } from '../../../../scripts/servers/port.ts'
import { RedisServer } from '../../../../scripts/servers/redis-server.ts'
import { until } from '../../../../scripts/servers/until.ts'
import { type RedisScripts, redisGuard } from '../../src/guards/index.ts'
import { exclusive } from '../guards/leases.ts'
import { libraries } from './libraries.ts'

describe('in a cluster', () => {
  /** One server that has all slots is enough for it to hold keys and scripts to them. */
  const alone = { name: 'slots', args: ['--cluster-enabled', 'yes', '--cluster-announce-ip', HOST] }
  const own = ['doc:9', '{shop}:doc:9', 'shop:{doc}:9', '{a}{b}', 'a{b', '{', 'x{{y}z}', '€:{😀}']
  let cluster: RedisServer
  beforeAll(async () => {
    cluster = await RedisServer.start(alone)
    await cluster.ask('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383)
    await until('the cluster is up', async () =>
      (await cluster.ask('CLUSTER', 'INFO'))?.toString().includes('state:ok'),
    )
  })
  afterAll(() => cluster.stop())

  test.each(['', 'app:', '{app}:', 'app:{x}'])(
    'the fences are in the slot of the value: prefix %s',
    async (keyPrefix) => {
      const client = new Cluster([{ host: cluster.host, port: cluster.port }], { keyPrefix })
      try {
        for (const key of own) await redisGuard(client, key).set(exclusive(5n), key)
        for (const key of own) expect(await client.get(key)).toBe(key)
      } finally {
        client.disconnect()
      }
    },
  )

  test('a prefix that opens a brace and does not close it is refused', () => {
    const client = new Redis({ lazyConnect: true, keyPrefix: 'a{b' })
    expect(() => redisGuard(client, 'doc:9')).toThrow(/^key must .* "a\{bdoc:9"$/)
  })

  test('node-redis finds the slot too', async () => {
    const client = createCluster({ rootNodes: [{ url: cluster.url }] })
    await client.connect()
    try {
      for (const key of own) await redisGuard(client, key).set(exclusive(5n), key)
      for (const key of own) expect(await client.get(key)).toBe(key)
      const other = redisGuard(client, 'doc:9').run(exclusive(5n), '', { keys: ['elsewhere'] })
      await expect(other).rejects.toThrow('CROSSSLOT')
    } finally {
      client.destroy()
    }
  })
})

describe.each(libraries)('through $name', (library) => {
  test.each(['sentinel', 'cluster'] as const)('a holder that was passed is refused: %s', async (topology) => {
    const { client, end } = await library[topology](givenServers(), {})
    try {
      const guard = redisGuard(client as unknown as RedisScripts, `value-${topology}-${library.name}`)
      await guard.set(exclusive(5n), 'first')
      await guard.enter(undefined, exclusive(7n))
      await expect(guard.set(exclusive(6n), 'too late')).rejects.toMatchObject({ code: 'STALE_FENCE', fence: 7n })
      expect(await guard.run(exclusive(7n), "return redis.call('GET', KEYS[1])")).toBe('first')
    } finally {
      end()
    }
  })
})

test('the fences go by the key prefix of the client, as the value does', async () => {
  await using server = await RedisServer.start({ name: 'prefixed' })
  const prefixed = new Redis(server.port, server.host, { keyPrefix: 'app:' })
  try {
    await redisGuard(prefixed, 'doc:9').set(exclusive(5n), 'first')
    expect(await server.keys()).toEqual(['app:doc:9', 'app:hf:1:guard:{app:doc:9}'])
  } finally {
    prefixed.disconnect()
  }
})
