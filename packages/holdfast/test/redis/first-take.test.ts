/** The first take of a bucket: `open` and `enter` travel together, and what becomes of them when the way is cut. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { FaultProxy, RedisServer } from '../../../../scripts/servers/index.ts'
import { redis } from '../../src/backends/redis/index.ts'
import { bucketOf } from '../../src/backends/redis/keys.ts'
import { holdfast } from '../../src/index.ts'
import { libraries } from './libraries.ts'

/** In each direction: an answer takes twice that. */
const WAY_MS = 150

let server: RedisServer
let proxy: FaultProxy
beforeAll(async () => {
  server = await RedisServer.start()
  proxy = await FaultProxy.start({ port: server.port })
})
afterAll(async () => {
  await proxy.close()
  await server.stop()
})

/** Names of different buckets, none in that of `ready`. */
const NAMES = Array.from({ length: 100 }, (_, index) => `first-${index}`)
  .filter((name) => bucketOf(`lock:${name}`) !== 0)
  .filter((name, at, all) => all.findIndex((other) => bucketOf(`lock:${other}`) === bucketOf(`lock:${name}`)) === at)

test.each(libraries)('a first take costs one round trip, with $name', async ({ alone, name }) => {
  proxy.heal()
  const made = await alone(proxy.port)
  try {
    await using locks = holdfast(redis(made.client), { namespace: `first ${name}` })
    await locks.mutex(NAMES[0] ?? '').run(() => {})
    proxy.delay(WAY_MS)
    const startMs = performance.now()
    const lease = await locks.mutex(NAMES[1] ?? '').acquire()
    expect(performance.now() - startMs).toBeLessThan(3 * WAY_MS)
    await lease.release()
  } finally {
    proxy.heal()
    await made.end()
  }
})

test('a first take whose answers are lost leaves nothing behind, and the next take has the lock at once', async () => {
  await using locks = holdfast(redis(proxy.url), { namespace: 'cut', ttl: '60s' })
  await using other = holdfast(redis(server.url), { namespace: 'cut', ttl: '60s' })
  await locks.mutex(NAMES[0] ?? '').run(() => {})
  const name = NAMES[2] ?? ''
  proxy.hole('down')
  const taking = locks.mutex(name).acquire({ wait: '10s' })
  await vi.waitFor(async () => expect(await other.inspect(name)).toHaveLength(1))
  proxy.heal()
  proxy.cut()
  const startMs = performance.now()
  const lease = await taking
  expect(performance.now() - startMs).toBeLessThan(5_000)
  await lease.release()
  const next = await other.mutex(name).acquire({ wait: '2s' })
  await next.release()
})
