/**
 * What keeps a process alive: a take that waits, and nothing else of ours. What is left of an object after its end:
 * nothing.
 */
import { describe, expect, test } from 'vitest'
import { expectInTime } from './stage/deadline.ts'
import { promises } from './stage/documented.ts'
import { within } from './stage/moment.ts'
import type { End, Party } from './stage/party.ts'
import { onStage, untilBeatenBy, untilWaiting } from './stage/stage.ts'
import { stopInsideWrite } from './stage/stopped-writer.ts'

const { options, ttlMs, beatMs } = promises(1000)
const thing = { kind: 'mutex', name: 'candle' }
const EXIT_MS = 200
/** Several beats, in which a process that could end would have ended. */
const ALIVE_MS = 1200
const CYCLES = 50

/** Its end, which must come by itself. */
const ended = (party: Party): Promise<End> => within(`the end of ${party.pid}`, 5000, party.ended)

// One at a time: what is measured here is short.
describe('a process', () => {
  test(
    'stays alive while a take waits, and ends by itself once it is granted and only held',
    onStage(async (stage) => {
      const [holder, waiter, observer] = await stage.three({ options })
      await holder.order('take', { as: 'it', thing })
      const granted = waiter.order('take', { as: 'it', thing, options: { wait: 'forever' } })
      await untilWaiting(observer, waiter, 'candle')
      await waiter.order('hangUp')
      const early = await Promise.race([waiter.ended, new Promise((resolve) => setTimeout(resolve, ALIVE_MS, null))])
      expect(early).toBeNull()
      await holder.order('release', { as: 'it' })
      const { atMs } = await granted
      const end = await ended(waiter)
      expect(end).toMatchObject({ code: 0, signal: null })
      expectInTime('exit with a lease after a wait', end.atMs - atMs, EXIT_MS)
    }),
  )

  test.each(['worker', 'main'])('is not kept alive by a lease that is held, with the heartbeat in %s', (heartbeat) =>
    onStage(async (stage) => {
      const party = await stage.party({ options: { ...options, heartbeat } })
      await party.order('take', { as: 'it', thing })
      if (heartbeat === 'worker') await untilBeatenBy(party, 'worker')
      const { atMs } = await party.order('hangUp')
      const end = await ended(party)
      expect(end).toMatchObject({ code: 0, signal: null })
      expectInTime('exit with a lease', end.atMs - atMs, EXIT_MS)
    })(),
  )

  test(
    'is not kept alive by an object that is open and idle',
    onStage(async (stage) => {
      const party = await stage.party({ options })
      const { atMs } = await party.order('hangUp')
      const end = await ended(party)
      expect(end).toMatchObject({ code: 0, signal: null })
      expectInTime('exit with an idle object', end.atMs - atMs, EXIT_MS)
    }),
  )

  test(
    'ends within 200 ms of close, also with leases and waiting takes',
    onStage(async (stage) => {
      const [other, party, observer] = await stage.three({ options })
      await other.order('take', { as: 'it', thing })
      await party.order('takeMany', { prefix: 'held', count: 100 })
      await untilBeatenBy(party, 'worker')
      const refused = party.failure('take', { as: 'it', thing, options: { wait: 'forever' } })
      await untilWaiting(observer, party, 'candle')
      await party.order('closeAndEnd')
      const { atMs } = await party.told('closed')
      expect(await refused).toMatchObject({ code: 'CLOSED' })
      const end = await ended(party)
      expect(end).toMatchObject({ code: 0, signal: null })
      expectInTime('exit after close', end.atMs - atMs, EXIT_MS)
    }),
  )

  test.each(['worker', 'main'])(
    'has the same active resources and listeners before and after 50 objects that were opened and closed, with the heartbeat in %s',
    (heartbeat) =>
      onStage(async (stage) => {
        const party = await stage.start()
        const plan = { file: stage.file, count: CYCLES, options: { ...options, heartbeat }, restMs: 300 }
        const { value } = await party.order<{ before: object; after: object }>('cycles', plan, 30_000)
        expect(value.after).toEqual(value.before)
      })(),
  )
})

describe('close', () => {
  test.each(['worker', 'main'])(
    'is bounded while another process sits on the write lock, and the process ends, with the heartbeat in %s',
    (heartbeat) =>
      onStage(async (stage) => {
        const party = await stage.party({ options: { ...options, heartbeat } })
        await party.order('take', { as: 'it', thing })
        if (heartbeat === 'worker') await untilBeatenBy(party, 'worker')
        await stopInsideWrite(stage, stage.file)
        const { beganMs } = await party.order('closeAndEnd')
        const { atMs } = await party.told('closed')
        expectInTime('close on a locked file', atMs - beganMs, 1500)
        const end = await ended(party)
        expect(end).toMatchObject({ code: 0, signal: null })
        expectInTime('exit after a close on a locked file', end.atMs - atMs, EXIT_MS)
      })(),
  )

  test(
    'lets a drain run out at its end when a holder does not finish, and tells it that its lease was closed',
    onStage(async (stage) => {
      const party = await stage.party({ options })
      await party.order('take', { as: 'it', thing })
      const { beganMs, atMs } = await party.order('close', { drain: '500ms' })
      expect(atMs - beganMs).toBeGreaterThanOrEqual(500)
      expectInTime('close with a drain', atMs - beganMs, 500 + ttlMs)
      expect(await party.told('lost')).toMatchObject({ reason: 'closed' })
      const other = await stage.party({ options })
      const { value, beganMs: askedMs, atMs: servedMs } = await other.order('take', { as: 'it', thing })
      expect(value).not.toBeNull()
      expectInTime('a take after such a close', servedMs - askedMs, beatMs)
    }),
  )
})
