/**
 * A holder that dies or stands still, looked at closely: how long the next one waits, what the former holder believes
 * in its first instruction, and whether a resource that checks fences takes its late write.
 */

import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { expectInTime } from './stage/deadline.ts'
import { promises } from './stage/documented.ts'
import { reach } from './stage/moment.ts'
import type { Answer, Party } from './stage/party.ts'
import { onStage, type Stage, untilBeatenBy, untilWaiting } from './stage/stage.ts'
import { makeResource, readResource } from './stage/store-file.ts'

const name = 'desk'
const thing = { kind: 'mutex', name }

const take = (party: Party): Promise<Answer<unknown>> =>
  party.order('take', { as: 'it', thing, options: { wait: '20s' } })

interface Belief {
  readonly lastYesMs: number
  readonly firstNoMs: number
}

/** One holds and one waits. */
async function pair(
  stage: Stage,
  options: object,
): Promise<{ first: Party; second: Party; served: Promise<Answer<unknown>> }> {
  const [first, second, third] = await stage.three({ options })
  await take(first)
  const served = take(second)
  await untilWaiting(third, second, name)
  return { first, second, served }
}

describe.concurrent('a holder that is killed', () => {
  test.each([1000, 2000])('is followed by the next waiter within a ttl of %i ms and a beat', (ttlMs) =>
    onStage(async (stage) => {
      const { options, takeoverMs } = promises(ttlMs)
      const { first, served } = await pair(stage, options)
      // Not right after a beat every time.
      await pause(Math.random() * ttlMs)
      const killedMs = first.kill()
      const { atMs } = await served
      expectInTime('takeover from a killed holder', atMs - killedMs, takeoverMs)
      expect(atMs).toBeGreaterThan(killedMs)
    })(),
  )
})

describe.concurrent('a holder that stood still for longer than the ttl', () => {
  const { options, ttlMs, takeoverMs } = promises(1000)

  test(
    'is told the truth by its first question, asked from the middle of a loop that never turned to the event loop',
    onStage(async (stage) => {
      const { first, served } = await pair(stage, options)
      // The event loop will not turn any more, so the worker must be there.
      await untilBeatenBy(first, 'worker')
      const asking = first.order<Belief>('askUntilLost', { as: 'it', ms: 10_000 })
      await first.told('asking')
      const stoppedMs = await stage.stop(first)
      const { atMs } = await served
      expectInTime('takeover from a stopped holder', atMs - stoppedMs, takeoverMs)
      await reach(stoppedMs + ttlMs)
      const continuedMs = first.goOn()
      const { value } = await asking
      // No question that was asked after the other one had it, or after the stop, was answered with yes.
      expect(value.lastYesMs).toBeLessThan(atMs)
      expect(value.firstNoMs).toBeGreaterThanOrEqual(continuedMs)
      expect((await first.order('question', { as: 'it' })).value).toMatchObject({ held: false, reason: 'stalled' })
    }),
  )

  test(
    'has its late write refused by a guarded resource, and accepted by one without a guard',
    onStage(async (stage) => {
      const resource = join(stage.folder, 'resource.db')
      await makeResource(resource)
      const write = (party: Party, value: string, guarded: boolean): Promise<Answer<boolean>> =>
        party.order('write', { as: 'it', file: resource, value, guarded })
      const { first, second, served } = await pair(stage, options)
      expect((await write(first, 'first', true)).value).toBe(true)
      await stage.stop(first)
      await served
      expect((await write(second, 'second', true)).value).toBe(true)
      const late = write(first, 'late', true)
      first.goOn()
      expect((await late).value).toBe(false)
      expect(await readResource(resource)).toBe('second')
      expect((await write(first, 'late', false)).value).toBe(true)
      expect(await readResource(resource)).toBe('late')
    }),
  )

  test(
    'is told by its first question also when it was idle',
    onStage(async (stage) => {
      const { first, served } = await pair(stage, options)
      const stoppedMs = await stage.stop(first)
      await served
      await reach(stoppedMs + ttlMs)
      const asked = first.order('question', { as: 'it' })
      first.goOn()
      expect((await asked).value).toEqual({ held: false, validForMs: 0, aborted: true, reason: 'stalled' })
      expect(await first.told('lost')).toMatchObject({ reason: 'stalled' })
    }),
  )
})
