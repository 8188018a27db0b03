/**
 * Processes that add to one number, read and written in two steps: under a mutex nothing is lost, without one much. When
 * they are stopped for longer than the ttl in between, a lock alone cannot help any more, but a guard does.
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { makeCounter, readCounter } from './stage/counter.ts'
import { promises } from './stage/documented.ts'
import { until } from './stage/moment.ts'
import type { Party } from './stage/party.ts'
import { onStage, type Stage } from './stage/stage.ts'
import { makeResource, readResource } from './stage/store-file.ts'

const PROCESSES = 4
const COUNT_MS = 5000

const STOPS = 4

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
    // Too little, or, when two were written into each other, anything.
    expect(found).not.toBe(sum(added))
  }),
)

interface Told {
  readonly added: number
  readonly late: number
}

/** The one that has read the row and not yet written it. */
async function between(parties: readonly Party[]): Promise<Party | null> {
  for (const party of parties) if ((await party.order<boolean>('isBetween')).value) return party
  return null
}

/** Two processes add to a row; time and again one of them stands still while it holds the lock, until the other has it. */
async function addWithStops(stage: Stage, guarded: boolean): Promise<{ told: Told[]; found: number }> {
  const { options, takeoverMs } = promises(1000)
  const file = join(stage.folder, 'resource.db')
  await makeResource(file)
  const parties = await Promise.all([stage.party({ options }), stage.party({ options })])
  const plan = { file, thing: { kind: 'mutex', name: 'row' }, ms: STOPS * (takeoverMs + 100), pauseMs: 50, guarded }
  const counting = parties.map((party) => party.order<Told>('countRow', plan, 30_000))
  for (let stop = 0; stop < STOPS; stop++) {
    const party = await until('somebody between reading and writing', () => between(parties))
    await stage.stop(party, file)
    await pause(takeoverMs)
    party.goOn()
  }
  const told = (await Promise.all(counting)).map(({ value }) => value)
  return { told, found: Number(await readResource(file)) }
}

test.concurrent(
  'no update of a guarded row is lost although its writers stand still for longer than the ttl at any point',
  onStage(async (stage) => {
    const { told, found } = await addWithStops(stage, true)
    expect(found).toBe(sum(told.map(({ added }) => added)))
    expect(found).toBeGreaterThan(STOPS)
    expect(sum(told.map(({ late }) => late))).toBeGreaterThan(0)
  }),
)

test.concurrent(
  'updates of a row without a guard are lost when its writers stand still, so the test above would notice',
  onStage(async (stage) => {
    const { told, found } = await addWithStops(stage, false)
    expect(found).toBeLessThan(sum(told.map(({ added }) => added)))
  }),
)
