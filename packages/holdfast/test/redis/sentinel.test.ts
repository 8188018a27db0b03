/** Locks on a primary that Sentinel watches, over failovers of every kind. */
import { Redis } from 'ioredis'
import { createSentinel } from 'redis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SentinelSet } from '../../../../scripts/servers/index.ts'
import { redis } from '../../src/backends/redis/index.ts'
import type { Backend } from '../../src/index.ts'
import { describeConformance } from '../conformance/suite.ts'
import { inStep, whileFailingOver } from './failing-over.ts'

const set = await SentinelSet.start()
const endings: (() => unknown)[] = []
afterEach(async () => {
  for (const ending of endings.splice(0)) await ending()
})
afterAll(() => set.stop())

/** Nobody fails over by himself where a busy machine only makes a server slow. */
const CALM_MS = 20_000
const QUICK_MS = 1_000

async function restored(downAfterMs: number): Promise<void> {
  for (const server of set.servers) {
    server.resume()
    if (!server.running) await server.start()
  }
  await set.settled()
  await set.downAfter(downAfterMs)
}

async function killed(): Promise<void> {
  const primary = await set.primary()
  await inStep(primary)
  await primary.kill()
  await set.promotedAfter(primary)
}

async function hung(): Promise<void> {
  const primary = await set.primary()
  await inStep(primary)
  primary.pause()
  await set.promotedAfter(primary)
}

async function handedOver(): Promise<void> {
  await set.failover()
}

const own = (): Backend => redis({ sentinels: set.addresses, name: set.name })

function handedIn(): Backend {
  const client = new Redis({ sentinels: [...set.addresses], name: set.name, failoverDetector: true })
  client.on('error', () => {})
  endings.push(() => client.disconnect())
  return redis(client)
}

async function nodeRedis(): Promise<() => Backend> {
  const clients = [1, 2].map(() => createSentinel({ name: set.name, sentinelRootNodes: [...set.addresses] }))
  for (const client of clients) {
    client.on('error', () => {})
    await client.connect()
    endings.push(() => client.destroy())
  }
  return () => redis(clients.pop() as never)
}

/** Nothing that the promoted server has is lost, and it has all: the replicas were in step. */
async function expectKept(backend: () => Backend, failover: () => Promise<void>): Promise<void> {
  const { lost, failures } = await whileFailingOver(backend, failover)
  expect(lost).toEqual([])
  expect(Object.keys(failures).filter((code) => !/^(WAIT_TIMEOUT|BACKEND_UNAVAILABLE)$/.test(code))).toEqual([])
}

const subject = { name: 'sentinel', connect: own, ttl: '1s', ttlMs: 1000, buckets: 16, lacks: [] } as const

describe('before a failover', () => {
  beforeAll(() => set.downAfter(CALM_MS))
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

describe('after four failovers', () => {
  beforeAll(() => restored(CALM_MS))
  describeConformance(subject)
})
