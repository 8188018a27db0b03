/**
 * Takes that are aborted in the very moment of their grant, a thousand times: whoever stands behind is served at once,
 * and nothing of them stays in the file. The ttl is long, so that no look by the clock could hide a lost wake-up.
 */
import { expect, test } from 'vitest'
import { expectInTime } from './stage/deadline.ts'
import { promises } from './stage/documented.ts'
import { onStage } from './stage/stage.ts'
import { rowsLeft, untilRows } from './stage/store-file.ts'

const { options, beatMs } = promises(15_000)
const LANES = 4
const ROUNDS = 250
const plan = { names: Array.from({ length: LANES }, (_, lane) => `lane ${lane}`), gridMs: 15 }
/** Far less than the beat after which a waiter that was not told looks by itself. */
const TOLD_MS = 1000
const LIMIT_MS = 60_000

interface Totals {
  readonly granted: number
  readonly aborted: number
  readonly longestMs: number
}

test(
  'a thousand aborts within 2 ms of the grant lose no wake-up and leave nothing in the file',
  onStage(async (stage) => {
    const [holder, waiter] = await stage.three({ options })
    await holder.order('holdOnGrid', plan)
    const orders = { ...plan, rounds: ROUNDS, withinMs: 2 }
    const { value: totals } = await waiter.order<Totals>('abortNearGrants', orders, LIMIT_MS)
    const { value: longestMs } = await holder.order<number>('stopHolding')
    expect(totals.granted + totals.aborted).toBe(LANES * ROUNDS)
    // Both sides of the grant were met, often.
    expect(Math.min(totals.granted, totals.aborted)).toBeGreaterThan(100)
    expect(TOLD_MS).toBeLessThan(beatMs / 2)
    expectInTime('the task behind an aborted one is served', totals.longestMs, TOLD_MS)
    expectInTime('the other process is served after aborts', longestMs, TOLD_MS)
    await untilRows(stage.file, { hf_session: 3 }, 2000)
    for (const party of [holder, waiter]) {
      expect((await party.order('status')).value).toMatchObject({ held: 0, waiting: 0 })
      await party.order('close')
    }
    const left = await rowsLeft(stage.file)
    // The third party of the stage has an open session of its own.
    expect(left).toEqual({ hf_session: 1 })
  }),
  LIMIT_MS,
)
