/** Locks in a cluster: over failovers of every kind, with cold script caches, and while slots move from node to node. */
import { setTimeout as pause } from 'node:timers/promises'
import { Cluster } from 'ioredis'
import { createCluster } from 'redis'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { RedisCluster, type RedisServer, SlotMove } from '../../../../scripts/servers/index.ts'
import { redis } from '../../src/backends/redis/index.ts'
import { bucketOf, keysOf } from '../../src/backends/redis/keys.ts'
import { type Backend, holdfast } from '../../src/index.ts'
import { describeConformance } from '../conformance/suite.ts'
import { inStep, whileFailingOver } from './failing-over.ts'
import { someChapters } from './some-chapters.ts'

const cluster = await RedisCluster.start({ nodeTimeoutMs: 1_000 })
const endings: (() => unknown)[] = []
afterEach(async () => {
  for (const ending of endings.splice(0)) await ending()
})
afterAll(() => cluster.stop())

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

describe('before a failover, with script caches that are cold again and again', () => {
  let going = true
  let flushing: Promise<void> = Promise.resolve()
  beforeEach(() => {
    going = true
    flushing = (async () => {
      while (going) {
        for (const node of cluster.nodes) await node.ask('SCRIPT', 'FLUSH')
        await pause(20)
      }
    })()
  })
  afterEach(async () => {
    going = false
    await flushing
  })
  describeConformance(subject, someChapters)
})

describe('over a failover', () => {
  beforeEach(async () => {
    for (const node of cluster.nodes) {
      node.resume()
      if (!node.running) await node.start()
    }
    await cluster.settled()
  })

  test('a primary that is handed over costs no lease and no patient take', () => expectKept(own, handedOver))
  test('a primary that hangs costs no lease and no patient take', () => expectKept(own, hung))
  test('a primary that dies costs no lease and no patient take, with a client of ioredis handed in', () =>
    expectKept(handedIn, killed))
  test('a primary that dies costs no lease and no patient take, with a client of node-redis handed in', async () =>
    expectKept(await nodeRedis(), killed))
})

describe('while slots move', () => {
  beforeEach(async () => {
    for (const node of cluster.nodes) if (!node.running) await node.start()
    await cluster.settled()
  })

  async function elsewhere(slot: number): Promise<RedisServer> {
    const from = await cluster.primaryOf(slot)
    for (const other of [1_000, 8_000, 15_000]) {
      const to = await cluster.primaryOf(other)
      if (to !== from) return to
    }
    throw new Error('there is one primary only')
  }

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
        const slot = await cluster.slotOf(keys[(round * 7) % keys.length] ?? '')
        const move = await SlotMove.begin(cluster, slot, await elsewhere(slot))
        const left = await move.keysLeft()
        await move.moveKeys(left.slice(0, Math.ceil(left.length / 2)))
        await pause(30)
        await move.end()
      }
    }))
})

describe('after all that', () => describeConformance(subject, someChapters))
