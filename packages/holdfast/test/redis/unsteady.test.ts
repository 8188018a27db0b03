/**
 * Redis against memory while a proxy loses requests, swallows answers and repeats requests late. As the library does,
 * who sends repeats a request until it is answered; then both must keep the same lines.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Fate, FaultProxy, RedisServer } from '../../../../scripts/servers/index.ts'
import { isHoldfastError } from '../../src/errors.ts'
import { Bench, type Client, claimDraft, claimKey, key, memoryStore, sessionDraft, terms } from '../backends/bench.ts'
import { renew } from '../backends/comparison.ts'
import { LINES, lineOf, type Move, moves, SESSIONS, sessionId, sessionOf, type World } from '../backends/moves.ts'
import { SteppedClock } from '../backends/stepped-clock.ts'
import { redisStore } from './stepped-store.ts'

/** How many there are in the suite depends on the machine, for it takes its time; a number that is asked for is made. */
const ASKED = process.env.HOLDFAST_MODEL_RUNS
const RUNS = Number(ASKED ?? 200)
const RUNS_MIN = 10
const SUITE_MS = 20_000
const LIMIT_MS = ASKED === undefined ? 120_000 : 60_000 + RUNS * 5000
const TERMS =
  ASKED === undefined
    ? { numRuns: RUNS, interruptAfterTimeLimit: SUITE_MS, markInterruptAsFailure: false }
    : { numRuns: RUNS }
/** How long a late request is on its way, at most. */
const LATE_MS = 8
const AGAIN_MS = 10_000

let server: RedisServer
let proxy: FaultProxy
let memory: Bench
let redis: Bench
/** On the same server, past the proxy: to look is no part of what is tested, and takes most of the time. */
let watcher: Bench
let runs = 0

beforeAll(async () => {
  server = await RedisServer.start()
  proxy = await FaultProxy.start({ port: server.port })
  const kind = redisStore(server.port, proxy.port)
  const clock = new SteppedClock(kind.startsAtMs, kind.startsAtMs)
  memory = new Bench(memoryStore, clock)
  redis = new Bench(kind, clock)
  watcher = new Bench(redisStore(server.port), clock)
  // Each empties the server when it begins, and with it what the other has told it of the time.
  await Promise.all([redis, watcher].map((bench) => bench.client({ namespace: 'first' })))
  clock.advance(1)
})
afterAll(async () => {
  await Promise.all([memory, redis, watcher].map((bench) => bench.dispose()))
  await proxy.close()
  await server.stop()
})

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Gives the requests that follow these fates, in turn; three get through at their end, which is what any move needs: a
 * write that looks first, with a script that the server has not met.
 */
function misfortune(fates: readonly Fate[]): void {
  let at = 0
  proxy.onRequest = ([command = '']) => {
    const mortal = /^eval/i.test(command)
    return mortal ? (fates[at++ % (fates.length + 3)] ?? 'pass') : 'pass'
  }
}

async function untilAnswered(work: () => Promise<unknown>): Promise<unknown> {
  const untilMs = performance.now() + AGAIN_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isHoldfastError(error, 'BACKEND_UNAVAILABLE')) return String(error)
      if (performance.now() > untilMs) throw error
      await sleep(1)
    }
  }
}

/**
 * To end whatever is open is another request each time it is made. A listing asks all buckets at once, of which none
 * gets through while one of them is cut.
 */
const isRepeatable = ({ name, moves: kind }: Move): boolean => !/^(evict all|list)/.test(name) && kind !== 'wall'

/** A sweep opens whom it lets in on Redis, and on memory who asks is let in; to evict nobody settles a line. */
async function linesOf(client: Client, world: World): Promise<unknown[]> {
  const rows: unknown[] = []
  for (const line of LINES.map((name) => lineOf(world, name))) {
    await client.evict(line, 'nobody')
    rows.push(await client.inspect(line))
  }
  return rows
}

const lost = fc.array(fc.constantFrom<Fate>('pass', 'pass', 'lose', 'swallow'), { minLength: 1, maxLength: 20 })

test(
  'requests that are repeated until they are answered leave what one of each would leave',
  async () => {
    const property = fc.asyncProperty(moves, lost, async (sequence, fates) => {
      proxy.onRequest = null
      const namespace = `unsteady ${runs}`
      const here = await memory.client({ namespace })
      const there = await redis.client({ namespace })
      const seen = await watcher.client({ namespace })
      const world: World = { clock: memory.clock, tag: `u${runs++}.`, ids: new Map(), given: 0 }
      misfortune(fates)
      for (const id of ['a', 'b', 'c']) {
        await here.open(sessionDraft(sessionOf(world, id)))
        await untilAnswered(() => there.open(sessionDraft(sessionOf(world, id))))
      }
      for (const [index, move] of sequence.filter(isRepeatable).entries()) {
        await renew(move, [[here]], world)
        await untilAnswered(() => move.make(here, world))
        if (move.moves !== 'time') await untilAnswered(() => move.make(there, world))
        const where = `${index}: ${move.name}`
        expect([where, await linesOf(seen, world)]).toEqual([where, await linesOf(here, world)])
      }
      for (const id of SESSIONS) await untilAnswered(() => there.end(key(sessionOf(world, id))))
      for (const id of SESSIONS) await here.end(key(sessionOf(world, id)))
      expect(await linesOf(seen, world)).toEqual([null, null])
      await Promise.all([here, there, seen].map((client) => client.close()))
    })
    await fc.assert(property, TERMS)
    expect(runs).toBeGreaterThanOrEqual(RUNS_MIN)
  },
  LIMIT_MS,
)

const late = fc.array(fc.constantFrom<Fate>('pass', 'lose', 'swallow', 'late', 'twice'), {
  minLength: 1,
  maxLength: 20,
})
const stay = fc.record({ of: fc.constantFrom('a', 'b', 'c'), tries: fc.boolean(), leaves: fc.boolean() })

test(
  'whatever arrives late, numbers rise, one claim at most is open, and nothing stays behind',
  async () => {
    proxy.onRequest = null
    const there = await redis.client({ namespace: 'late' })
    const seen = await watcher.client({ namespace: 'late' })
    let highest = 0
    const before = runs
    const property = fc.asyncProperty(fc.array(stay, { minLength: 3, maxLength: 30 }), late, async (stays, fates) => {
      const run = runs++
      const session = (of: string): string => sessionId(`v${run}${of}`)
      const keys = stays.map(({ of }, index) => claimKey(`${session(of)}.${String(index).padStart(8, '0')}`))
      proxy.lateMs = LATE_MS * Math.random()
      misfortune(fates)
      for (const of of ['a', 'b', 'c']) await untilAnswered(() => there.open(sessionDraft(session(of))))
      const notAfterMs = redis.clock.wallMs() + 1000
      for (const [index, { of, tries, leaves }] of stays.entries()) {
        const claim = keys[index]
        if (claim === undefined) throw new Error('each has its key')
        const mode = tries ? 'try' : 'queue'
        const take = (): Promise<unknown> =>
          there.enter(key(session(of)), claimDraft(claim.id), terms({ mode, notAfterMs }))
        const answer = (await untilAnswered(take)) as { readonly seq?: number }
        if (answer.seq !== undefined) expect(answer.seq).toBeGreaterThan(highest)
        highest = answer.seq ?? highest
        if (leaves) await untilAnswered(() => there.leave(0, [claim]))
        const row = await seen.inspect('door')
        expect(row?.claims.filter(({ open }) => open).length ?? 0).toBeLessThanOrEqual(1)
      }
      proxy.onRequest = null
      // Some of them stand there again: their take came after they had left. Behind its time none can come any more.
      await sleep(LATE_MS)
      redis.clock.advance(1001)
      await there.leave(0, keys)
      await sleep(LATE_MS)
      expect(await seen.inspect('door')).toBeNull()
      for (const of of ['a', 'b', 'c']) await there.end(key(session(of)))
    })
    await fc.assert(property, TERMS)
    expect(runs - before).toBeGreaterThanOrEqual(RUNS_MIN)
  },
  LIMIT_MS,
)
