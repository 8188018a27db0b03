/**
 * The event loop of a user is never held up by the library for more than 50 ms at a stretch, however much is held and
 * wanted, also while another process sits on the write lock of the file. The measure is proven by a loop that is held.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { expectInTime } from './stage/deadline.ts'
import { promises } from './stage/documented.ts'
import type { Party } from './stage/party.ts'
import { onStage, untilWaiting } from './stage/stage.ts'
import { stopInsideWrite } from './stage/stopped-writer.ts'

const { options } = promises(2000)
const HELD_MS = 50
const CLAIMS = 2000
const WAITERS = 200
const BLOCKED_MS = 1000
const LIMIT_MS = 40_000
/** The thread that is measured must not wait for helpers of the garbage collector that get no processor. */
const ALONE = ['--single-threaded-gc']

interface Longest {
  readonly heldMs: number
  readonly gapMs: number
  readonly ranMs: number
  readonly ticks: number
}

/** The longest stretch since `watchLoop`. */
async function expectFree(when: string, party: Party): Promise<Longest> {
  const { value } = await party.order<Longest>('loopHeld')
  const { heldMs, gapMs, ranMs } = value
  const detail = `${gapMs.toFixed()} ms between two turns, ${ranMs.toFixed()} ms of them running`
  expectInTime(`the loop ${when} (${detail})`, heldMs, HELD_MS)
  return value
}

/** Holds the write lock of the file for a while. */
async function sitOnWriteLock(stage: Parameters<typeof stopInsideWrite>[0], ms: number): Promise<void> {
  const writer = await stopInsideWrite(stage, stage.file)
  await pause(ms)
  writer.goOn()
  await writer.order('endWrite')
}

test.each(['worker', 'main'])(
  'is held for no more than 50 ms with 2,000 claims held and 200 waiters, also while the file is locked: heartbeat in %s',
  // What the library does, it does every time; a machine that does something else for a moment does it once.
  { timeout: LIMIT_MS, retry: 2 },
  (heartbeat) =>
    onStage(async (stage) => {
      const [other, party] = await stage.three({ options: { ...options, heartbeat }, flags: ALONE })
      await other.order('takeMany', { prefix: 'wanted', count: WAITERS })
      await party.order('watchLoop')
      const plan = { prefix: 'held', count: CLAIMS, atOnce: 100 }
      expect((await party.order<number>('takeMany', plan, LIMIT_MS)).value).toBe(CLAIMS)
      await expectFree('while 2,000 leases are taken', party)

      await party.order('watchLoop')
      party.order('takeMany', { prefix: 'wanted', count: WAITERS, options: { wait: 'forever' } })
      await untilWaiting(other, party, `wanted:${WAITERS - 1}`)
      await pause(1000)
      const { ticks } = await expectFree('with all held and waiting', party)
      expect(ticks).toBeGreaterThan(100)

      await party.order('watchLoop')
      await sitOnWriteLock(stage, BLOCKED_MS)
      await pause(500)
      await expectFree('while the file is locked', party)
      expect((await party.order('status')).value).toMatchObject({ held: CLAIMS, waiting: WAITERS, link: 'up' })
    })(),
)

test(
  'is seen to be held when something holds it, so the tests above would notice',
  onStage(async (stage) => {
    const party = await stage.party({ options })
    await party.order('watchLoop')
    await pause(50)
    await party.order('occupy', { ms: HELD_MS + 10 })
    await pause(50)
    const { value } = await party.order<Longest>('loopHeld')
    expect(value.heldMs).toBeGreaterThan(HELD_MS)
  }),
)
