/**
 * SQLite against memory by random requests. Set HOLDFAST_MODEL_RUNS for another number of sequences than the suite
 * takes its time for.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, test } from 'vitest'
import { collectGarbage, fileStore, sessionDraft } from './bench.ts'
import { Comparison, STATES } from './comparison.ts'
import { orderlyMoves } from './moves.ts'

const RUNS = Number(process.env.HOLDFAST_MODEL_RUNS ?? 1000)
const LIMIT_MS = 60_000 + RUNS * 100
/** With quarantine each sequence needs clients of its own, for only a new namespace can have lost its data. */
const QUARANTINE_RUNS = Math.ceil(RUNS / 20)

let comparison: Comparison

beforeAll(() => {
  comparison = new Comparison(fileStore)
})
afterAll(() => comparison.dispose())

test(
  'SQLite answers and tells as memory does',
  async () => {
    const pairs = await comparison.clients('model', false)
    const property = fc.asyncProperty(orderlyMoves, (sequence) => comparison.compare(sequence, pairs))
    await fc.assert(property, { numRuns: RUNS })
    comparison.expectOften(RUNS / 5, STATES)
  },
  LIMIT_MS,
)

test(
  'SQLite answers and tells as memory does while grants are held back after a loss of data',
  async () => {
    const property = fc.asyncProperty(orderlyMoves, async (sequence) => {
      const pairs = await comparison.clients(`quarantine ${comparison.runs}`, true)
      try {
        for (const pair of pairs) await pair[0]?.open(sessionDraft('first', { seenBefore: true }))
        await comparison.compare(sequence, pairs)
      } finally {
        await Promise.all(pairs.flat().map((client) => client.close()))
        if (comparison.runs % 100 === 0) collectGarbage()
      }
    })
    await fc.assert(property, { numRuns: QUARANTINE_RUNS })
    comparison.expectOften(QUARANTINE_RUNS / 10, ['held-back'])
  },
  LIMIT_MS,
)
