/**
 * Detached leases: they outlive their process and end at `maxHold`, neither sooner because the process died nor later;
 * while one only waits, it lives and dies with its process as any other.
 */
import { describe, expect, test } from 'vitest'
import { expectInTime } from './stage/deadline.ts'
import { promises } from './stage/documented.ts'
import type { Answer, Party } from './stage/party.ts'
import { onStage, untilWaiting } from './stage/stage.ts'

const { options, ttlMs, beatMs } = promises(1000)
const HOLD_MS = 2500
const name = 'outliving'
const thing = { kind: 'mutex', name }
const detached = { detached: true, maxHold: `${HOLD_MS}ms`, wait: '20s' }

interface Taken {
  readonly id: string
}

const takeDetached = (party: Party): Promise<Answer<Taken>> =>
  party.order('take', { as: 'it', thing, options: detached })
const take = (party: Party): Promise<Answer<Taken>> =>
  party.order('take', { as: 'it', thing, options: { wait: '20s' } })

describe.concurrent('a detached lease', () => {
  test(
    'outlives its process that was killed until maxHold is over, and one that was killed waiting is dead',
    onStage(async (stage) => {
      const [holds, waits, third] = await stage.three({ options })
      const { beganMs, atMs: openedMs } = await takeDetached(holds)
      takeDetached(waits).catch(() => {})
      await untilWaiting(third, waits, name)
      const served = take(third)
      await untilWaiting(holds, third, name)
      waits.kill()
      holds.kill()
      const { atMs } = await served
      expect(atMs - beganMs).toBeGreaterThanOrEqual(HOLD_MS)
      expectInTime('the end of maxHold after a kill', atMs - openedMs, HOLD_MS + beatMs)
    }),
  )

  test(
    'is held by a process that stood still for longer than the ttl, but not beyond maxHold',
    onStage(async (stage) => {
      const [holds, waits, third] = await stage.three({ options })
      const { beganMs, atMs: openedMs } = await takeDetached(holds)
      const served = take(waits)
      await untilWaiting(third, waits, name)
      await stage.stop(holds)
      const { atMs } = await served
      expect(atMs - beganMs).toBeGreaterThanOrEqual(HOLD_MS)
      expectInTime('the end of maxHold of a stopped process', atMs - openedMs, HOLD_MS + beatMs)
      const asked = holds.order('question', { as: 'it' })
      holds.goOn()
      expect((await asked).value).toMatchObject({ held: false, reason: 'max-hold' })
    }),
  )

  test(
    'is released by its id from another process after its own was killed',
    onStage(async (stage) => {
      const [holds, waits, third] = await stage.three({ options })
      const { value } = await takeDetached(holds)
      const served = take(waits)
      await untilWaiting(third, waits, name)
      holds.kill()
      const { value: found, beganMs } = await third.order<boolean>('releaseById', { thing, id: value.id })
      expect(found).toBe(true)
      expectInTime('a release by id is noticed', (await served).atMs - beganMs, beatMs)
      expect((await third.order('releaseById', { thing, id: value.id })).value).toBe(false)
    }),
  )

  test(
    'is still held when its process went on after standing still for longer than the ttl but less than maxHold',
    onStage(async (stage) => {
      const holds = await stage.party({ options })
      await takeDetached(holds)
      await stage.stop(holds)
      await new Promise((resolve) => setTimeout(resolve, ttlMs + beatMs))
      const asked = holds.order('question', { as: 'it' })
      holds.goOn()
      expect((await asked).value).toMatchObject({ held: true, aborted: false })
      expect((await holds.order('release', { as: 'it' })).value).toBe(true)
    }),
  )
})
