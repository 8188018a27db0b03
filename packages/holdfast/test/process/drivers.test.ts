/** Processes with different SQLite drivers on one file: the one in Node and `libsql` exclude each other. */
import { describe, expect, test } from 'vitest'
import { makeCounter, readCounter } from './stage/counter.ts'
import { expectInTime } from './stage/deadline.ts'
import { promises } from './stage/documented.ts'
import { nodeWithDriver } from './stage/other-node.ts'
import type { Answer, Party } from './stage/party.ts'
import { onStage, type Stage, untilWaiting } from './stage/stage.ts'

const { options, beatMs, takeoverMs } = promises(1000)
const thing = { kind: 'mutex', name: 'bridge' }
const COUNT_MS = 1500
const INSTALL_MS = 240_000

const take = (party: Party): Promise<Answer<unknown>> =>
  party.order('take', { as: 'it', thing, options: { wait: '20s' } })

/** One process with the driver in Node, one with `libsql`. */
async function both(stage: Stage): Promise<[Party, Party]> {
  const node = await nodeWithDriver()
  const builtIn = await stage.party({ options, node, how: 'database', driver: 'node:sqlite' })
  return [builtIn, await stage.party({ options, how: 'database', driver: 'libsql' })]
}

describe.concurrent('node:sqlite and libsql on one file', () => {
  for (const [title, order] of [
    ['node:sqlite holds and libsql waits', (parties: Party[]) => parties],
    ['libsql holds and node:sqlite waits', (parties: Party[]) => parties.reverse()],
  ] as const) {
    test(
      `exclude each other, are told of each other's release and sit out each other's death: ${title}`,
      onStage(async (stage) => {
        const [holder, waiter] = order(await both(stage)) as [Party, Party]
        await take(holder)
        const served = take(waiter)
        await untilWaiting(holder, waiter, thing.name)
        const { beganMs } = await holder.order('release', { as: 'it' })
        const { atMs } = await served
        expect(atMs).toBeGreaterThan(beganMs)
        expectInTime('a release of the other driver is noticed', atMs - beganMs, beatMs)
        const back = take(holder)
        await untilWaiting(waiter, holder, thing.name)
        const killedMs = waiter.kill()
        expectInTime('takeover from the other driver', (await back).atMs - killedMs, takeoverMs)
      }),
      INSTALL_MS,
    )
  }

  test(
    'lose no update of a counter that both add to under one mutex',
    onStage(async (stage) => {
      const file = makeCounter(stage)
      const parties = await both(stage)
      const plan = { file, thing, ms: COUNT_MS, tasks: 2 }
      const counts = await Promise.all(parties.map((party) => party.order<number>('count', plan, 30_000)))
      for (const { value } of counts) expect(value).toBeGreaterThan(10)
      expect(readCounter(file)).toBe(counts.reduce((sum, { value }) => sum + value, 0))
    }),
    INSTALL_MS,
  )
})
