/** What is left at the nodes of a quorum when everybody has gone: the headers of buckets, as of a single server. */
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Holdfast, type HoldfastOptions, holdfast } from '../../src/index.ts'
import { QuorumNodes } from './quorum-nodes.ts'

let nodes: QuorumNodes

beforeAll(async () => {
  nodes = await QuorumNodes.start(3)
})
afterEach(() => Promise.all(nodes.servers.map((server) => server.ask('FLUSHALL'))))
afterAll(() => nodes[Symbol.asyncDispose]())

const object = (options: Partial<HoldfastOptions> = {}): Holdfast =>
  holdfast(nodes.backend(), { namespace: 'shop', ...options })

/** At each node, without the headers. */
async function keysLeft(): Promise<readonly (readonly string[])[]> {
  const keys = await Promise.all(nodes.servers.map((server) => server.keys()))
  return keys.map((ofNode) => ofNode.filter((key) => !key.endsWith('}:head')))
}
const NONE = [[], [], []]

test('an object that is made ready and closed leaves nothing but headers at new nodes', async () => {
  const locks = object()
  await locks.ready()
  await locks.close()
  expect(await keysLeft()).toEqual(NONE)
})

test('an object that is closed while it gets ready leaves nothing but headers', async () => {
  for (let waitMs = 0; waitMs <= 100; waitMs += 5) {
    const locks = object({ namespace: `shop ${waitMs}` })
    const ready = locks.ready().catch(() => {})
    await pause(waitMs)
    await locks.close()
    await ready
  }
  expect(await keysLeft()).toEqual(NONE)
})

test('sessions that were not used, or have ended by their ttl, are gone from the nodes after the close', async () => {
  const locks = object({ ttl: '1s', maxTtl: '1s' })
  for (let number = 0; number < 3; number++) {
    await locks.mutex(`thing ${number}`).run(() => {})
    await pause(1200)
  }
  // Now with beats, which give up what is not used.
  const held = await locks.mutex('held').acquire()
  for (let number = 0; number < 8; number++) {
    await locks.mutex(`thing ${number}`).run(() => pause(200))
  }
  await held.release()
  await locks.close()
  expect(await keysLeft()).toEqual(NONE)
})

test('a close ends within a second and a half while nodes are stopped, and the others have nothing but headers', async () => {
  for (const stopped of [1, 2]) {
    const locks = object()
    await locks.ready()
    for (const server of nodes.servers.slice(0, stopped)) server.pause()
    const startMs = performance.now()
    await locks.close()
    const tookMs = performance.now() - startMs
    const left = await nodes.servers[2]?.keys()
    for (const server of nodes.servers) server.resume()
    expect(tookMs).toBeLessThan(1500)
    expect(left?.filter((key) => !key.endsWith('}:head'))).toEqual([])
  }
})
