/** Servers that hang, become replicas or hand slots over, seen by clients of our own with node-redis and by replicas. */
import { expect, test } from 'vitest'
import { RedisCluster, RedisServer, SentinelSet, SlotMove } from '../../../../scripts/servers/index.ts'
import { asBackend } from '../../src/backend.ts'
import { ledgerOver } from '../../src/backends/redis/connecting.ts'
import { type Driver, wireTo } from '../../src/backends/redis/factory.ts'
import { bucketOf, keysOf } from '../../src/backends/redis/keys.ts'
import { slotOf } from '../../src/backends/redis/slot.ts'
import { parseRedisUrl } from '../../src/backends/redis-address.ts'
import { type Holdfast, holdfast } from '../../src/index.ts'

let namespaces = 0

function over(driver: Driver, url: string, options: { replicas?: number; namespace?: string } = {}): Holdfast {
  const { replicas = 0, namespace = `moving-${process.pid}-${namespaces++}` } = options
  const address = parseRedisUrl('target', url)
  const backend = asBackend({
    kind: 'redis',
    ttlMsMin: 0,
    worker: null,
    connect: async (setup) => ledgerOver(await wireTo(address, setup.clock, [driver]), setup, replicas, new Set()),
  })
  return holdfast(backend, { namespace, ttl: '15s' })
}

const places = (servers: readonly { readonly host: string; readonly port: number }[]): string =>
  servers.map(({ host, port }) => `${host}:${port}`).join(',')

test.each(['handed over', 'hung'] as const)(
  'a primary that is %s is left, and no lease lost',
  { timeout: 60_000 },
  async (how) => {
    await using set = await SentinelSet.start()
    const locks = over('redis', `redis+sentinel://${places(set.addresses)}/${set.name}`)
    const lease = await locks.mutex('held').acquire()
    const waiting = locks.mutex('held').acquire({ fair: true, wait: '30s' })
    await new Promise((resolve) => setTimeout(resolve, 300))
    const before = await set.primary()
    if (how === 'hung') before.pause()
    if (how === 'hung') await set.promotedAfter(before)
    else await set.failover()
    await locks.mutex('x').run(() => {}, { wait: '20s' })
    await lease.confirm()
    await lease.release()
    await (await waiting).release()
    if (how === 'hung') before.resume()
    await locks.close()
  },
)

test('a server of a cluster that hangs is left, and no lease lost', { timeout: 60_000 }, async () => {
  await using cluster = await RedisCluster.start()
  const namespace = `moving-${process.pid}-${namespaces++}`
  const locks = over('redis', `redis+cluster://${places(cluster.nodes)}`, { namespace })
  const lease = await locks.mutex('held').acquire()
  const slot = slotOf(keysOf(namespace).buckets[bucketOf('lock:held')]?.keys[0] ?? '')
  const before = await cluster.primaryOf(slot)
  before.pause()
  await cluster.promotedAfter(before, slot)
  const again = await locks
    .mutex('held')
    .tryAcquire({ wait: '1s' })
    .catch(() => null)
  expect(again, 'it is still held').toBeNull()
  await expect.poll(() => lease.confirm().then(() => 'confirmed', String), { timeout: 14_000 }).toBe('confirmed')
  await lease.release()
  before.resume()
  await locks.close()
})

test.each(['ioredis', 'redis'] as const)(
  '%s: takes that wait for replicas follow a slot that moves',
  { timeout: 60_000 },
  async (driver) => {
    await using cluster = await RedisCluster.start()
    const namespace = `moving-${process.pid}-${namespaces++}`
    const locks = over(driver, `redis+cluster://${places(cluster.nodes)}`, { namespace, replicas: 1 })
    await locks.mutex('x').run(() => {})
    const slot = slotOf(keysOf(namespace).buckets[bucketOf('lock:x')]?.keys[0] ?? '')
    const from = await cluster.primaryOf(slot)
    const others = await Promise.all([0, 8000, 16_000].map((one) => cluster.primaryOf(one)))
    const to = others.find((one) => one !== from)
    if (to === undefined) throw new Error('all slots are on one server')
    const move = await SlotMove.begin(cluster, slot, to)
    await move.end()
    await locks.mutex('x').run(() => {}, { wait: '10s' })
    await locks.close()
  },
)

test.each(['ioredis', 'redis'] as const)('%s: close ends in bounded time with the server hung', async (driver) => {
  const server = await RedisServer.start()
  const sockets = (): number => process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length
  const before = sockets()
  const locks = over(driver, server.url)
  await locks.mutex('x').acquire()
  const waiting = locks
    .mutex('x')
    .acquire({ fair: true })
    .catch(() => null)
  await new Promise((resolve) => setTimeout(resolve, 200))
  server.pause()
  const startMs = performance.now()
  await locks.close()
  expect(performance.now() - startMs).toBeLessThan(6000)
  await waiting
  await expect.poll(sockets).toBeLessThanOrEqual(before)
  server.resume()
  await server.stop()
})
