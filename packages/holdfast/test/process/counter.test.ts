/** Four processes that add to one number, read and written in two steps: under a mutex nothing is lost, without one much. */
import { expect, test } from 'vitest'
import { makeCounter, readCounter } from './stage/counter.ts'
import { onStage, type Stage } from './stage/stage.ts'

const PROCESSES = 4
const COUNT_MS = 5000

/** What was added by all of them, and what the file says. */
async function hammer(stage: Stage, thing: object | null, ms: number): Promise<{ added: number[]; found: number }> {
  const file = makeCounter(stage)
  const parties = await stage.parties(PROCESSES)
  const plan = { file, thing, ms, tasks: 2 }
  const answers = await Promise.all(parties.map((party) => party.order<number>('count', plan, ms + 20_000)))
  return { added: answers.map(({ value }) => value), found: readCounter(file) }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

test(
  'no update of a counter is lost in five seconds of four processes that add to it under a mutex',
  onStage(async (stage) => {
    const { added, found } = await hammer(stage, { kind: 'mutex', name: 'counter' }, COUNT_MS)
    expect(found).toBe(sum(added))
    // Everybody had a fair part of it.
    expect(Math.min(...added)).toBeGreaterThan(sum(added) / (PROCESSES * 4))
  }),
)

test(
  'updates of the same counter are lost without a lock, so the test above would notice',
  onStage(async (stage) => {
    const { added, found } = await hammer(stage, null, 500)
    expect(found).toBeLessThan(sum(added))
  }),
)
