/** Clients of our own, made from URLs and options with either library: they reach every topology, and leave nothing. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { givenServers } from '../../../../scripts/servers/given.ts'
import { FaultProxy, RedisServer, until } from '../../../../scripts/servers/index.ts'
import { asBackend } from '../../src/backend.ts'
import { ledgerOver } from '../../src/backends/redis/connecting.ts'
import { type Driver, wireTo } from '../../src/backends/redis/factory.ts'
import { redis } from '../../src/backends/redis/index.ts'
import { addressOf } from '../../src/backends/redis/options.ts'
import { parseRedisUrl } from '../../src/backends/redis-address.ts'
import { type Holdfast, holdfast, isHoldfastError } from '../../src/index.ts'

const given = givenServers()
const { standalone, secure, sentinel, cluster } = given
const places = (hosts: readonly { readonly host: string; readonly port: number }[]): string =>
  hosts.map(({ host, port }) => `${host}:${port}`).join(',')

const urls = {
  'one server': `redis://${places([standalone])}/3`,
  Sentinel: `redis+sentinel://${places(sentinel.sentinels)}/${sentinel.name}`,
  'a cluster': `redis+cluster://${places(cluster.slice(0, 2))}`,
}
let namespaces = 0
const options = (): { namespace: string; ttl: '5s' } => ({ namespace: `own-${process.pid}-${namespaces++}`, ttl: '5s' })

/** As `redis(url)`, with the library of our choice. */
function over(driver: Driver, address: string | object): Holdfast {
  const parsed = typeof address === 'string' ? parseRedisUrl('target', address) : addressOf(address)
  if (parsed === null) throw new Error('no address')
  const backend = asBackend({
    kind: 'redis',
    ttlMsMin: 0,
    worker: null,
    connect: async (setup) => ledgerOver(await wireTo(parsed, setup.clock, [driver]), setup, 0, new Set()),
  })
  return holdfast(backend, options())
}

async function used(locks: Holdfast): Promise<void> {
  const held = await locks.mutex('x').acquire()
  const waiting = locks.mutex('x').acquire({ fair: true })
  await new Promise((resolve) => setTimeout(resolve, 100))
  await held.release()
  await (await waiting).release()
}

describe.each(['ioredis', 'redis'] as const)('%s', (driver) => {
  test.each(Object.entries(urls))('reaches %s by a URL', async (_, url) => {
    const locks = over(driver, url)
    await used(locks)
    await locks.close()
  })

  test('reaches a server with TLS and a user by options', async () => {
    const { host, port, username, password, ca } = secure
    const locks = over(driver, { url: `rediss://${username}:${password}@${host}:${port}`, tls: { ca } })
    await used(locks)
    await locks.close()
  })

  test.each(Object.entries(urls))('leaves no connection to %s when it is closed', async (_, url) => {
    const sockets = (): number => process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length
    const before = sockets()
    const locks = over(driver, url)
    await used(locks)
    const startMs = performance.now()
    await locks.close()
    expect(performance.now() - startMs).toBeLessThan(1000)
    await until('no connection is left', async () => sockets() <= before)
  })

  test('a wrong password is refused, and not shown', async () => {
    const { host, port, username, ca } = secure
    const locks = over(driver, { url: `rediss://${username}:geheim@${host}:${port}`, tls: { ca } })
    const startMs = performance.now()
    const error = await locks.ready().catch((failed: unknown) => failed)
    expect(performance.now() - startMs, 'at once').toBeLessThan(1500)
    expect(isHoldfastError(error, 'BACKEND_REFUSED'), String(error)).toBe(true)
    expect(String(error)).toMatch(/password are wrong/)
    expect(String(error)).not.toContain('geheim')
    await locks.close()
  })

  test('nobody there is an outage that ends with the wait', async () => {
    const locks = over(driver, 'redis://127.0.0.1:1')
    const startMs = performance.now()
    const error = await locks
      .mutex('x')
      .acquire({ wait: '1s' })
      .catch((failed: unknown) => failed)
    expect(isHoldfastError(error, 'BACKEND_UNAVAILABLE'), String(error)).toBe(true)
    expect(String((error as Error).cause ?? error), 'with what the system says').toMatch(/ECONNREFUSED/)
    expect(performance.now() - startMs).toBeLessThan(3000)
    await locks.close()
  })

  test('a connection into a hole is left and made anew, while an idle one is kept', { timeout: 30_000 }, async () => {
    const server = await RedisServer.start()
    const proxy = await FaultProxy.start(server)
    const again = over(driver, proxy.url)
    await again.mutex('x').run(() => {})
    const connected = async (): Promise<number> => Number((await server.info('stats')).total_connections_received)
    const before = await connected()
    // Longer than a server may owe an answer: an idle connection owes none.
    await new Promise((resolve) => setTimeout(resolve, 5000))
    await again.mutex('x').run(() => {})
    expect((await connected()) - before, 'the one that asks').toBe(1)
    proxy.hole()
    await again
      .mutex('x')
      .acquire({ wait: '3s' })
      .catch(() => {})
    proxy.heal()
    await again.mutex('x').run(() => {}, { wait: '5s' })
    await again.close()
    await proxy.close()
    await server.stop()
  })

  test('a connection that was cut while nothing was asked is there again before the next request', async () => {
    const proxy = await FaultProxy.start(standalone)
    const locks = over(driver, proxy.url)
    await locks.mutex('x').run(() => {})
    for (let cuts = 0; cuts < 3; cuts++) {
      proxy.cut()
      await new Promise((resolve) => setTimeout(resolve, 500))
      const lease = await locks.mutex('x').tryAcquire()
      expect(lease).not.toBeNull()
      await lease?.release()
    }
    await locks.close()
    await proxy.close()
  })
})

describe('a module that makes a client', () => {
  const { host, port } = standalone
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-module-'))
  const module = (name: string, text: string): string => {
    const file = join(folder, name)
    writeFileSync(file, text)
    return pathToFileURL(file).href
  }
  const library = (name: string): string =>
    JSON.stringify(pathToFileURL(createRequire(import.meta.url).resolve(name)).href)

  const right = {
    'with ioredis': `import { Redis } from ${library('ioredis')}\nexport default () => new Redis(${port}, '${host}')`,
    'with node-redis': `import redis from ${library('redis')}\nexport default () => redis.createClient({ socket: { host: '${host}', port: ${port} } })`,
  }
  test.each(Object.entries(right))('%s is used, and its client closed', async (name, text) => {
    const locks = holdfast(redis({ connect: module(`${name.replaceAll(' ', '-')}.mjs`, text) }), options())
    await used(locks)
    await locks.close()
  })

  const wrong = {
    'exports nothing': ['export const x = 1', /function as its default export/],
    'makes no client': ['export default () => ({})', /must make a client/],
    'is none': ['this is no module', /cannot be loaded/],
  } as const
  test.each(Object.entries(wrong))('one that %s is refused', async (name, [text, message]) => {
    const locks = holdfast(redis({ connect: module(`${name.replaceAll(' ', '-')}.mjs`, text) }), options())
    const error = await locks.ready().catch((failed: unknown) => failed)
    expect(isHoldfastError(error, 'BACKEND_REFUSED'), String(error)).toBe(true)
    expect(String(error)).toMatch(message)
    await locks.close()
  })

  test('one that is not there is refused', async () => {
    const locks = holdfast(redis({ connect: join(folder, 'none.mjs') }), options())
    await expect(locks.ready()).rejects.toThrow(/none\.mjs cannot be loaded/)
    await locks.close()
  })
})
