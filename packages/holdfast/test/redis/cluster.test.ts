/** Locks in a cluster: over failovers of every kind, with cold script caches, and while slots move from node to node. */
import { setTimeout as pause } from 'node:timers/promises'
import { Cluster } from 'ioredis'
import { createCluster } from 'redis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { RedisCluster, type RedisServer, SlotMove } from '../../../../scripts/servers/index.ts'
import { redis } from '../../src/backends/redis/index.ts'
import { bucketOf, keysOf } from '../../src/backends/redis/keys.ts'
import { type Backend, holdfast } from '../../src/index.ts'
import { describeConformance } from '../conformance/suite.ts'
import { inStep, whileFailingOver } from './failing-over.ts'

const cluster = await RedisCluster.start({ nodeTimeoutMs: 1_000 })
const endings: (() => unknown)[] = []
afterEach(async () => {
  for (const ending of endings.splice(0)) await ending()
})
afterAll(() => cluster.stop())

/** Nobody fails over by himself where a busy machine only makes a server slow. */
const CALM_MS = 20_000
const QUICK_MS = 1_000

async function restored(downAfterMs: number): Promise<void> {
  for (const server of cluster.nodes) {
    server.resume()
    if (!server.running) await server.start()
  }
  await cluster.settled()
  await cluster.downAfter(downAfterMs)
}

async function aPrimary(): Promise<RedisServer> {
  return cluster.primaryOf(0)
}

async function killed(): Promise<void> {
  const primary = await aPrimary()
  await inStep(primary)
  await primary.kill()
  await cluster.promotedAfter(primary, 0)
}

async function hung(): Promise<void> {
  const primary = await aPrimary()
  await inStep(primary)
  primary.pause()
  await cluster.promotedAfter(primary, 0)
}

async function handedOver(): Promise<void> {
  await cluster.failover(await aPrimary())
}

const own = (): Backend => redis({ cluster: cluster.addresses })

function handedIn(): Backend {
  const client = new Cluster([...cluster.addresses], { redisOptions: { socketTimeout: 2_000 } })
  client.on('error', () => {})
  endings.push(() => client.disconnect())
  return redis(client)
}

async function nodeRedis(): Promise<() => Backend> {
  const clients = [1, 2].map(() =>
    createCluster({ rootNodes: cluster.nodes.map(({ url }) => ({ url })), defaults: { disableOfflineQueue: true } }),
  )
  for (const client of clients) {
    client.on('error', () => {})
    await client.connect()
    endings.push(() => client.destroy())
  }
  return () => redis(clients.pop() as never)
}

/** Nothing that the promoted server has is lost, and it has all: the replicas were in step. */
async function expectKept(backend: () => Backend, failover: () => Promise<void>): Promise<void> {
  const { lost } = await whileFailingOver(backend, failover)
  expect(lost).toEqual([])
}

const subject = { name: 'cluster', connect: own, ttl: '1s', ttlMs: 1000, buckets: 16, lacks: [] } as const

/** Does something again and again while the tests of a group run, of which several do at once. */
function meanwhile(work: () => Promise<void>): void {
  let going = true
  let working: Promise<void> = Promise.resolve()
  beforeAll(() => {
    working = (async () => {
      while (going) await work()
    })()
  })
  afterAll(async () => {
    going = false
    await working
  })
}

describe('before a failover, with script caches that are cold again and again', () => {
  beforeAll(() => cluster.downAfter(CALM_MS))
  meanwhile(async () => {
    for (const node of cluster.nodes) await node.ask('SCRIPT', 'FLUSH')
    await pause(20)
  })
  describeConformance(subject)
})

describe('over a failover', () => {
  beforeEach(() => restored(QUICK_MS))

  test('a primary that is handed over costs no lease and no patient take', () => expectKept(own, handedOver))
  test('a primary that hangs costs no lease and no patient take', () => expectKept(own, hung))
  test('a primary that dies costs no lease and no patient take, with a client of ioredis handed in', () =>
    expectKept(handedIn, killed))
  test('a primary that dies costs no lease and no patient take, with a client of node-redis handed in', async () =>
    expectKept(await nodeRedis(), killed))
})

async function elsewhere(slot: number): Promise<RedisServer> {
  const from = await cluster.primaryOf(slot)
  for (const other of [1_000, 8_000, 15_000]) {
    const to = await cluster.primaryOf(other)
    if (to !== from) return to
  }
  throw new Error('there is one primary only')
}

/** Hands the slot of a key over, with a while in which its keys are in two places. */
async function moveSlotOf(key: string, pauseMs: number): Promise<void> {
  const slot = await cluster.slotOf(key)
  const move = await SlotMove.begin(cluster, slot, await elsewhere(slot))
  const left = await move.keysLeft()
  await move.moveKeys(left.slice(0, Math.ceil(left.length / 2)))
  await pause(pauseMs)
  await move.end()
}

describe('while slots move', () => {
  beforeEach(() => restored(CALM_MS))

  test('a lease is kept for as long as its bucket is in two places, takes wait, and all goes on afterwards', async () => {
    const namespace = 'moving'
    await using locks = holdfast(own(), { namespace, ttl: '2s' })
    await using other = holdfast(own(), { namespace, ttl: '2s' })
    const held = await locks.mutex('held').acquire()
    const [head, ends] = keysOf(namespace).buckets[bucketOf('lock:held')]?.keys ?? []
    const slot = await cluster.slotOf(head ?? '')
    const move = await SlotMove.begin(cluster, slot, await elsewhere(slot))
    await move.moveKeys([ends ?? ''])
    const waiting = other.mutex('held').acquire({ wait: '30s' })
    const hasty = await other
      .mutex('held')
      .acquire({ wait: '300ms' })
      .catch((error: unknown) => error)
    expect(hasty).toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
    // Twice the ttl: without beats it would be over.
    await pause(4_000)
    held.assertHeld('500ms')
    await move.end()
    await held.confirm()
    expect(await held.release()).toBe(true)
    const next = await waiting
    expect(next.fence > held.fence).toBe(true)
    await next.release()
  })

  test('slots that move one after the other cost no lease and no patient take', () =>
    expectKept(own, async () => {
      for (let round = 0; round < 12; round++) {
        const from = await cluster.primaryOf(round % 2 === 0 ? 1_000 : 15_000)
        const keys = await from.keys('hf:{failing-over-*')
        await moveSlotOf(keys[(round * 7) % keys.length] ?? '', 30)
      }
    }))
})

describe('after all that', () => {
  beforeAll(() => restored(CALM_MS))
  describeConformance(subject)
})

describe('while slots move to and fro', () => {
  let moved = 0
  beforeAll(async () => {
    await restored(CALM_MS)
    // What earlier groups left would be moved in the place of what is used now.
    for (const slot of [1_000, 8_000, 15_000]) await (await cluster.primaryOf(slot)).ask('FLUSHALL')
  })
  meanwhile(async () => {
    await pause(50)
    for (const slot of [1_000, 8_000, 15_000]) {
      const keys = await (await cluster.primaryOf(slot)).keys('hf:{*')
      const key = keys[moved % keys.length]
      if (key === undefined) continue
      await moveSlotOf(key, 2)
      moved++
    }
  })
  describeConformance({ ...subject, shaky: true })
  test('many of them did', () => expect(moved).toBeGreaterThan(20))
})
