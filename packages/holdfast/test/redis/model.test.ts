/**
 * Redis against memory by random requests. Set HOLDFAST_MODEL_RUNS for another number of sequences than the suite takes
 * its time for.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, test } from 'vitest'
import { Comparison, STATES } from '../backends/comparison.ts'
import { moves } from '../backends/moves.ts'
import { type LoneServer, startServer } from './lone-server.ts'
import { redisStore } from './stepped-store.ts'

const RUNS = Number(process.env.HOLDFAST_MODEL_RUNS ?? 300)
const LIMIT_MS = 60_000 + RUNS * 1000

const DIFFERENCES = { hintsItsOwn: true, ownRecheck: true, sweepOpens: true, oneClock: true }

let server: LoneServer
let comparison: Comparison

beforeAll(async () => {
  server = await startServer()
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
