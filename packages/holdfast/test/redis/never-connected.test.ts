/** Clients that were handed in and have not come to a server yet: who asks is told what they said of it, and soon. */
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { expect, test } from 'vitest'
import { RedisServer } from '../../../../scripts/servers/index.ts'
import { redis } from '../../src/backends/redis/index.ts'
import { type Backend, holdfast } from '../../src/index.ts'

const SOON_MS = 2_500
/** Nobody listens there. */
const CLOSED_PORT = 1

async function failureOf(backend: Backend): Promise<string> {
  const locks = holdfast(backend, { namespace: 'never' })
  const startMs = performance.now()
  const error = await locks.ready().then(
    () => 'it was ready',
    (failure: Error) => failure.message,
  )
  expect(performance.now() - startMs).toBeLessThan(SOON_MS)
  await locks.close()
  return error
}

const ioredisAt = (port: number): Redis => new Redis(port, '127.0.0.1', { maxRetriesPerRequest: 0 })

test('an ioredis client that is refused says so, if its owner listens to its errors', async () => {
  const client = ioredisAt(CLOSED_PORT).on('error', () => {})
  expect(await failureOf(redis(client))).toMatch(/ioredis client is not connected: .*ECONNREFUSED/)
  expect(client.listenerCount('error')).toBe(1)
  client.disconnect()
})

test('an ioredis client without its password says so', async () => {
  await using server = await RedisServer.start({ name: 'closed' })
  await server.ask('CONFIG', 'SET', 'requirepass', 'secret')
  const client = ioredisAt(server.port).on('error', () => {})
  expect(await failureOf(redis(client))).toMatch(/NOAUTH|password/)
  client.disconnect()
})

test('a node-redis client that is refused says so, if its owner listens to its errors', async () => {
  const client = createClient({ url: `redis://127.0.0.1:${CLOSED_PORT}` }).on('error', () => {})
  client.connect().catch(() => {})
  expect(await failureOf(redis(client as never))).toMatch(/node-redis client is not connected: .*ECONNREFUSED/)
  expect(client.listenerCount('error')).toBe(1)
  client.destroy()
})
