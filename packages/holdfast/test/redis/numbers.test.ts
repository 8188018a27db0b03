/**
 * Numbers on a real Redis server whose clock the test sets: they rise through whatever happens to its data and its clock,
 * and are never rounded. What the scripts say they keep, and what they answer, is compared as text.
 */
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { RedisServer, strings } from '../../../../scripts/servers/index.ts'
import { scripts } from '../../src/backends/redis/script.ts'
import type { EnterAnswer } from '../../src/port.ts'
import { Bench, type Client, claimDraft, claimKey, key, MAX_TTL_MS, sessionDraft, terms } from '../backends/bench.ts'
import { redisStore, steppedText } from './stepped-store.ts'

const HEAD = 'hf:{test:1}:head'
const KEYS = [HEAD, ...['ends', 'index', 'book'].map((name) => `hf:{test:1}:1:${name}`)]

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

const nowUs = (): number => Math.floor(bench.clock.wallMs() * 1000)

function seqOf(answer: EnterAnswer): number {
  if (!('seq' in answer)) throw new Error(`it is ${answer.state}`)
  return answer.seq
}

/** What a process that takes part knows, and tells the store with each request. */
class Process {
  readonly #client: Client
  #minSeq = 0
  #made = 0

  constructor(client: Client) {
    this.#client = client
  }

  /** A number for a new claim of a new session. */
  async take(): Promise<number> {
    const id = `s${'abcdefghij'.charAt(this.#made % 10)}${'abcdefghij'.charAt(Math.floor(this.#made / 10))}`
    this.#made++
    const minSeq = this.#minSeq
    await this.#client.open(sessionDraft(id, { minSeq, seenBefore: this.#made > 1 }))
    const answer = await this.#client.enter(key(id), claimDraft(`${id}1`, { line: id }), terms({ minSeq }))
    this.#minSeq = seqOf(answer) + 1
    return seqOf(answer)
  }
}

const losses: Readonly<Record<string, () => Promise<void>>> = {
  'nothing at all': async () => {},
  'a flush': async () => void (await server.ask('FLUSHALL')),
  'a restart without its data': () => server.restart({ empty: true }),
  'a step of its clock by a day back': async () => bench.clock.stepWall(-86_400_000),
  'a step of its clock by a day ahead': async () => bench.clock.stepWall(86_400_000),
  'a flush and a step of its clock by a day back': async () => {
    await server.ask('FLUSHALL')
    bench.clock.stepWall(-86_400_000)
  },
}

test.each(Object.entries(losses))('after %s, the next number of who takes part is higher', async (_, lose) => {
  const process = new Process(await bench.client())
  const seen = [await process.take(), await process.take()]
  await lose()
  bench.clock.advance(1)
  seen.push(await eventually(() => process.take()))
  seen.push(await process.take())
  expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b))
})

/** A client that was cut off comes back by itself. */
async function eventually<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries === 50) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

test('who did not take part before a flush gets a higher number too, where the clock went on', async () => {
  const before = new Process(await bench.client())
  const last = Math.max(await before.take(), await before.take())
  await server.ask('FLUSHALL')
  bench.clock.advance(1)
  const stranger = new Process(await bench.client())
  expect(await stranger.take()).toBeGreaterThan(last)
})

/** The microseconds of the years 2026 to 2090, and such as end in many zeros. */
const moments = fc.oneof(
  fc.integer({ min: 1_790_000_000_000_000, max: 3_818_000_000_000_000 }),
  fc.integer({ min: 1_790_000_000, max: 3_818_000_000 }).map((seconds) => seconds * 1_000_000),
)

test('no number is rounded, neither in an answer nor where it is kept, with the clocks of 2090', async () => {
  let round = 0
  const property = fc.asyncProperty(moments, fc.nat(2 ** 50), async (us, above) => {
    await server.ask('FLUSHALL')
    // Milliseconds with three digits behind the point are not exact, but whole ones are.
    // Another one each time, so that the clock is shown anew to the server, which has forgotten it.
    const ms = Math.floor(us / 1000) + round++
    bench.clock.stepWall(ms - bench.clock.wallMs())
    const client = await bench.client()
    const born = nowUs() + MAX_TTL_MS * 1000
    const id = 'a'
    await client.open(sessionDraft(id))
    const first = await client.enter(key(id), claimDraft('a1', { maxHoldMs: 10_000 }), terms())
    expect(seqOf(first)).toBe(born + 1)
    const minSeq = born + above
    const second = await client.enter(key(id), claimDraft('a2', { line: 'other' }), terms({ minSeq }))
    expect(seqOf(second)).toBe(Math.max(born + 2, minSeq))
    const third = await client.cells.set('cell', '', {
      opId: 'op',
      notAfterMs: 2 ** 50,
      minSeq: 0,
      ifVersion: null,
      ttlMs: null,
    })
    expect(third).toMatchObject({ state: 'written', version: seqOf(second) + 1 })
    expect(first.serverMs).toBe(bench.clock.wallMs())
    expect(await server.ask('HGET', HEAD, 'last')).toBe(String(seqOf(second) + 1))
    const fields = strings(await server.ask('HVALS', 'hf:{test:1}:1:book')).join(' ')
    for (const number of [seqOf(first), seqOf(second), nowUs(), nowUs() + 10_000_000]) {
      expect([fields, fields.split(' ').includes(String(number))]).toEqual([fields, true])
    }
    expect(fields).not.toMatch(/\de\+\d/)
    const ends = strings(await server.ask('ZRANGE', 'hf:{test:1}:1:ends', 0, -1, 'WITHSCORES'))
    expect(ends.map(Number)).toContain(nowUs() + 10_000_000)
    await client.close()
  })
  await fc.assert(property, { numRuns: 50 })
})

/** A proposed number, as it is sent to a node of a quorum. */
async function propose(line: string, proposed: number, aheadUs: number): Promise<readonly unknown[]> {
  const text = steppedText(scripts.enter.text)
  const session = 'a'.padEnd(16, '-')
  const common = ['news', session, '0', 'try', String(2 ** 53), '50000', String(proposed), String(aheadUs)]
  const claim = [`${session}.${line.padEnd(8, '!')}`, line, '1 1 0 0', '']
  const reply = await server.ask('EVAL', text, KEYS.length, ...KEYS, ...common, ...claim)
  const [answer] = Array.isArray(reply) && Array.isArray(reply[2]) ? reply[2] : []
  return Array.isArray(answer) ? answer.slice(0, 2) : []
}

test('a proposed number is taken as it is, if it is above the last one and not far above the clock', async () => {
  const client = await bench.client()
  await client.open(sessionDraft('a'))
  const aheadUs = (MAX_TTL_MS + 5000) * 1000
  const last = nowUs() + MAX_TTL_MS * 1000
  expect(await server.ask('HGET', HEAD, 'last')).toBe(String(last))
  expect(await propose('low', last, aheadUs)).toEqual(['too-low', String(last)])
  expect(await propose('high', nowUs() + aheadUs + 1, aheadUs)).toEqual(['too-high', String(nowUs())])
  expect(await server.ask('HGET', HEAD, 'last')).toBe(String(last))
  expect((await client.inspect('low')) ?? (await client.inspect('high'))).toBeNull()
  const most = nowUs() + aheadUs
  expect(await propose('fits', most, aheadUs)).toEqual(['open', String(most)])
  expect(await server.ask('HGET', HEAD, 'last')).toBe(String(most))
  expect(await propose('same', most, aheadUs)).toEqual(['too-low', String(most)])
  expect(seqOf(await client.enter(key('a'), claimDraft('a9', { line: 'own' }), terms()))).toBe(most + 1)
  // Repeated, it answers what it was, whatever number comes with it.
  expect(await propose('fits', most + 7, aheadUs)).toEqual(['open', String(most)])
  await client.leave(0, [claimKey('a9', 'own')])
})
