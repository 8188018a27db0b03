/**
 * Lines that are longer than what a script reads of them at once, against memory; and how long a waiting claim may sleep,
 * which Redis decides in its own way.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RedisServer } from '../../../../scripts/servers/index.ts'
import { Bench, claimDraft, claimKey, key, sessionDraft, TTL_MS, terms } from '../backends/bench.ts'
import { Comparison } from '../backends/comparison.ts'
import { type Move, sessionOf, type World } from '../backends/moves.ts'
import { redisStore } from './stepped-store.ts'

const RUNS = Math.ceil(Number(process.env.HOLDFAST_MODEL_RUNS ?? 300) / 15)
const LIMIT_MS = 60_000 + RUNS * 3000

let server: RedisServer
let comparison: Comparison

beforeAll(async () => {
  server = await RedisServer.start()
  comparison = new Comparison(redisStore(server.port), { hintsItsOwn: true, ownRecheck: true, sweepOpens: true })
})
afterAll(async () => {
  await comparison.dispose()
  await server.stop()
})

const LINE = 'door'
const session = fc.constantFrom('a', 'b', 'c')
const place = fc.nat(79)
const weighing = fc.constantFrom([1, 1], [1, 20], [1, 40], [2, 40], [1, 2 ** 31], [2 ** 31, 2 ** 31])

const lineOf = ({ tag }: World): string => tag + LINE
const keyOf = (world: World, of: string, n: number): { readonly id: string; readonly line: string } =>
  claimKey(`${sessionOf(world, of)}.${String(n).padStart(8, '0')}`, lineOf(world))

const enters = fc
  .record({ of: session, n: place, weighing, slot: fc.boolean(), maxHoldMs: fc.constantFrom(null, null, 500) })
  .map(
    ({ of, n, weighing: [weight = 1, capacity = 1], slot, maxHoldMs }): Move => ({
      name: `enter ${of}${n} ${weight} of ${capacity} slot ${slot} maxHold ${maxHoldMs}`,
      client: 0,
      make: (on, world) => {
        const draft = claimDraft('', { ...keyOf(world, of, n), weight, capacity, slot, maxHoldMs })
        return on.enter(key(sessionOf(world, of)), draft, terms())
      },
    }),
  )
const others = fc.oneof(
  fc.array(fc.record({ of: session, n: place }), { minLength: 1, maxLength: 20 }).map(
    (claims): Move => ({
      name: `leave ${claims.map(({ of, n }) => of + n).join()}`,
      client: 0,
      make: (on, world) =>
        on.leave(
          0,
          claims.map(({ of, n }) => keyOf(world, of, n)),
        ),
    }),
  ),
  fc.record({ of: session, ns: fc.array(place, { minLength: 1, maxLength: 20 }) }).map(
    ({ of, ns }): Move => ({
      name: `ask ${of} about ${ns.join()}`,
      client: 0,
      make: (on, world) =>
        on.ask(
          key(sessionOf(world, of)),
          ns.map((n) => keyOf(world, of, n)),
        ),
    }),
  ),
  fc.constantFrom(100, 500).map(
    (ms): Move => ({
      name: `advance ${ms}`,
      client: 0,
      moves: 'time',
      advanceMs: ms,
      make: async (_, { clock }) => clock.advance(ms),
    }),
  ),
  fc.record({ of: session, after: fc.option(place), limit: fc.constantFrom(5, 64) }).map(
    ({ of, after, limit }): Move => ({
      name: `beat ${of} after ${after} limit ${limit}`,
      client: 0,
      moves: 'beat',
      make: (on, world) => {
        const from = after === null ? '' : keyOf(world, of, after).id
        return on.beat(key(sessionOf(world, of)), { ttlMs: TTL_MS, after: from, limit })
      },
    }),
  ),
  session.map((of): Move => ({ name: `end ${of}`, client: 0, make: (on, world) => on.end(key(sessionOf(world, of))) })),
  fc.constant<Move>({ name: 'evict all', client: 0, make: (on, world) => on.evict(lineOf(world), null) }),
  fc.constant<Move>({ name: 'inspect', client: 0, make: (on, world) => on.inspect(lineOf(world)) }),
)

test(
  'Redis answers and tells as memory does in lines of many claims',
  async () => {
    const begin = fc.array(enters, { minLength: 30, maxLength: 70, size: 'max' })
    const goOn = fc.array(fc.oneof({ weight: 1, arbitrary: enters }, { weight: 3, arbitrary: others }), {
      maxLength: 25,
      size: 'max',
    })
    const property = fc.asyncProperty(begin, goOn, async (entered, moves) => {
      const pairs = await comparison.clients(`crowd ${comparison.runs}`, false)
      await comparison.compare([...entered, ...moves], pairs)
      await Promise.all(pairs.flat().map((client) => client.close()))
    })
    await fc.assert(property, { numRuns: RUNS })
    comparison.expectOften(RUNS / 5, ['open', 'closed', 'told', 'beaten'])
  },
  LIMIT_MS,
)

interface Place {
  readonly ttlMs: number
  readonly maxHoldMs: number | null
  readonly weight: number
  readonly capacity: number
}
const places = fc.array(
  fc
    .record({
      ttlMs: fc.integer({ min: 1000, max: TTL_MS }),
      maxHoldMs: fc.option(fc.integer({ min: 1, max: 20_000 })),
      weighing: fc.constantFrom([1, 1], [1, 3], [2, 3], [3, 3], [1, 5]),
    })
    .map(({ weighing: [weight = 1, capacity = 1], ...rest }): Place => ({ ...rest, weight, capacity })),
  { minLength: 2, maxLength: 25, size: 'max' },
)

test(
  'a waiting claim sleeps until one of those ahead ends, and never past the moment at which it may open by that',
  async () => {
    const bench = new Bench(redisStore(server.port))
    let run = 0
    const property = fc.asyncProperty(places, async (line) => {
      const client = await bench.client({ namespace: `sleep ${run++}` })
      const names = line.map((_, n) => String.fromCharCode(97 + n))
      const ends: number[] = []
      for (const [n, { ttlMs, ...rest }] of line.entries()) {
        const name = names[n] ?? ''
        await client.open(sessionDraft(name, { ttlMs }))
        const answer = await client.enter(key(name), claimDraft(`${name}1`, rest), terms())
        if (answer.state === 'closed') {
          const recheckMs = answer.recheckMs ?? 0
          expect(ends).toContain(recheckMs)
          expect(recheckMs).toBeGreaterThanOrEqual(Math.min(...ends))
        }
        ends.push(answer.state === 'open' ? Math.min(ttlMs, rest.maxHoldMs ?? ttlMs) : ttlMs)
      }
      const last = names.at(-1) ?? ''
      // Whoever asks when told, again and again, opens as soon as the rule lets it.
      await client.open(sessionDraft('watch'))
      for (let asked = 0; asked < line.length; asked++) {
        const answer = await client.ask(key(last), [claimKey(`${last}1`)])
        const [standing] = answer.state === 'told' ? answer.standings : []
        if (standing?.state !== 'closed') break
        const until = standing.recheckMs ?? 0
        bench.clock.advance(until - 0.5)
        const early = await client.ask(key(last), [claimKey(`${last}1`)])
        if (early.state === 'told') expect(early.standings).toMatchObject([{ state: 'closed' }])
        bench.clock.advance(0.5)
      }
      await client.close()
    })
    await fc.assert(property, { numRuns: RUNS * 5 })
    await bench.dispose()
  },
  LIMIT_MS,
)
