/** The rights that docs/backends/redis.md lists are all that is needed, whichever the client and the topology. */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { givenServers } from '../../../../scripts/servers/given.ts'
import { RedisAccess, SentinelSet } from '../../../../scripts/servers/index.ts'
import { redis } from '../../src/backends/redis/index.ts'
import { type Holdfast, holdfast } from '../../src/index.ts'
import { libraries } from './libraries.ts'

const given = givenServers()
const page = readFileSync(new URL('../../../../docs/backends/redis.md', import.meta.url), 'utf8')
const [, , rules = ''] = /```\nuser holdfast on >(\S+) ([\s\S]*?)```/.exec(page) ?? []
const username = `documented-${process.pid}`
const password = 'secret'
const namespace = `documented-${process.pid}`

beforeAll(async () => {
  const user = ['ACL', 'SETUSER', username, 'on', `>${password}`, '-@all', ...rules.split(/\s+/).filter(Boolean)]
  await Promise.all([given.standalone, ...given.cluster].map((server) => new RedisAccess(server).ask(...user)))
})

/** One of each thing, so that each script runs. */
async function everything(locks: Holdfast): Promise<void> {
  const lease = await locks.mutex('x').acquire({ label: 'l' })
  const waiting = locks.mutex('x').acquire({ fair: true })
  await new Promise((resolve) => setTimeout(resolve, 500))
  await lease.confirm()
  expect(await locks.inspect('x')).toHaveLength(1)
  expect(await locks.forceRelease('x', lease.id)).toBe(1)
  await (await waiting).release()
  const write = await locks.rwlock('rw').write().acquire()
  await (await write.downgrade()).release()
  const permit = await locks.semaphore('s', { capacity: 3 }).acquire({ maxHold: '5s', slot: true })
  for await (const { holders } of locks.list()) expect(holders.length).toBeGreaterThan(0)
  await permit.release()
  const cell = locks.cell('c')
  await cell.set('v', { ttl: '5s' })
  await cell.set('w')
  expect((await cell.get())?.value).toBe('w')
  const latch = locks.latch(`latch-${performance.now()}`, 1)
  await latch.countDown('a')
  await latch.wait({ wait: '5s' })
  await locks.mutex('beaten').run(() => new Promise((resolve) => setTimeout(resolve, 700)))
}

test('the page lists rights', () => {
  expect(rules).toMatch(/^~hf:\*.*\+evalsha/s)
})

describe.each(libraries)('$name', (library) => {
  const login = { username, password }

  test('one server', async () => {
    const one = await library.alone(given.standalone.port, login)
    const locks = holdfast(redis(one.client), { namespace, ttl: '1s' })
    await everything(locks)
    await locks.close()
    await one.end()
  })

  test('a cluster', async () => {
    const options = library.family === 'ioredis' ? { redisOptions: login } : { defaults: login }
    const one = await library.cluster(given, options)
    const locks = holdfast(redis(one.client, { replicas: 1 }), { namespace, ttl: '1s' })
    await everything(locks)
    await locks.close()
    await one.end()
  })
})

test('URLs', async () => {
  const { host, port } = given.standalone
  const [first] = given.cluster
  for (const url of [
    `redis://${username}:${password}@${host}:${port}/4`,
    `redis+cluster://${username}:${password}@${first?.host}:${first?.port}`,
  ]) {
    const locks = holdfast(url, { namespace, ttl: '1s' })
    await everything(locks)
    await locks.close()
  }
})

test('Sentinel', { timeout: 60_000 }, async () => {
  await using set = await SentinelSet.start()
  const user = ['ACL', 'SETUSER', username, 'on', `>${password}`, '-@all', ...rules.split(/\s+/).filter(Boolean)]
  await Promise.all(set.servers.map((server) => server.ask(...user)))
  const [first] = set.addresses
  const locks = holdfast(`redis+sentinel://${username}:${password}@${first?.host}:${first?.port}/${set.name}`, {
    namespace,
    ttl: '1s',
  })
  await everything(locks)
  await locks.close()
})
