/** A user that lacks a right is told which, at once. */
import { afterAll, expect, test } from 'vitest'
import { RedisServer } from '../../../../scripts/servers/index.ts'
import { redis } from '../../src/backends/redis/index.ts'
import { holdfast } from '../../src/index.ts'

const server = await RedisServer.start({ name: 'rights' })
afterAll(() => server.stop())

const ENOUGH = [
  '~hf:*',
  '&hf:*',
  '-@all',
  '+@read',
  '+@write',
  '+@connection',
  '+@pubsub',
  '+@scripting',
  '+info',
  '+time',
]

async function asUser(name: string, ...rules: readonly string[]): Promise<string> {
  await server.ask('ACL', 'SETUSER', name, 'on', '>secret', ...ENOUGH, ...rules)
  return `redis://${name}:secret@${server.host}:${server.port}`
}

test('a user with the rights that are documented can do everything', async () => {
  const url = await asUser('enough')
  await using locks = holdfast(redis(url), { namespace: 'rights' })
  await using other = holdfast(redis(url), { namespace: 'rights' })
  const lease = await locks.mutex('thing').acquire()
  const waiting = other.mutex('thing').acquire({ wait: '5s' })
  await lease.release()
  await (await waiting).release()
  expect(await locks.cell('note').set('x')).not.toBeNull()
})

test.each([
  ['evalsha', '-evalsha', "'evalsha'"],
  ['eval', '-eval', "'eval'"],
  ['zadd', '-zadd', "'zadd'"],
  ['hset', '-hset', "'hset'"],
  ['time', '-time', "'time'"],
])('a user that may not use %s is told so at once', async (name, rule, named) => {
  const url = await asUser(`no-${name}`, rule)
  await server.ask('SCRIPT', 'FLUSH')
  await using locks = holdfast(redis(url), { namespace: `no-${name}` })
  const refused = await locks
    .mutex('thing')
    .acquire({ wait: '30s' })
    .catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'BACKEND_REFUSED', message: expect.stringContaining(named) })
})

test('a user that may not touch the keys is told so at once', async () => {
  const url = await asUser('no-keys', 'resetkeys', '~other:*')
  await using locks = holdfast(redis(url), { namespace: 'no-keys' })
  const refused = await locks
    .mutex('thing')
    .acquire({ wait: '30s' })
    .catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'BACKEND_REFUSED', message: expect.stringMatching(/key/) })
})
