/**
 * What the scripts do when a server may have lost data, and about the dead, on a real Redis server whose clock the test
 * sets. Another era is made by writing into the header what another server would have left there.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { RedisServer, type Reply, strings } from '../../../../scripts/servers/index.ts'
import { BackendRefusedError } from '../../src/errors.ts'
import {
  Bench,
  type Client,
  claimDraft,
  claimKey,
  key,
  MAX_TTL_MS,
  sessionDraft,
  TTL_MS,
  terms,
} from '../backends/bench.ts'
import { redisStore } from './stepped-store.ts'

const HEAD = 'hf:{test:1}:head'
const [ENDS, INDEX, BOOK] = ['ends', 'index', 'book'].map((name) => `hf:{test:1}:1:${name}`) as [string, string, string]
const beatTerms = { ttlMs: TTL_MS, after: '', limit: 64 }

let server: RedisServer
let bench: Bench

beforeAll(async () => {
  server = await RedisServer.start()
})
afterAll(() => server.stop())
beforeEach(() => {
  bench = new Bench(redisStore(server.port))
})
afterEach(() => bench.dispose())

const head = async (field: string): Promise<Reply> => server.ask('HGET', HEAD, field)
const size = async (key: string): Promise<number> => Number(await server.ask(key === BOOK ? 'HLEN' : 'ZCARD', key))

/** As if the header came from another server, which had this one's data. */
const loseEra = (): Promise<Reply> => server.ask('HSET', HEAD, 'era', 'f'.repeat(40), 'print', 'table: 0x0 1')

/** `a` holds the door, and `b` stands behind it. */
async function two(client: Client): Promise<string> {
  const { era = '' } = await client.open(sessionDraft('a'))
  await client.open(sessionDraft('b'))
  await client.enter(key('a'), claimDraft('a1'), terms())
  await client.enter(key('b'), claimDraft('b1'), terms())
  return era
}

test('an era is the run id of the server', async () => {
  const era = await two(await bench.client())
  expect(era).toBe((await server.info('server')).run_id)
  expect(await head('era')).toBe(era)
})

test('in another era a beat extends nothing and names it, and numbers begin the largest ttl ahead', async () => {
  const client = await bench.client()
  await two(client)
  bench.clock.advance(1000)
  const before = strings(await server.ask('ZRANGE', ENDS, 0, -1, 'WITHSCORES'))
  const lastBefore = Number(await head('last'))
  await loseEra()
  const era = (await server.info('server')).run_id ?? ''
  expect(await client.beat(key('a'), { ...beatTerms, era: 'f'.repeat(40) })).toMatchObject({ state: 'moved', era })
  expect(strings(await server.ask('ZRANGE', ENDS, 0, -1, 'WITHSCORES'))).toEqual(before)
  const risen = bench.clock.wallMs() * 1000 + MAX_TTL_MS * 1000
  expect(risen).toBeGreaterThan(lastBefore)
  expect(await head('last')).toBe(String(risen))
  expect(await client.ask(key('a'), [claimKey('a1')])).toMatchObject({ standings: [{ state: 'open' }] })
  expect(await client.beat(key('a'), { ...beatTerms, era })).toMatchObject({ state: 'beaten' })
  expect(await client.enter(key('a'), claimDraft('a2', { line: 'free' }), terms())).toMatchObject({ seq: risen + 1 })
})

test('scripts that were flushed, and a server that wrote the header before, are no other era', async () => {
  const client = await bench.client()
  const era = await two(client)
  const last = await head('last')
  await server.ask('SCRIPT', 'FLUSH', 'SYNC')
  expect(await client.beat(key('a'), { ...beatTerms, era })).toMatchObject({ state: 'beaten' })
  await server.ask('HSET', HEAD, 'print', 'table: 0x0 1')
  expect(await client.beat(key('a'), { ...beatTerms, era })).toMatchObject({ state: 'beaten' })
  expect(await head('last')).toBe(last)
})

test('another layout is refused, naming both, and nothing is written', async () => {
  const client = await bench.client()
  await two(client)
  await server.ask('HSET', HEAD, 'layout', '2', 'print', 'table: 0x0 2')
  const dump = async (): Promise<readonly Reply[]> =>
    Promise.all([
      server.ask('HGETALL', HEAD),
      server.ask('HGETALL', BOOK),
      server.ask('ZRANGE', ENDS, 0, -1, 'WITHSCORES'),
    ])
  const before = await dump()
  const calls = [
    client.open(sessionDraft('c')),
    client.enter(key('a'), claimDraft('a2', { line: 'free' }), terms()),
    client.ask(key('a'), [claimKey('a1')]),
    client.leave(0, [claimKey('a1')]),
    client.beat(key('a'), beatTerms),
    client.evict('door', null),
    client.inspect('door'),
    client.end(key('a')),
  ]
  for (const outcome of await Promise.allSettled(calls)) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(BackendRefusedError) })
    expect(String((outcome as PromiseRejectedResult).reason)).toMatch(/layout 2.*layout 1/)
  }
  expect(await dump()).toEqual(before)
})

test('with quarantine, after another era, what is open stays, nothing opens, and whoever is there counts as alive', async () => {
  const client = await bench.client({ quarantine: true })
  await two(client)
  bench.clock.advance(1000)
  await loseEra()
  expect(await client.enter(key('b'), claimDraft('b2', { line: 'free' }), terms({ mode: 'try' }))).toMatchObject({
    state: 'held-back',
    retryMs: MAX_TTL_MS,
  })
  bench.clock.advance(MAX_TTL_MS - 1000)
  expect(await client.ask(key('a'), [claimKey('a1')])).toMatchObject({ standings: [{ state: 'open' }] })
  // Its clock says that both ended long ago.
  await client.leave(0, [claimKey('a1')])
  expect(await client.ask(key('b'), [claimKey('b1')])).toMatchObject({ standings: [{ state: 'closed', first: true }] })
  expect(await client.beat(key('b'), beatTerms)).toMatchObject({ state: 'beaten' })
  bench.clock.advance(1000)
  expect((await client.ask(key('a'), [])).state).toBe('session-gone')
  expect(await client.ask(key('b'), [claimKey('b1')])).toMatchObject({ standings: [{ state: 'open' }] })
})

/** All of the bucket but its header is left. */
const loseHead = (): Promise<Reply> => server.ask('DEL', HEAD)
const cellWrite = (n: number): Parameters<Client['cells']['set']>[2] => ({
  opId: `op ${n}`,
  notAfterMs: 2 ** 50,
  minSeq: 0,
  ifVersion: undefined,
  ttlMs: null,
})

test('without its header a bucket calls every session gone, until one is opened, from where on numbers are higher', async () => {
  const client = await bench.client()
  await two(client)
  const given = await client.enter(key('a'), claimDraft('a2', { line: 'free' }), terms())
  await loseHead()
  for (const answer of [
    await client.enter(key('a'), claimDraft('a3', { line: 'other' }), terms()),
    await client.enter(key('a'), claimDraft('a4'), terms({ mode: 'try' })),
    await client.ask(key('a'), [claimKey('a1')]),
    await client.amend(key('a'), claimKey('a1'), { maxHoldMs: 1000 }),
    await client.beat(key('a'), beatTerms),
  ]) {
    expect(answer.state).toBe('session-gone')
  }
  expect(await client.leave(0, [claimKey('a2', 'free')])).toMatchObject({ found: [true] })
  bench.clock.advance(1)
  await client.open(sessionDraft('c'))
  const next = await client.enter(key('c'), claimDraft('c1', { line: 'free' }), terms())
  expect(Number('seq' in next && next.seq)).toBeGreaterThan(Number('seq' in given && given.seq))
  // Nobody lost more than that: who had not come meanwhile goes on.
  expect(await client.ask(key('a'), [claimKey('a1')])).toMatchObject({ standings: [{ state: 'open' }] })
  expect(await client.beat(key('b'), beatTerms)).toMatchObject({ state: 'beaten' })
})

test('without its header a bucket lets in nobody when a holder leaves, but hints the next', async () => {
  const client = await bench.client()
  await two(client)
  await client.listen()
  await loseHead()
  expect(await client.leave(0, [claimKey('a1')])).toMatchObject({ found: [true] })
  await bench.settled()
  expect(client.hints).toContain('b1')
  expect(await client.inspect('door')).toMatchObject({ claims: [{ id: 'b1', open: false }] })
  await client.open(sessionDraft('c'))
  expect(await client.ask(key('b'), [claimKey('b1')])).toMatchObject({ standings: [{ state: 'open' }] })
})

test('with quarantine a header that is lost beside sessions is a loss also to who has seen nothing', async () => {
  const client = await bench.client({ quarantine: true })
  await two(client)
  await loseHead()
  await client.open(sessionDraft('c'))
  expect(await client.enter(key('c'), claimDraft('c1', { line: 'free' }), terms({ mode: 'try' }))).toMatchObject({
    state: 'held-back',
    retryMs: MAX_TTL_MS,
  })
})

const losses: Readonly<Record<string, () => Promise<Reply>>> = {
  'its header is lost': loseHead,
  // What the last server gave out since it sent its data to this one is nowhere.
  'another server goes on from older data': async () => {
    await server.ask('HINCRBY', HEAD, 'last', -2)
    return loseEra()
  },
}

test.each(Object.keys(losses).flatMap((what) => [false, true].map((quarantine) => [what, quarantine] as const)))(
  'versions go on above the old ones where nobody ever opened a session and %s, quarantine: %s',
  async (what, quarantine) => {
    const client = await bench.client({ quarantine })
    const versions: number[] = []
    for (let n = 0; n < 6; n++) {
      if (n === 3) {
        await losses[what]?.()
        bench.clock.advance(1)
        await client.cells.add('members', 'one', { notAfterMs: 2 ** 50, ttlMs: 1000 })
      }
      const answer = await client.cells.set('x', 'value', cellWrite(n))
      versions.push(Number('version' in answer && answer.version))
    }
    expect(versions).toEqual([...new Set(versions)].sort((one, other) => one - other))
  },
)

test('a header that a cell has written anew brings no session back', async () => {
  const client = await bench.client()
  await two(client)
  await loseHead()
  await client.cells.set('x', 'value', cellWrite(1))
  expect(await client.enter(key('a'), claimDraft('a3', { line: 'other' }), terms())).toMatchObject({
    state: 'session-gone',
  })
})

test('a mailbox is there as long as its session may need it, and no longer', async () => {
  const client = await bench.client()
  await two(client)
  const box = `m${'a'.padEnd(16, '-')}`
  expect(await client.evict('door', 'a1')).toMatchObject({ evicted: 1 })
  expect(await client.ask(key('b'), [claimKey('b1')])).toMatchObject({ standings: [{ state: 'open' }] })
  for (let passed = 0; passed < MAX_TTL_MS; passed += TTL_MS / 2) {
    expect(await client.beat(key('a'), beatTerms)).toMatchObject({ state: 'beaten', revoked: ['a1'], audit: [] })
    bench.clock.advance(TTL_MS / 2)
  }
  expect(await client.beat(key('a'), beatTerms)).toMatchObject({ revoked: [] })
  expect(await server.ask('HEXISTS', BOOK, box)).toBe(0)
})

test('a mailbox of a session that has ended is swept with it', async () => {
  const client = await bench.client()
  await two(client)
  await client.evict('door', 'a1')
  bench.clock.advance(TTL_MS)
  await client.open(sessionDraft('c'))
  expect(await server.ask('HEXISTS', BOOK, `m${'a'.padEnd(16, '-')}`)).toBe(0)
})

test('a claim whose place was lost with the index is gone, also when others stand in its line, and leaves no record', async () => {
  const client = await bench.client()
  await two(client)
  await server.ask('DEL', INDEX)
  for (const id of ['c', 'd']) {
    await client.open(sessionDraft(id))
    await client.enter(key(id), claimDraft(`${id}1`), terms())
  }
  expect(await client.ask(key('a'), [claimKey('a1')])).toMatchObject({ standings: [{ state: 'gone' }] })
  expect(await client.amend(key('b'), claimKey('b1'), { maxHoldMs: 1000 })).toMatchObject({ state: 'gone' })
  expect(await client.ask(key('c'), [claimKey('c1')])).toMatchObject({ standings: [{ state: 'open' }] })
  for (const id of ['a', 'b', 'c', 'd']) await client.end(key(id))
  expect([await size(INDEX), await size(ENDS), await size(BOOK)]).toEqual([0, 0, 0])
})

test('a leave takes away the record of a claim whose place was lost with the index', async () => {
  const client = await bench.client()
  await two(client)
  await server.ask('DEL', INDEX)
  await client.open(sessionDraft('c'))
  await client.enter(key('c'), claimDraft('c1'), terms())
  expect(await client.leave(0, [claimKey('a1'), claimKey('b1')])).toMatchObject({ found: [false, false] })
  for (const id of ['a', 'b', 'c']) await client.end(key(id))
  expect([await size(INDEX), await size(ENDS), await size(BOOK)]).toEqual([0, 0, 0])
})

test('a beat of a session whose entry was lost takes away what the session has left', async () => {
  const client = await bench.client()
  await two(client)
  await client.enter(key('a'), claimDraft('a2', { line: 'other' }), terms())
  await client.evict('other', null)
  await client.enter(key('a'), claimDraft('a3', { line: 'other' }), terms())
  await server.ask('DEL', ENDS)
  for (const id of ['a', 'b']) expect(await client.beat(key(id), beatTerms)).toMatchObject({ state: 'session-gone' })
  expect([await size(INDEX), await size(ENDS), await size(BOOK)]).toEqual([0, 0, 0])
})

test('whoever meets a claim of a session whose entry was lost has the others of that session swept', async () => {
  const client = await bench.client()
  await two(client)
  await client.enter(key('a'), claimDraft('a2', { line: 'other' }), terms())
  await server.ask('DEL', ENDS)
  await client.open(sessionDraft('c'))
  expect(await client.enter(key('c'), claimDraft('c1'), terms())).toMatchObject({ state: 'open' })
  await client.beat(key('c'), beatTerms)
  await client.leave(0, [claimKey('c1')])
  await client.end(key('c'))
  expect([await size(INDEX), await size(ENDS), await size(BOOK)]).toEqual([0, 0, 0])
})

const CLAIMS = 1000
const idOf = (n: number): string => `dead${String(n).padStart(4, '0')}`

/** A thousand claims of one session, each alone in a line of its own. */
async function apart(client: Client): Promise<void> {
  const ids = Array.from({ length: CLAIMS }, (_, n) => idOf(n))
  await Promise.all(ids.map((id) => client.enter(key('dead'), claimDraft(id, { line: id }), terms())))
}

test('beats take away what a session with a thousand claims left, at most 64 of them each', async () => {
  const client = await bench.client()
  await client.open(sessionDraft('dead'))
  await apart(client)
  bench.clock.advance(TTL_MS - 1)
  await client.open(sessionDraft('a'))
  bench.clock.advance(1)
  const places = async (): Promise<number> => Number(await server.ask('ZLEXCOUNT', INDEX, '[o', '(p'))
  expect(await places()).toBe(CLAIMS)
  for (let left = CLAIMS; left > 0; ) {
    await client.beat(key('a'), beatTerms)
    const now = await places()
    expect(left - now).toBe(Math.min(64, left))
    left = now
  }
  await client.beat(key('a'), beatTerms)
  expect([await size(INDEX), await size(ENDS), await size(BOOK)]).toEqual([0, 1, 1])
})

test('a waiter behind a thousand dead ones is let in at its first question, in steps of 512', async () => {
  const client = await bench.client()
  await client.open(sessionDraft('dead'))
  await Promise.all(Array.from({ length: CLAIMS }, (_, n) => client.enter(key('dead'), claimDraft(idOf(n)), terms())))
  bench.clock.advance(TTL_MS / 2)
  await client.open(sessionDraft('a'))
  await client.enter(key('a'), claimDraft('a1'), terms())
  bench.clock.advance(TTL_MS / 2)
  await server.ask('CONFIG', 'RESETSTAT')
  expect(await client.ask(key('a'), [claimKey('a1')])).toMatchObject({ standings: [{ state: 'open' }] })
  const { evalsha = 0, eval: texts = 0 } = await server.commandCounts()
  expect(evalsha + texts - (texts > 0 ? 1 : 0)).toBe(2)
})

test('where nobody ever beats, whoever opens a session takes dead ones away', async () => {
  const client = await bench.client()
  const opened = 500
  for (let n = 0; n < opened; n++) {
    const id = `s${String.fromCharCode(97 + (n % 26), 97 + (Math.floor(n / 26) % 26))}`
    await client.open(sessionDraft(id))
    await client.enter(key(id), claimDraft(`${id}1`, { line: id }), terms())
    bench.clock.advance(TTL_MS / 10)
  }
  // Those of the last ttl are alive.
  expect(await size(ENDS)).toBeLessThanOrEqual(20)
  expect(await size(INDEX)).toBeLessThanOrEqual(20)
  expect(await size(BOOK)).toBeLessThanOrEqual(40)
})

test('ending a session with a thousand claims takes them all away, in steps of 256', async () => {
  const client = await bench.client()
  await client.open(sessionDraft('dead'))
  await client.open(sessionDraft('a'))
  await apart(client)
  await client.enter(key('a'), claimDraft('a1', { line: idOf(7) }), terms())
  await server.ask('CONFIG', 'RESETSTAT')
  await client.end(key('dead'))
  const { evalsha = 0 } = await server.commandCounts()
  expect(evalsha).toBe(Math.ceil((CLAIMS + 1) / 256))
  expect(await client.list('', '', 10)).toMatchObject([{ line: idOf(7), claims: [{ id: 'a1', open: true }] }])
})
