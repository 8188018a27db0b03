/** What connecting tells: dangerous settings of a client, a server that throws keys away, one that is too old. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer } from 'node:net'
import { Cluster, Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterEach, expect, test } from 'vitest'
import { givenServers } from '../../../../scripts/servers/given.ts'
import { RedisServer } from '../../../../scripts/servers/index.ts'
import { type RedisClient, redis } from '../../src/backends/redis/index.ts'
import { type Holdfast, holdfast, isHoldfastError, type WarningEvent } from '../../src/index.ts'

const given = givenServers()
const { host, port } = given.standalone
const endings: (() => unknown)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

function warnings(): WarningEvent[] {
  const told: WarningEvent[] = []
  const listener = (event: unknown): unknown => told.push(event as WarningEvent)
  subscribe('holdfast:warning', listener)
  endings.push(() => unsubscribe('holdfast:warning', listener))
  return told
}

function over(client: RedisClient | string): Holdfast {
  const locks = holdfast(redis(client), { namespace: `warnings-${process.pid}` })
  endings.push(() => locks.close())
  return locks
}

function ended<C extends { disconnect(): unknown }>(client: C): C {
  endings.push(() => client.disconnect())
  return client
}

test('a client under Sentinel that would stay with a server that hangs is warned about', async () => {
  const told = warnings()
  const { sentinels, name } = given.sentinel
  await over(ended(new Redis({ sentinels: [...sentinels], name }))).ready()
  expect(told).toEqual([
    {
      namespace: `warnings-${process.pid}`,
      code: 'client',
      message: expect.stringMatching(/neither failoverDetector nor socketTimeout/),
    },
  ])
})

test.each([{ failoverDetector: true }, { socketTimeout: 2000 }])('%o leaves nothing to warn about', async (setting) => {
  const told = warnings()
  const { sentinels, name } = given.sentinel
  await over(ended(new Redis({ sentinels: [...sentinels], name, ...setting }))).ready()
  expect(told).toEqual([])
})

test('a cluster client that would stay with a server that hangs is warned about', async () => {
  const told = warnings()
  await over(ended(new Cluster([...given.cluster]))).ready()
  expect(told.map(({ message }) => message)).toEqual([expect.stringMatching(/redisOptions\.socketTimeout/)])
})

test('a client that does not connect again is warned about', async () => {
  const told = warnings()
  await over(ended(new Redis(port, host, { retryStrategy: () => null }))).ready()
  expect(told, 'what a function gives cannot be seen').toEqual([])
  await over(ended(new Redis({ port, host, retryStrategy: null as never }))).ready()
  const client = createClient({ socket: { host, port, reconnectStrategy: false } })
  client.on('error', () => {})
  await client.connect()
  endings.push(() => client.destroy())
  await over(client).ready()
  expect(told.map(({ message }) => message)).toEqual([
    expect.stringMatching(/ioredis has no retryStrategy/),
    expect.stringMatching(/reconnectStrategy false/),
  ])
})

test('a client that closes for good when nothing was said for a while is warned about', async () => {
  const told = warnings()
  const client = createClient({ socket: { host, port, socketTimeout: 60_000 } })
  client.on('error', () => {})
  await client.connect()
  endings.push(() => client.destroy())
  await over(client).ready()
  expect(told.map(({ message }) => message)).toEqual([expect.stringMatching(/socketTimeout and no reconnectStrategy/)])
})

test('a warning is told once for each backend, however often it connects', async () => {
  const told = warnings()
  const backend = redis(ended(new Cluster([...given.cluster])))
  for (let times = 0; times < 3; times++) {
    const locks = holdfast(backend, { namespace: `warnings-${process.pid}` })
    await locks.ready()
    await locks.close()
  }
  expect(told).toHaveLength(1)
})

test('a server that may throw locks away is warned about, and one without a limit is not', async () => {
  const told = warnings()
  const server = await RedisServer.start()
  endings.push(() => server.stop())
  await server.ask('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
  await over(server.url).ready()
  expect(told).toEqual([])
  await server.ask('CONFIG', 'SET', 'maxmemory', '100mb')
  await over(server.url).ready()
  expect(told.map(({ code }) => code)).toEqual(['eviction'])
  await server.ask('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
  await over(server.url).ready()
  expect(told).toHaveLength(1)
})

test('where nobody may look, the refusal is that of the scripts, which need the right as well', async () => {
  const server = await RedisServer.start()
  endings.push(() => server.stop())
  await server.ask('ACL', 'SETUSER', 'limited', 'on', '>secret', '~hf:*', '&hf:*', '+@all', '-info')
  const told = warnings()
  const login = { username: 'limited', password: 'secret', enableReadyCheck: false }
  const error = await over(ended(new Redis({ port: server.port, host: server.host, ...login })))
    .ready()
    .catch((failed: unknown) => failed)
  expect(isHoldfastError(error, 'BACKEND_REFUSED'), String(error)).toBe(true)
  expect(String(error)).toMatch(/'info'/)
  expect(told).toEqual([])
})

test('a server older than 7.0 is refused, with its version', async () => {
  const replies = new Map([['info', '# Server\r\nredis_version:6.2.14\r\n']])
  const old = createServer((socket) => {
    socket.on('data', (data) => {
      for (const [, name = ''] of String(data).matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g)) {
        const text = replies.get(name.toLowerCase()) ?? 'OK'
        socket.write(`$${Buffer.byteLength(text)}\r\n${text}\r\n`)
      }
    })
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => old.listen(0, '127.0.0.1', resolve))
  endings.push(() => old.close())
  const address = old.address() as { readonly port: number }
  const client = ended(new Redis(address.port, '127.0.0.1', { protocol: 2 }))
  const error = await over(client)
    .ready()
    .catch((failed: unknown) => failed)
  expect(isHoldfastError(error, 'BACKEND_REFUSED'), String(error)).toBe(true)
  expect(String(error)).toMatch(/6\.2\.14/)
})
