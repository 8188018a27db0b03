/**
 * Redis against memory by random requests. Set HOLDFAST_MODEL_RUNS for another number of sequences than the suite takes
 * its time for.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, test } from 'vitest'
import { RedisServer } from '../../../../scripts/servers/index.ts'
import { MAX_TTL_MS, sessionDraft } from '../backends/bench.ts'
import { Comparison, type Differences, STATES } from '../backends/comparison.ts'
import { moves } from '../backends/moves.ts'
import { redisStore } from './stepped-store.ts'

const RUNS = Number(process.env.HOLDFAST_MODEL_RUNS ?? 300)
const LIMIT_MS = 60_000 + RUNS * 1000

/** With quarantine each sequence needs clients of its own, for only a new namespace can have lost its data. */
const QUARANTINE_RUNS = Math.ceil(RUNS / 10)
const DIFFERENCES: Differences = {
  hintsItsOwn: true,
  ownRecheck: true,
  sweepOpens: true,
  oneClock: true,
  graceKeeps: true,
}

let server: RedisServer
let comparison: Comparison

beforeAll(async () => {
  server = await RedisServer.start()
  comparison = new Comparison(redisStore(server.port), DIFFERENCES)
})
afterAll(async () => {
  await comparison.dispose()
  await server.stop()
})

test(
  'Redis answers and tells as memory does',
  async () => {
    const pairs = await comparison.clients('model', false)
    const property = fc.asyncProperty(moves, (sequence) => comparison.compare(sequence, pairs))
    await fc.assert(property, { numRuns: RUNS })
    comparison.expectOften(RUNS / 5, STATES)
  },
  LIMIT_MS,
)

test(
  'Redis answers and tells as memory does while grants are held back after a loss of data',
  async () => {
    const property = fc.asyncProperty(moves, async (sequence) => {
      const pairs = await comparison.clients(`quarantine ${comparison.runs}`, true)
      try {
        for (const pair of pairs) await pair[0]?.open(sessionDraft('first', { seenBefore: true }))
        await comparison.compare(sequence, pairs, comparison.clock.monotonicMs() + MAX_TTL_MS)
      } finally {
        await Promise.all(pairs.flat().map((client) => client.close()))
      }
    })
    await fc.assert(property, { numRuns: QUARANTINE_RUNS })
    comparison.expectOften(QUARANTINE_RUNS / 10, ['held-back'])
  },
  LIMIT_MS,
)
