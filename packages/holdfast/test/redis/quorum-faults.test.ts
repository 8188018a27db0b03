/** What a quorum of real servers does when some of them go, come back, or have forgotten everything. */
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { RedisAccess, type RedisServer, until } from '../../../../scripts/servers/index.ts'
import { quorum } from '../../src/backends/quorum/index.ts'
import { type Holdfast, type HoldfastOptions, holdfast, isHoldfastError } from '../../src/index.ts'
import { QuorumNodes } from './quorum-nodes.ts'

const disposables: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of disposables.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

async function started(count: number): Promise<QuorumNodes> {
  const nodes = await QuorumNodes.start(count)
  disposables.push(nodes)
  await nodes.age(['shop'])
  return nodes
}

function locksOf(nodes: QuorumNodes, options: Partial<HoldfastOptions> = {}): Holdfast {
  const locks = holdfast(nodes.backend(), { namespace: 'shop', ttl: '2s', ...options })
  disposables.push(locks)
  return locks
}

async function claimsAt(server: RedisServer): Promise<number> {
  const access = new RedisAccess(server.address)
  const counts = await Promise.all((await access.keys('hf:*:index')).map((key) => access.ask('ZCARD', key)))
  return counts.reduce<number>((sum, count) => sum + Number(count), 0)
}

test('a lease is kept while a minority of its nodes is killed and stopped in mid-hold', async () => {
  const nodes = await started(5)
  const locks = locksOf(nodes)
  const held = await locks.mutex('thing').acquire()
  await pause(100)
  await nodes.servers[0]?.kill()
  nodes.servers[1]?.pause()
  await pause(5000)
  expect(held.isHeld()).toBe(true)
  await held.confirm()
  expect(await locksOf(nodes).mutex('thing').tryAcquire()).toBe(null)
  expect(await held.release()).toBe(true)
  const next = await locksOf(nodes).mutex('thing').acquire()
  expect(next.fence > held.fence).toBe(true)
})

test('a lease is lost when the majority of its nodes is gone, and a take says how each node voted', async () => {
  const nodes = await started(3)
  const locks = locksOf(nodes, { ttl: '1s' })
  const held = await locks.mutex('thing').acquire()
  const lost = new Promise((resolve) => held.signal.addEventListener('abort', resolve))
  await nodes.servers[0]?.kill()
  await nodes.servers[2]?.kill()
  await Promise.race([lost, pause(3000).then(() => expect.fail('it is still held after three ttls'))])
  const error = await locks
    .mutex('other')
    .acquire({ wait: '600ms' })
    .catch((reason: unknown) => reason)
  expect(isHoldfastError(error, 'QUORUM'), String(error)).toBe(true)
  const votes = isHoldfastError(error, 'QUORUM') ? error.votes.map(({ vote }) => vote) : []
  expect(votes.filter((vote) => vote === 'unknown').length, `${votes}`).toBeGreaterThanOrEqual(2)
})

test('a take waits out the loss of a majority within its wait', async () => {
  const nodes = await started(3)
  const locks = locksOf(nodes)
  await locks.mutex('thing').run(() => {})
  nodes.servers[0]?.pause()
  nodes.servers[1]?.pause()
  const waiting = locks.mutex('thing').acquire({ wait: '20s' })
  await pause(1500)
  nodes.servers[0]?.resume()
  await (await waiting).release()
})

test('fences rise while a node goes and comes back without its data', async () => {
  const nodes = await started(3)
  const [server] = nodes.servers
  const [locks, other] = [locksOf(nodes), locksOf(nodes)]
  const fences: bigint[] = []
  const take = async (by: Holdfast): Promise<void> => {
    await by.mutex('thing').run(({ fence }) => fences.push(fence), { wait: '20s' })
  }
  for (let left = 3; left > 0; left--) {
    await take(locks)
    await take(other)
    await server?.kill()
    await take(other)
    await server?.restart({ empty: true })
    await take(locks)
    await take(locksOf(nodes))
  }
  expect(
    fences.every((fence, index) => index === 0 || fence > (fences[index - 1] ?? fence)),
    fences.join(' '),
  ).toBe(true)
})

test('nodes that have lost their data let nobody in while somebody holds', async () => {
  const nodes = await started(3)
  const [first, , third] = nodes.servers
  const other = locksOf(nodes)
  await other.ready()
  // It stands at the first and the second node only, and the first forgets it.
  await third?.kill()
  const held = await locksOf(nodes, { ttl: '4s' }).mutex('thing').acquire()
  await third?.restart({ empty: true })
  await first?.restart({ empty: true })
  let tries = 0
  while (held.isHeld()) {
    const taken = await other
      .mutex('thing')
      .tryAcquire()
      .catch(() => null)
    expect(taken === null || !held.isHeld()).toBe(true)
    await taken?.release()
    tries++
  }
  expect(tries).toBeGreaterThan(3)
  const next = await other.mutex('thing').acquire({ wait: '20s' })
  expect(next.fence > held.fence).toBe(true)
})

test('in a new namespace all nodes must say yes, and then it is there at once', async () => {
  const nodes = await QuorumNodes.start(3)
  disposables.push(nodes)
  const held = await locksOf(nodes).mutex('thing').acquire({ wait: '5s' })
  await held.release()
  await nodes.servers[1]?.kill()
  const error = await locksOf(nodes)
    .mutex('thing')
    .acquire({ wait: '700ms' })
    .catch((reason: unknown) => reason)
  expect(isHoldfastError(error, 'QUORUM'), String(error)).toBe(true)
  expect(String(error)).toMatch(/hold grants back/)
})

test('nothing is left at a node that was stopped while claims came and went', async () => {
  const nodes = await started(5)
  const [, stopped] = nodes.servers
  const locks = locksOf(nodes, { ttl: '10s' })
  await locks.mutex('first').run(() => {})
  stopped?.pause()
  await Promise.all(Array.from({ length: 40 }, (_, number) => locks.mutex(`thing ${number}`).run(() => {})))
  stopped?.resume()
  for (const server of nodes.servers) await until('no claim is left', async () => (await claimsAt(server)) === 0)
})

test('takers from many objects all come to their turn, also with an even number of nodes', async () => {
  const nodes = await started(4)
  const objects = Array.from({ length: 5 }, () => locksOf(nodes, { ttl: '5s' }))
  let [inside, most, count] = [0, 0, 0]
  const visit = async (locks: Holdfast): Promise<void> => {
    await locks.mutex('thing').run(
      async () => {
        inside++
        most = Math.max(most, inside)
        await pause(1)
        inside--
        count++
      },
      { wait: '30s' },
    )
  }
  await Promise.all(objects.flatMap((locks) => Array.from({ length: 6 }, () => visit(locks))))
  expect({ most, count }).toEqual({ most: 1, count: 30 })
})

test('inspect shows which nodes have a claim', async () => {
  const nodes = await started(3)
  const locks = locksOf(nodes)
  await nodes.servers[1]?.kill()
  const held = await locks.mutex('thing').acquire({ label: 'night shift' })
  const [line] = await locksOf(nodes).inspect('thing')
  const [holder] = line?.holders ?? []
  expect(holder).toMatchObject({ id: held.id, fence: held.fence, label: 'night shift' })
  expect(holder?.votes?.map(({ vote }) => vote)).toEqual(['yes', 'unknown', 'yes'])
})

test('a semaphore hands out as many slots as it has, and each has fences that rise', async () => {
  const nodes = await started(3)
  const [locks, other] = [locksOf(nodes), locksOf(nodes)]
  const pool = (by: Holdfast) => by.semaphore('pool', { capacity: 2 })
  const first = await pool(locks).acquire({ slot: true })
  const second = await pool(other).acquire({ slot: true })
  expect([first.slot?.number, second.slot?.number]).toEqual([0, 1])
  expect(await pool(other).tryAcquire({ slot: true })).toBe(null)
  const [line] = await other.inspect('pool')
  expect(line).toMatchObject({ kind: 'semaphore', holders: [{ id: first.id }, { id: second.id }] })
  await first.release()
  const third = await pool(other).acquire({ slot: true })
  expect(third.slot?.number).toBe(0)
  expect((third.slot?.fence ?? 0n) > (first.slot?.fence ?? 0n)).toBe(true)
  expect(await other.forceRelease('pool', second.id)).toBe(1)
})

test('what a quorum has not is refused at once, and before anything is sent', async () => {
  const nodes = await QuorumNodes.start(3)
  await nodes[Symbol.asyncDispose]()
  const locks = locksOf(nodes)
  const calls: Record<string, () => unknown> = {
    'fair mutex': () => locks.mutex('x').acquire({ fair: true }),
    'fair mutex, described so': () => locks.mutex('x', { fair: true }).run(() => {}),
    'fair writer': () => locks.rwlock('x', { fair: true }).write().tryAcquire(),
    'fair reader': () =>
      locks
        .rwlock('x')
        .read()
        .tryRun(() => {}, { fair: true }),
    'fair slot': () => locks.semaphore('x', { capacity: 2 }).acquire({ slot: true, fair: true }),
    permits: () => locks.semaphore('x', { capacity: 2 }).acquire(),
    'two permits': () => locks.semaphore('x', { capacity: 2 }).tryAcquire({ permits: 2 }),
    'fair all': () => locks.all([locks.mutex('x'), locks.mutex('y')]).acquire({ fair: true }),
    'permits among all': () => locks.all([locks.semaphore('x', { capacity: 2 })]).acquire(),
    detached: () => locks.mutex('x').acquire({ detached: true, maxHold: '1s' }),
    'detached slot': () => locks.semaphore('x', { capacity: 2 }).acquire({ slot: true, detached: true, maxHold: '1s' }),
    election: () => locks.election('x').acquire(),
    leading: () => locks.election('x').lead(() => {}, { signal: new AbortController().signal }),
    latch: () => locks.latch('x', 2).countDown('a'),
    'waiting at a latch': () => locks.latch('x', 2).wait(),
    barrier: () => locks.barrier('x', 2).pass(),
    'double barrier': () => locks.barrier('x', 2).run(() => {}),
    cell: () => locks.cell('x').get(),
    'writing a cell': () => locks.cell('x').set('y'),
  }
  for (const [what, call] of Object.entries(calls)) {
    const sinceMs = performance.now()
    const error = await Promise.resolve()
      .then(call)
      .catch((reason: unknown) => reason)
    expect(isHoldfastError(error, 'UNSUPPORTED'), `${what}: ${error}`).toBe(true)
    expect(performance.now() - sinceMs, what).toBeLessThan(500)
  }
  expect(locks.status().connections).toBe(0)
})

test('a URL names the nodes, and votes are told by those names', async () => {
  const nodes = await started(3)
  const places = nodes.servers.map(({ address: { host, port } }) => `${host}:${port}`)
  const locks = holdfast(`redis+quorum://${places.join(',')}`, { namespace: 'shop', ttl: '2s' })
  disposables.push(locks)
  await locks.mutex('thing').acquire()
  const [line] = await locks.inspect('thing')
  expect(line?.holders[0]?.votes?.map(({ node }) => node)).toEqual(places)
  expect(() => locks.election('x')).toThrow(/quorum/)
})

test.each([
  ['redis+quorum://a,b', /3 to 32 nodes/],
  ['redis+quorum:a,b,c', /3 to 32 nodes/],
  ['redis+quorum://u:secret@a,b', /…@/],
  ['redis+quorum://a,b,a:6379', /"?a:6379"? is there twice/],
  ['rediss+quorum://a,b,c:0', /port/],
  ['redis+quorum://a,b,', /host/],
  ['redis+quorum://a,b,c/x', /database/],
])('%s is refused at once', (url, message) => {
  expect(() => holdfast(url, { namespace: 'shop' })).toThrow(RangeError)
  expect(() => holdfast(url, { namespace: 'shop' })).toThrow(message)
  expect(() => holdfast(url, { namespace: 'shop' })).not.toThrow(/secret/)
})

test('nodes that are named by URL are told what they must be', () => {
  const urls = ['redis://a', 'redis://b', 'redis://c']
  expect(() => quorum(urls as never)).toThrow(/backends\[0\] must be a backend such as .*redis\(client\)/)
})
