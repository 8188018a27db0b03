/**
 * A holder whose event loop is blocked: the heartbeat worker keeps its lease for it, the main thread alone cannot, and a
 * process that hangs for good is cut off although its worker lives.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { expectInTime } from './stage/deadline.ts'
import { promises } from './stage/documented.ts'
import type { Answer, Party } from './stage/party.ts'
import { onStage, type Stage, untilBeatenBy, untilWaiting } from './stage/stage.ts'

const { options, ttlMs, beatMs, takeoverMs } = promises(2000)
const BLOCKED_MS = 3000
const MAX_STALL_MS = 1000
/** From the end of the hung one's session until the next one has looked. */
const LOOK_MS = 150
const name = 'wheel'
const thing = { kind: 'mutex', name }

interface Belief {
  readonly held: boolean
  readonly validForMs: number
  readonly aborted: boolean
  readonly reason: string | null
}

const take = (party: Party): Promise<Answer<unknown>> =>
  party.order('take', { as: 'it', thing, options: { wait: '20s' } })

/** One holds, beaten as told, and one waits. */
async function pair(
  stage: Stage,
  heartbeat: 'worker' | 'main',
  more: object = {},
): Promise<{ holder: Party; served: Promise<Answer<unknown>>; waiter: Party }> {
  const [holder, waiter, observer] = await Promise.all([
    stage.party({ options: { ...options, heartbeat, ...more } }),
    stage.party({ options }),
    stage.party({ options }),
  ])
  await take(holder)
  await untilBeatenBy(holder, heartbeat)
  const served = take(waiter)
  await untilWaiting(observer, waiter, name)
  return { holder, waiter, served }
}

describe.concurrent('with an event loop blocked for longer than the ttl', () => {
  test(
    'the worker keeps the lease, and the next one is served only after its release',
    onStage(async (stage) => {
      const { holder, served } = await pair(stage, 'worker')
      const { value } = await holder.order<Belief>('block', { ms: BLOCKED_MS, as: 'it' })
      expect(value).toMatchObject({ held: true, aborted: false })
      expect(value.validForMs).toBeGreaterThan(ttlMs / 3)
      const { beganMs, value: released } = await holder.order<boolean>('release', { as: 'it' })
      expect(released).toBe(true)
      const { atMs } = await served
      expect(atMs).toBeGreaterThan(beganMs)
      expectInTime('a release after a stall is noticed', atMs - beganMs, beatMs)
    }),
  )

  test(
    'the main thread loses the lease, is told so at its first question, and the next one was served in time',
    onStage(async (stage) => {
      const { holder, served } = await pair(stage, 'main')
      const blocked = holder.order<Belief>('block', { ms: BLOCKED_MS, as: 'it' })
      const { atMs } = await served
      const { value, beganMs } = await blocked
      expect(value).toEqual({ held: false, validForMs: 0, aborted: true, reason: 'stalled' })
      expectInTime('takeover from a blocked process', atMs - beganMs, takeoverMs)
      expect((await holder.order('release', { as: 'it' })).value).toBe(false)
    }),
  )
})

describe.concurrent('a process that hangs', () => {
  test(
    'for longer than maxStall but comes back before its session has ended keeps its lease, and the worker beats on',
    onStage(async (stage) => {
      const { holder, served } = await pair(stage, 'worker', { maxStall: '500ms' })
      const { value } = await holder.order<Belief>('block', { ms: 1200, as: 'it' })
      expect(value).toMatchObject({ held: true, aborted: false })
      expect((await holder.order<Belief>('block', { ms: 400, as: 'it' })).value.held).toBe(true)
      await pause(takeoverMs)
      expect((await holder.order('question', { as: 'it' })).value).toMatchObject({ held: true, aborted: false })
      await holder.order('release', { as: 'it' })
      expect((await served).value).not.toBeNull()
    }),
  )

  test(
    'is cut off within maxStall and ttl although its worker lives, and not before the ttl is over',
    onStage(async (stage) => {
      const { holder, served } = await pair(stage, 'worker', { maxStall: `${MAX_STALL_MS}ms` })
      holder.order('hang').catch(() => {})
      const { atMs: hungMs } = await holder.told('hanging')
      const { atMs } = await served
      expectInTime('cutting off a hung process', atMs - hungMs, MAX_STALL_MS + ttlMs + LOOK_MS)
      expect(atMs - hungMs).toBeGreaterThan(ttlMs)
      expect(holder.over).toBe(false)
    }),
  )
})
