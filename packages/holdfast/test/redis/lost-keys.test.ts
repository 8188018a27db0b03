/** Keys that somebody deletes, and scripts that a server forgets. */
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { RedisServer } from '../../../../scripts/servers/index.ts'
import { redis } from '../../src/backends/redis/index.ts'
import { bucketOf, keysOf } from '../../src/backends/redis/keys.ts'
import { type Holdfast, holdfast, type Lease, type LeaseLostError } from '../../src/index.ts'

const server = await RedisServer.start({ name: 'lost-keys' })
afterAll(() => server.stop())

const TTL_MS = 3_000
const BEAT_MS = TTL_MS / 3
const HELD = 150
/** What one beat looks at. */
const AUDITED = 64
const SLACK_MS = 400

/** Names whose lines are in one bucket. */
function namesIn(bucket: number, count: number): string[] {
  const names: string[] = []
  for (let number = 0; names.length < count; number++) {
    const name = `held-${number}`
    if (bucketOf(`lock:${name}`) === bucket) names.push(name)
  }
  return names
}

function loss({ signal }: Lease): Promise<{ readonly atMs: number; readonly error: LeaseLostError }> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ atMs: performance.now(), error: signal.reason }), { once: true })
  })
}

describe.each(['ends', 'index', 'book'] as const)('when the key %s of a bucket is deleted', (part) => {
  test('its holders are told within as many beats as their claims need, and others get the locks', async () => {
    const namespace = `deleted-${part}`
    const ttl = `${TTL_MS}ms` as const
    await using locks = holdfast(redis(server.url), { namespace, ttl })
    await using other = holdfast(redis(server.url), { namespace, ttl })
    const names = namesIn(3, HELD)
    const leases = await Promise.all(names.map((name) => locks.mutex(name).acquire()))
    await pause(100)
    const losses = leases.map(loss)
    const [, ends, index, book] = keysOf(namespace).buckets[3]?.keys ?? []
    const key = { ends, index, book }[part] ?? ''
    const deletedMs = performance.now()
    expect(await server.ask('DEL', key)).toBe(1)
    const told = await Promise.all(losses)
    const lastMs = Math.max(...told.map(({ atMs }) => atMs)) - deletedMs
    expect(lastMs).toBeLessThan(Math.ceil(HELD / AUDITED) * BEAT_MS + SLACK_MS)
    expect(new Set(told.map(({ error }) => error.reason))).toEqual(new Set(['forgotten']))
    await locks.mutex(names[0] ?? '').run(() => {}, { wait: '2s' })
    await other.mutex(names[1] ?? '').run(() => {}, { wait: '2s' })
  })
})

test('when the index of a bucket is deleted beside a waiter, its holder is refused beside the next, and nothing stays', async () => {
  const namespace = 'deleted-index-waiter'
  const object = (): Holdfast => holdfast(redis(server.url), { namespace, ttl: `${TTL_MS}ms` })
  const [locks, waiter, next, last] = [object(), object(), object(), object()]
  await Promise.all([locks, next, last].map((one) => one.mutex('x').run(() => {})))
  const held = await locks.mutex('x').acquire()
  const waiting = waiter.mutex('x').run(() => {})
  await pause(300)
  const [, , index = ''] = keysOf(namespace).buckets[bucketOf('lock:x')]?.keys ?? []
  expect(await server.ask('DEL', index)).toBe(1)
  const taken = await next.mutex('x').acquire()
  const behind = last.mutex('x').run(() => {})
  await pause(50)
  await expect(held.confirm()).rejects.toMatchObject({ code: 'LEASE_LOST', reason: 'forgotten' })
  await taken.confirm()
  await taken.release()
  await Promise.all([waiting, behind])
  await Promise.all([locks, waiter, next, last].map((one) => one.close()))
  const left = (await server.keys()).filter((key) => key.includes(namespace) && !key.endsWith('}:head'))
  expect(left).toEqual([])
})

describe('when the header of a bucket is deleted', () => {
  const headOf = (namespace: string, name: string): string =>
    keysOf(namespace).buckets[bucketOf(`lock:${name}`)]?.keys[0] ?? ''

  test.each([1, 50])('fences go on above the old ones, %i takes after those of the next taker', async (takes) => {
    const namespace = `deleted-head-${takes}`
    await using locks = holdfast(redis(server.url), { namespace })
    await using other = holdfast(redis(server.url), { namespace })
    await other.mutex('x').run(() => {})
    const fences: bigint[] = []
    const take = (one: typeof locks): Promise<void> => one.mutex('x').run(async ({ fence }) => void fences.push(fence))
    for (let taken = 0; taken < takes; taken++) await take(locks)
    expect(await server.ask('DEL', headOf(namespace, 'x'))).toBe(1)
    await take(other)
    await take(locks)
    expect(fences).toEqual([...new Set(fences)].sort((a, b) => (a < b ? -1 : 1)))
  })

  test('its holders are told within a beat, and others get the locks within a ttl', async () => {
    const namespace = 'deleted-head'
    const ttl = `${TTL_MS}ms` as const
    await using locks = holdfast(redis(server.url), { namespace, ttl })
    await using other = holdfast(redis(server.url), { namespace, ttl })
    const lease = await locks.mutex('x').acquire()
    const told = loss(lease)
    const deletedMs = performance.now()
    expect(await server.ask('DEL', headOf(namespace, 'x'))).toBe(1)
    const { atMs, error } = await told
    expect(atMs - deletedMs).toBeLessThan(BEAT_MS + SLACK_MS)
    expect(error.reason).toBe('forgotten')
    await using next = await other.mutex('x').acquire({ wait: `${TTL_MS + SLACK_MS}ms` })
    expect(next.fence > lease.fence).toBe(true)
  })
})

test('a server that forgets its scripts under load is given them again, and no take fails', async () => {
  const namespace = 'cold'
  await using locks = holdfast(redis(server.url), { namespace })
  await using other = holdfast(redis(server.url), { namespace })
  let flushes = 0
  let going = true
  const flushing = (async () => {
    while (going) {
      await server.ask('SCRIPT', 'FLUSH', flushes++ % 2 === 0 ? 'SYNC' : 'ASYNC')
      await pause(2)
    }
  })()
  const inside = new Map<string, number>()
  const section = async (one: typeof locks, name: string): Promise<void> => {
    await one.mutex(name).run(async () => {
      inside.set(name, (inside.get(name) ?? 0) + 1)
      expect(inside.get(name)).toBe(1)
      await pause(1)
      inside.set(name, 0)
    })
  }
  const work = Array.from({ length: 300 }, (_, index) => section(index % 2 === 0 ? locks : other, `name-${index % 20}`))
  await Promise.all(work)
  going = false
  await flushing
  expect(flushes).toBeGreaterThan(5)
})
