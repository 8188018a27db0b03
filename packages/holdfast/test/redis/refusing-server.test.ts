/** Servers that answer, but will not: what cannot heal is refused at once, and what is held is kept and given back. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { RedisServer, until } from '../../../../scripts/servers/index.ts'
import { redis } from '../../src/backends/redis/index.ts'
import { type Holdfast, type HoldfastError, holdfast, isHoldfastError } from '../../src/index.ts'

const AT_ONCE_MS = 1_000
const TTL = '1500ms'
/** Longer than a session lives that is not renewed. */
const OUTLIVED_MS = 2_000

interface Refusal {
  readonly error: HoldfastError
  readonly afterMs: number
}

async function refusalOf(take: PromiseLike<unknown>): Promise<Refusal> {
  const startMs = performance.now()
  try {
    await take
  } catch (error) {
    if (isHoldfastError(error, 'BACKEND_REFUSED')) return { error, afterMs: performance.now() - startMs }
    throw error
  }
  throw new Error('it was not refused')
}

/** By every verb, with all the time in the world. */
async function expectRefused(locks: Holdfast, name: string, why: RegExp): Promise<void> {
  const thing = locks.mutex(name)
  const verbs: (() => Promise<unknown>)[] = [
    () => thing.acquire({ wait: '30s' }),
    () => thing.tryAcquire(),
    () => thing.run(() => {}, { wait: '30s' }),
    () => thing.tryRun(() => {}),
  ]
  for (const verb of verbs) {
    const { error, afterMs } = await refusalOf(verb())
    expect(error.message).toMatch(why)
    expect(afterMs).toBeLessThan(AT_ONCE_MS)
  }
}

const make = (server: RedisServer, namespace: string): Holdfast => holdfast(redis(server.url), { namespace, ttl: TTL })

test('a server that is out of memory refuses takes at once, renews what is held and takes it back', async () => {
  await using server = await RedisServer.start({ name: 'full' })
  await using locks = make(server, 'oom')
  const lease = await locks.mutex('held').acquire()
  const waiting = locks.mutex('held').acquire({ wait: '20s' })
  await server.ask('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
  await server.ask('CONFIG', 'SET', 'maxmemory', 1)
  await expectRefused(locks, 'other', /out of memory/)
  await pause(OUTLIVED_MS)
  lease.assertHeld('500ms')
  await lease.confirm()
  expect(await lease.release()).toBe(true)
  // It stood in line before, and is let in by a release.
  await (await waiting).release()
  await server.ask('CONFIG', 'SET', 'maxmemory', 0)
  await locks.mutex('other').run(() => {})
})

test('a session cannot be opened on a server that is out of memory, and that is said at once', async () => {
  await using server = await RedisServer.start({ name: 'full', args: ['--maxmemory', 1] })
  await using locks = make(server, 'oom')
  await expectRefused(locks, 'thing', /out of memory/)
  expect((await refusalOf(locks.ready())).error.message).toMatch(/out of memory/)
})

test('a lone replica refuses takes at once, for no failover will make it a primary', async () => {
  await using primary = await RedisServer.start({ name: 'primary' })
  const args = ['--replicaof', `${primary.host} ${primary.port}`, '--repl-diskless-sync-delay', 0]
  await using replica = await RedisServer.start({ name: 'replica', args })
  await until('the replica is in step', async () => (await replica.info('replication')).master_link_status === 'up')
  await using locks = make(replica, 'replica')
  await expectRefused(locks, 'thing', /read-only replica/)
})

test('a primary that becomes a replica in mid-hold refuses takes at once, and the lease ends when its time is over', async () => {
  await using other = await RedisServer.start({ name: 'other' })
  await using server = await RedisServer.start({ name: 'demoted' })
  await using locks = make(server, 'demoted')
  const lease = await locks.mutex('held').acquire()
  await server.ask('REPLICAOF', other.host, other.port)
  await expectRefused(locks, 'thing', /read-only replica/)
  await until('the lease is lost', () => lease.signal.aborted, { limitMs: OUTLIVED_MS })
  expect(lease.signal.reason).toMatchObject({ code: 'LEASE_LOST' })
})

test('takes wait for a server that is loading its data', async () => {
  await using server = await RedisServer.start({ name: 'loading' })
  await using locks = make(server, 'loading')
  await locks.mutex('thing').run(() => {})
  const many = Array.from({ length: 20_000 }, (_, index) => [`other-${index}`, 'x'.repeat(100)])
  await server.ask('MSET', ...many.flat())
  await server.ask('SAVE')
  server.args = ['--key-load-delay', 100, '--loading-process-events-interval-bytes', 1024]
  await server.restart({ ready: false })
  const early = await locks
    .mutex('thing')
    .acquire({ wait: '300ms' })
    .catch((error: unknown) => error)
  const loading = (await server.info('persistence')).loading
  expect(early).toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
  expect(loading).toBe('1')
  await locks.mutex('thing').run(() => {}, { wait: '20s' })
})

test('a server that cannot save its data, and so takes no writes, refuses takes at once', async () => {
  await using server = await RedisServer.start({ name: 'unsaved' })
  // In the place of its dump, where nothing can be written over it.
  mkdirSync(join(server.folder, 'dump.rdb'))
  await using locks = make(server, 'misconf')
  const lease = await locks.mutex('held').acquire()
  await server.ask('CONFIG', 'SET', 'save', '3600 1')
  await server.ask('BGSAVE')
  await until('it has failed', async () => (await server.info('persistence')).rdb_last_bgsave_status === 'err')
  await expectRefused(locks, 'other', /cannot save its data/)
  await server.ask('CONFIG', 'SET', 'save', '')
  await locks.mutex('other').run(() => {})
  expect(await lease.release()).toBe(true)
})
