/**
 * SQLite against memory: the same random requests, at the same moments of one virtual clock, get the same answers and
 * the same hints. Set HOLDFAST_MODEL_RUNS for another number of sequences than the suite takes its time for.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  Bench,
  type Client,
  collectGarbage,
  fileStore,
  key,
  memoryStore,
  sessionDraft,
  settled,
  TTL_MS,
} from './bench.ts'
import { type Move, moves, sessionOf, type World } from './moves.ts'
import { SteppedClock } from './stepped-clock.ts'

const RUNS = Number(process.env.HOLDFAST_MODEL_RUNS ?? 1000)
const LIMIT_MS = 60_000 + RUNS * 100
/** With quarantine each sequence needs clients of its own, for only a new namespace can have lost its data. */
const QUARANTINE_RUNS = Math.ceil(RUNS / 20)

let clock: SteppedClock
let stores: Bench[]
let runs = 0

beforeAll(() => {
  clock = new SteppedClock()
  stores = [new Bench(memoryStore, clock), new Bench(fileStore, clock)]
})
afterAll(() => Promise.all(stores.map((store) => store.dispose())))

/** Two clients of each store, listening. */
function clients(namespace: string, quarantine: boolean): Promise<Client[][]> {
  return Promise.all(
    stores.map(async (store) => {
      const pair = [await store.client({ namespace, quarantine }), await store.client({ namespace, quarantine })]
      for (const client of pair) await client.listen()
      return pair
    }),
  )
}

/** A session that has ended is opened under a new id: which store forgets an old one first is its own affair. */
async function renew(move: Move, pairs: readonly Client[][], world: World): Promise<void> {
  if (move.opens === undefined) return
  const answer = await pairs[0]?.[0]?.ask(key(sessionOf(world, move.opens)), [])
  if (answer?.state === 'session-gone') world.ids.set(move.opens, `${world.tag}${move.opens}${world.given++}`)
}

interface Outcome {
  readonly answer: unknown
  readonly hints: readonly unknown[]
}

/** The name of a watched line is told at each change, also when somebody dead is removed, which each does when it likes. */
const isExact = (hint: string | null): boolean => hint === null || !hint.startsWith('election:')

/** What came of the move at each store: an answer or an error, and what the clients were told by it. */
async function outcomes(move: Move, pairs: readonly Client[][], world: World): Promise<Outcome[]> {
  await renew(move, pairs, world)
  const found: Outcome[] = []
  for (const [index, pair] of pairs.entries()) {
    const client = pair[move.client] ?? pair[0]
    if (client === undefined) throw new Error('there is no client')
    // Time is one and the same for both, so it moves once.
    const once = move.moves === 'time' && index > 0
    const answer = once ? undefined : await move.make(client, world).catch((error: Error) => String(error))
    await settled()
    found.push({ answer, hints: pair.map(({ hints }) => [...new Set(hints.splice(0))].filter(isExact).sort()) })
  }
  return found
}

async function compare(
  sequence: readonly Move[],
  pairs: readonly Client[][],
  seen: Map<string, number>,
): Promise<void> {
  const world: World = { clock, tag: `r${runs}.`, ids: new Map(), given: 0 }
  // Most sessions live to begin with, or most requests would only be told that theirs is gone.
  for (const pair of pairs) for (const id of ['a', 'b', 'c']) await pair[0]?.open(sessionDraft(sessionOf(world, id)))
  for (const [index, move] of sequence.entries()) {
    const [memory, file] = await outcomes(move, pairs, world)
    const where = `${index}: ${move.name}`
    expect([where, file?.answer]).toEqual([where, memory?.answer])
    // A beat sweeps, each store in an order of its own, and tells the lines that it swept.
    if (move.moves !== 'beat') expect([where, file?.hints]).toEqual([where, memory?.hints])
    if (move.moves === 'beat') await sweep(pairs, world)
    note(seen, memory?.answer)
  }
}

/** Both have swept all they can before anybody looks at the difference. */
async function sweep(pairs: readonly Client[][], world: World): Promise<void> {
  const broom = `${world.tag}broom${world.given++}`
  for (const [client] of pairs) {
    await client?.open(sessionDraft(broom))
    for (let beat = 0; beat < 10; beat++) await client?.beat(key(broom), { ttlMs: TTL_MS, after: '', limit: 1 })
    await client?.end(key(broom))
  }
  await settled()
  for (const client of pairs.flat()) client.hints.splice(0)
}

/** Counts the states of an answer, also those inside it. */
function note(seen: Map<string, number>, answer: unknown): void {
  if (typeof answer !== 'object' || answer === null) return
  const { state, standings } = answer as { readonly state?: unknown; readonly standings?: readonly unknown[] }
  if (typeof state === 'string') seen.set(state, (seen.get(state) ?? 0) + 1)
  for (const standing of standings ?? []) note(seen, standing)
}

/** What the sequences never reach, they do not test. */
function expectOften(seen: ReadonlyMap<string, number>, least: number, states: readonly string[]): void {
  for (const state of states) expect([state, (seen.get(state) ?? 0) > least]).toEqual([state, true])
}

const states = ['open', 'closed', 'refused', 'too-late', 'session-gone', 'told', 'gone', 'beaten', 'written', 'counted']

test(
  'SQLite answers and tells as memory does',
  async () => {
    const pairs = await clients('model', false)
    const seen = new Map<string, number>()
    const property = fc.asyncProperty(moves, async (sequence) => {
      runs++
      await compare(sequence, pairs, seen)
    })
    await fc.assert(property, { numRuns: RUNS })
    expectOften(seen, RUNS / 5, states)
  },
  LIMIT_MS,
)

test(
  'SQLite answers and tells as memory does while grants are held back after a loss of data',
  async () => {
    const seen = new Map<string, number>()
    const property = fc.asyncProperty(moves, async (sequence) => {
      const pairs = await clients(`quarantine ${runs++}`, true)
      try {
        for (const pair of pairs) await pair[0]?.open(sessionDraft('first', { seenBefore: true }))
        await compare(sequence, pairs, seen)
      } finally {
        await Promise.all(pairs.flat().map((client) => client.close()))
        if (runs % 100 === 0) collectGarbage()
      }
    })
    await fc.assert(property, { numRuns: QUARANTINE_RUNS })
    expectOften(seen, QUARANTINE_RUNS / 10, ['held-back', 'closed', 'told', 'session-gone'])
  },
  LIMIT_MS,
)
