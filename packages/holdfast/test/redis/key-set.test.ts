/**
 * The keys of the library on a real server: which a script touches, what they are called, and what is left of them when
 * everybody has gone.
 */
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { RedisServer } from '../../../../scripts/servers/index.ts'
import { portOf } from '../../src/backend.ts'
import { redis } from '../../src/backends/redis/index.ts'
import { systemClock } from '../../src/clock.ts'
import { type Holdfast, holdfast } from '../../src/index.ts'
import type { Ledger } from '../../src/port.ts'
import { systemRandom } from '../../src/random.ts'
import { claimDraft, MAX_TTL_MS, sessionDraft, terms } from '../backends/bench.ts'

let server: RedisServer
let client: Redis

beforeAll(async () => {
  server = await RedisServer.start()
  client = new Redis(server.port, server.host, { maxRetriesPerRequest: 0 })
})
afterEach(() => server.ask('FLUSHALL'))
afterAll(async () => {
  client.disconnect()
  await server.stop()
})

const NAMES = [
  'plain',
  '{',
  '}',
  '{}',
  '{x}y',
  '%',
  '%7B',
  'a b',
  'a\nb',
  '\u{1f512}',
  'ä'.repeat(256),
  ' ',
  ':',
  '*',
  '\u0001',
]
const NAMESPACES = [...NAMES.slice(0, -1), '{shop}:1', 'shop:1', 'shop}']

const object = (namespace: string): Holdfast => holdfast(redis(client), { namespace, ttl: '2s' })

/** Everything that can be taken, taken and given back. */
async function use(locks: Holdfast, name: string): Promise<void> {
  const label = name.slice(0, 100)
  await locks.mutex(name).run(() => {}, { label })
  const held = await locks.mutex(name).acquire({ maxHold: '1m', label })
  expect(await locks.mutex(name).tryAcquire()).toBeNull()
  expect(await locks.inspect(name)).toMatchObject([{ name, holders: [{ label }] }])
  await held.release()
  const pool = locks.semaphore(name, { capacity: 2 })
  const permits = await Promise.all([pool.acquire({ slot: true }), pool.acquire()])
  await Promise.all(permits.map((permit) => permit.release()))
  const reader = await locks.rwlock(name).read().acquire()
  const writing = locks
    .rwlock(name)
    .write()
    .run(() => {})
  await reader.release()
  await writing
  const detached = await locks.mutex(name).acquire({ detached: true, maxHold: '1m' })
  await detached.release()
}

test('when all is given back and all objects are closed, nothing but the headers of buckets is there', async () => {
  const [first, second] = [object('left'), object('left')]
  for (const name of NAMES) await use(first, name)
  // Each name to itself, and then to many at once.
  await Promise.all(NAMES.map((name) => use(second, name)))
  await Promise.all(NAMES.flatMap((name) => [first, second].map((locks) => locks.mutex(name).run(() => {}))))
  await first.close()
  await second.close()
  expect((await server.keys()).filter((key) => !key.endsWith('}:head'))).toEqual([])
})

test('when cells were used as well, whatever else is there ends by itself', async () => {
  const locks = object('cells')
  const latch = locks.latch('gate', 1)
  await latch.countDown('one')
  await locks.close()
  for (const key of await server.keys()) {
    expect([key, key.endsWith('}:head') || Number(await server.ask('PTTL', key)) > 0]).toEqual([key, true])
  }
})

test('each namespace has keys of its own, whatever its name, and all of a bucket share a hash tag', async () => {
  const tags = new Set<string>()
  for (const namespace of NAMESPACES) {
    await server.ask('FLUSHALL')
    const locks = object(namespace)
    const leases = await Promise.all(NAMES.map((name) => locks.mutex(name).acquire()))
    const keys = await server.keys()
    const own = new Set(keys.map((key) => /^hf:\{([^{}]+:\d+)\}:(head|1:ends|1:index|1:book)$/s.exec(key)?.[1] ?? key))
    for (const tag of own) {
      expect([namespace, tag, tags.has(tag)]).toEqual([namespace, tag, false])
      tags.add(tag)
    }
    const listed: string[] = []
    for await (const { name } of locks.list()) listed.push(name)
    expect(listed.sort()).toEqual([...NAMES].sort())
    for (const lease of leases) await lease.release()
    await locks.close()
  }
})

test('a session whose id begins like the name of a field hides and makes no line', async () => {
  const store = await ledger()
  const bucket = store.bucketOf('door')
  for (const letter of ['l', 't', 'w', 'm', 'n', 'o']) {
    const session = { bucket, id: letter.repeat(16) }
    await store.open(sessionDraft(session.id, { bucket }))
    const every = Array.from({ length: 500 }, (_, n) => `${session.id}.${String(n).padStart(8, '0')}`)
    // Such as would be looked for in the same bucket, if somebody took them for names.
    const ids = every.filter((id) => store.bucketOf(id.slice(1)) === bucket).slice(0, 2)
    for (const id of ids) await store.enter(session, claimDraft(id), terms())
    expect(await store.list('', '', 10)).toMatchObject([{ line: 'door', claims: ids.map((id) => ({ id })) }])
    expect(await store.beat(session, { ttlMs: 1000, after: '', limit: 64 })).toMatchObject({ audit: [{}, {}] })
    await store.end(session)
  }
  expect(await store.list('', '', 10)).toEqual([])
  await store.close()
})

/** What scripts called since, each with the keys that were declared to it. */
async function watched(
  work: () => Promise<void>,
): Promise<{ readonly declared: readonly string[]; readonly call: readonly string[] }[]> {
  const seen: { declared: string[]; call: string[] }[] = []
  let declared: string[] = []
  const monitor = await client.duplicate().monitor()
  monitor.on('monitor', (_time: string, call: string[], source: string) => {
    if (/^eval/i.test(call[0] ?? '')) declared = call.slice(3, 3 + Number(call[2]))
    else if (source === 'lua') seen.push({ declared, call })
  })
  await work()
  await client.ping()
  await new Promise((resolve) => setTimeout(resolve, 100))
  monitor.disconnect()
  return seen
}

async function ledger(): Promise<Ledger> {
  return portOf(redis(client)).connect({
    namespace: 'watched',
    maxTtlMs: MAX_TTL_MS,
    quarantine: false,
    clock: systemClock,
    random: systemRandom,
    onHint: () => {},
  })
}

/** Every request of the port, also where it waits, sweeps, and finds the dead. */
async function everyRequest(): Promise<void> {
  const store = await ledger()
  const bucket = store.bucketOf('door')
  const [a, b, dead] = ['a', 'b', 'd'].map((letter) => ({ bucket, id: letter.repeat(16) })) as [Key, Key, Key]
  const claim = (session: Key, n: number): string => `${session.id}.${String(n).padStart(8, '0')}`
  const key = (session: Key, n: number): { id: string; line: string } => ({ id: claim(session, n), line: 'door' })
  for (const session of [a, b, dead])
    await store.open(sessionDraft(session.id, { bucket, ttlMs: session === dead ? 60 : 5000 }))
  await store.enter(dead, claimDraft(claim(dead, 0), { maxHoldMs: 10 }), terms())
  await store.enter(dead, claimDraft(claim(dead, 1)), terms())
  await new Promise((resolve) => setTimeout(resolve, 80))
  await store.enter(a, claimDraft(claim(a, 0), { label: 'label', slot: true, maxHoldMs: 5000 }), terms())
  await store.enter(b, claimDraft(claim(b, 0)), terms())
  await store.enter(b, claimDraft(claim(b, 1)), terms({ mode: 'try' }))
  await store.ask(b, [key(b, 0)])
  await store.amend(a, key(a, 0), { maxHoldMs: 4000 })
  for (const session of [a, b]) await store.beat(session, { ttlMs: 5000, after: '', limit: 64 })
  await store.inspect('door')
  await store.list('', '', 10)
  await store.evict('door', null)
  await store.leave(bucket, [key(a, 0), key(b, 0)])
  const write = { opId: 'op', notAfterMs: Date.now() + 5000, minSeq: 0, ifVersion: undefined, ttlMs: 1000 }
  await store.cells.set('door', 'value', write)
  await store.cells.add('door', 'member', write)
  await store.cells.get('door')
  await store.cells.remove('door')
  for (const session of [a, b]) await store.end(session)
  await store.close()
}

interface Key {
  readonly bucket: number
  readonly id: string
}

const KEYLESS = ['TIME', 'INFO', 'PUBLISH']

test('a script touches no key that was not declared to it', async () => {
  const calls = await watched(everyRequest)
  expect(calls.length).toBeGreaterThan(100)
  for (const { declared, call } of calls) {
    const [command = '', first = '', ...more] = call
    if (KEYLESS.includes(command)) continue
    const keys = command === 'DEL' ? [first, ...more] : [first]
    expect([call, keys.filter((key) => !declared.includes(key))]).toEqual([call, []])
    expect([call, keys.every((key) => key.startsWith('hf:{watched:'))]).toEqual([call, true])
  }
  const channels = calls.filter(({ call }) => call[0] === 'PUBLISH').map(({ call }) => call[1] ?? '')
  expect(channels.every((channel) => channel.startsWith('hf:1:'))).toBe(true)
})
