/** Takes that wait for replicas: granted when enough have them, given back when not, and kept when they go away later. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { givenServers } from '../../../../scripts/servers/given.ts'
import { type RedisAccess, RedisServer, SentinelSet, until } from '../../../../scripts/servers/index.ts'
import { portOf } from '../../src/backend.ts'
import { redis } from '../../src/backends/redis/index.ts'
import { systemClock } from '../../src/clock.ts'
import { type Holdfast, holdfast, isHoldfastError } from '../../src/index.ts'
import type { ClaimKey, Ledger, SessionKey } from '../../src/port.ts'
import { systemRandom } from '../../src/random.ts'
import { claimDraft, MAX_TTL_MS, sessionDraft, terms } from '../backends/bench.ts'
import { libraries, type Made } from './libraries.ts'

const given = givenServers()
const library = libraries[0] as (typeof libraries)[number]
let namespaces = 0

function locksOver({ client }: Made, replicas: number): Holdfast {
  return holdfast(redis(client, { replicas }), { namespace: `replicas-${process.pid}-${namespaces++}`, ttl: '3s' })
}

interface Replicated {
  readonly primary: RedisServer
  readonly replicas: readonly RedisServer[]
}

let shared: Replicated
beforeAll(async () => {
  shared = await replicated(2)
})
afterAll(() => ended(shared))

/** One primary and its replicas, without Sentinel. */
async function replicated(count: number): Promise<Replicated> {
  // It would wait for replicas that are stopped before it.
  const primary = await RedisServer.start({ args: ['--shutdown-timeout', '0'] })
  const args = ['--replicaof', `${primary.host} ${primary.port}`, '--repl-diskless-sync-delay', '0']
  const replicas = await Promise.all(Array.from({ length: count }, () => RedisServer.start({ args })))
  await until(
    'the replicas are in step',
    async () => (await primary.info('replication')).connected_slaves === String(count),
  )
  await until('a write reaches them', async () => Number(await waited(primary, count)) === count)
  return { primary, replicas }
}

function waited(server: RedisServer, count: number): Promise<unknown> {
  return server.ask('WAIT', count, 1000)
}

async function ended({ primary, replicas }: Replicated): Promise<void> {
  await Promise.all([primary, ...replicas].map((server) => server.stop()))
}

describe.each(libraries)('$name', (library) => {
  test('a take is granted when the replicas have it, and the replicas have it then', async () => {
    const one = await library.alone(shared.primary.port)
    const locks = locksOver(one, 2)
    const lease = await locks.mutex('x').acquire()
    for (const replica of shared.replicas) expect((await replica.keys('hf:*book')).length).toBe(1)
    await lease.release()
    await locks.close()
    await one.end()
  })

  test('a try that too few have is an outage, and is given back', async () => {
    const one = await library.alone(shared.primary.port)
    const locks = locksOver(one, 3)
    const startMs = performance.now()
    const error = await locks
      .mutex('x')
      .tryAcquire()
      .catch((failed: unknown) => failed)
    expect(isHoldfastError(error, 'BACKEND_UNAVAILABLE'), String(error)).toBe(true)
    expect(String((error as Error).cause ?? error)).toMatch(/only 2 of 3 replicas/)
    expect(performance.now() - startMs, 'a sixth of the ttl, and some').toBeLessThan(1500)
    await until('it is given back', () => lonely(shared.primary))
    await locks.close()
    await one.end()
  })

  test('in a cluster it is the replica of the server that keeps the lock', async () => {
    const one = await library.cluster(given)
    const locks = locksOver(one, 1)
    for (let index = 0; index < 12; index++) await locks.mutex(`x-${index}`).run(() => {})
    await locks.close()
    await one.end()
  })
})

/** No claim is left in any line. */
async function lonely(server: RedisAccess): Promise<boolean> {
  const indexes = await server.keys('hf:*index')
  return indexes.length === 0
}

test('a waiter is told of its turn only when the replicas have that', async () => {
  const { primary, replicas } = shared
  const [one, other] = [await library.alone(primary.port), await library.alone(primary.port)]
  const namespace = `replicas-${process.pid}-${namespaces++}`
  const first = holdfast(redis(one.client), { namespace, ttl: '3s' })
  const second = holdfast(redis(other.client, { replicas: 2 }), { namespace, ttl: '3s' })
  const held = await first.mutex('x').acquire()
  const waiting = second.mutex('x').acquire({ wait: '2s' })
  await new Promise((resolve) => setTimeout(resolve, 300))
  for (const replica of replicas) replica.pause()
  await held.release()
  await expect(waiting).rejects.toSatisfy((error) => isHoldfastError(error, 'BACKEND_UNAVAILABLE'))
  for (const replica of replicas) replica.resume()
  await (await second.mutex('x').acquire({ wait: '5s' })).release()
  await Promise.all([first.close(), second.close(), one.end(), other.end()])
})

test('a holder does not lose its lock when replicas go away later', async () => {
  const { primary, replicas } = await replicated(1)
  const one = await library.alone(primary.port)
  const locks = locksOver(one, 1)
  const lease = await locks.mutex('x').acquire()
  await Promise.all(replicas.map((replica) => replica.stop()))
  await new Promise((resolve) => setTimeout(resolve, 4000))
  expect(lease.isHeld()).toBe(true)
  await lease.confirm()
  await lease.release()
  await locks.close()
  await one.end()
  await primary.stop()
})

describe('what is known of a session whose claims the replicas have', () => {
  const key = (id: string): SessionKey => ({ bucket: 3, id: id.repeat(16) })
  const claimOf = ({ id }: SessionKey, n = 0): ClaimKey => ({
    id: `${id}.${String(n).padStart(8, '0')}`,
    line: `${id}-${n}`,
  })

  /** A client whose questions are seen to wait for replicas or not. */
  async function observed(): Promise<{ readonly store: Ledger; waits(work: () => Promise<unknown>): Promise<number> }> {
    const one = await library.alone(shared.primary.port)
    const store = await portOf(redis(one.client, { replicas: 2 })).connect({
      namespace: `replicas-${process.pid}-${namespaces++}`,
      ...{ maxTtlMs: MAX_TTL_MS, quarantine: false, clock: systemClock, random: systemRandom, onHint: () => {} },
    })
    const count = async (): Promise<number> => (await shared.primary.commandCounts()).wait ?? 0
    ends.push(async () => {
      await store.close()
      await one.end()
    })
    return {
      store,
      async waits(work) {
        const before = await count()
        await work()
        return (await count()) - before
      },
    }
  }

  const ends: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0)) await end()
  })

  async function hold(store: Ledger, session: SessionKey): Promise<void> {
    await store.open(sessionDraft(session.id, session))
    expect(await store.enter(session, claimDraft(claimOf(session).id, claimOf(session)), terms())).toMatchObject({
      state: 'open',
    })
  }

  test('is kept while the session lives, whatever others are opened beside it', async () => {
    const { store, waits } = await observed()
    for (const id of 'abcdefgh') await hold(store, key(id))
    for (const id of 'abcdefgh') {
      expect(await waits(() => store.ask(key(id), [claimOf(key(id))]))).toBe(0)
    }
  })

  test('is forgotten when the session was lost and others are opened', async () => {
    const { store, waits } = await observed()
    for (const id of 'abcd') await hold(store, key(id))
    for (const endsKey of await shared.primary.keys('hf:{replicas-*ends')) await shared.primary.ask('DEL', endsKey)
    await hold(store, key('e'))
    // It is asked about behind the answer.
    for (const id of 'abcd') await store.ask(key(id), [])
    for (const id of 'abcd') {
      expect(await waits(() => store.ask(key(id), [claimOf(key(id))]))).toBe(1)
    }
    expect(await waits(() => store.ask(key('e'), [claimOf(key('e'))]))).toBe(0)
  })

  test('is not known by an answer that comes when the claim has been left', async () => {
    const { store, waits } = await observed()
    await hold(store, key('a'))
    await store.open(sessionDraft(key('b').id, key('b')))
    const behind = { id: claimOf(key('b')).id, line: claimOf(key('a')).line }
    await store.enter(key('b'), claimDraft(behind.id, behind), terms())
    await store.leave(3, [claimOf(key('a'))])
    for (const replica of shared.replicas) replica.pause()
    const late = store.ask(key('b'), [behind])
    await store.leave(3, [behind])
    for (const replica of shared.replicas) replica.resume()
    expect(await late).toMatchObject({ standings: [{ state: 'open' }] })
    expect(await waits(() => store.ask(key('b'), [behind]))).toBe(1)
  })
})

test('after a failover takes wait for the replicas of the new primary', { timeout: 60_000 }, async () => {
  await using set = await SentinelSet.start()
  const one = await library.sentinel({ sentinel: { name: set.name, sentinels: set.addresses } } as never)
  const locks = locksOver(one, 1)
  await locks.mutex('x').run(() => {})
  await set.failover()
  await locks.mutex('x').run(() => {}, { wait: '20s' })
  await locks.close()
  await one.end()
})
