/**
 * What several parties do together, with parties that die or stand still: a latch counts arrivals whatever becomes of
 * who arrived, a barrier counts the living only, and a double barrier lets nobody wait for the dead.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { expectInTime } from './stage/deadline.ts'
import { promises } from './stage/documented.ts'
import { reach, until } from './stage/moment.ts'
import type { Answer, Party } from './stage/party.ts'
import { type LineOfParties, onStage } from './stage/stage.ts'

const { options, ttlMs, beatMs, takeoverMs } = promises(1000)
const name = 'meeting'
const PARTIES = 3
const wait = { options: { wait: '20s' } }
/** Long enough for what must not happen to happen. */
const SETTLED_MS = 700

const pass = (party: Party): Promise<Answer<null>> => party.order('pass', { name, parties: PARTIES, ...wait })
const meet = (party: Party): Promise<Answer<null>> => party.order('meet', { name, parties: PARTIES, ...wait })

/** Resolves once that many parties have arrived. */
async function untilArrived(observer: Party, count: number): Promise<void> {
  await until(`${count} arrivals`, async () => {
    const { value } = await observer.order<LineOfParties[]>('lines', { prefix: `${name}#` })
    return value.some(({ holders }) => holders.length === count)
  })
}

/** Whether it is still pending after a while. */
async function isPending(...work: Promise<unknown>[]): Promise<boolean> {
  const done = Promise.race(work).then(() => false)
  return Promise.race([done, pause(SETTLED_MS).then(() => true)])
}

describe.concurrent('latch', () => {
  const latch = { name, count: 2 }

  test(
    'an arrival counts although its process was killed, and a waiter that was killed holds nobody up',
    onStage(async (stage) => {
      const [arrives, waits, alsoWaits] = await stage.three({ options })
      await arrives.order('latchCount', { ...latch, id: 'a' })
      const opened = waits.order('latchWait', { ...latch, ...wait })
      alsoWaits.order('latchWait', { ...latch, ...wait }).catch(() => {})
      arrives.kill()
      alsoWaits.kill()
      expect(await isPending(opened)).toBe(true)
      const last = await stage.party({ options })
      const { value: remaining, beganMs } = await last.order<number>('latchCount', { ...latch, id: 'b' })
      expect(remaining).toBe(0)
      expectInTime('a latch opens', (await opened).atMs - beganMs, beatMs)
    }),
  )

  test(
    'a waiter that stood still for longer than the ttl finds the latch open',
    onStage(async (stage) => {
      const [arrives, waits, standsStill] = await stage.three({ options })
      const opened = waits.order('latchWait', { ...latch, ...wait })
      const openedLate = standsStill.order('latchWait', { ...latch, ...wait })
      await arrives.order('latchCount', { ...latch, id: 'a' })
      await stage.stop(standsStill)
      await pause(takeoverMs)
      const { beganMs } = await arrives.order('latchCount', { ...latch, id: 'b' })
      expectInTime('a latch opens', (await opened).atMs - beganMs, beatMs)
      const continuedMs = standsStill.goOn()
      expectInTime('a late party finds the latch open', (await openedLate).atMs - continuedMs, beatMs)
    }),
  )
})

describe.concurrent('barrier', () => {
  test(
    'a party that was killed is not counted, and the barrier opens with the next one that lives',
    onStage(async (stage) => {
      const [dies, waits, comes] = await stage.three({ options })
      pass(dies).catch(() => {})
      const passed = pass(waits)
      await untilArrived(comes, 2)
      dies.kill()
      await pause(takeoverMs)
      const alsoPassed = pass(comes)
      expect(await isPending(passed, alsoPassed)).toBe(true)
      const last = await stage.party({ options })
      const { atMs, beganMs } = await pass(last)
      for (const one of await Promise.all([passed, alsoPassed]))
        expectInTime('a barrier opens', one.atMs - beganMs, beatMs)
      expectInTime('a barrier opens', atMs - beganMs, beatMs)
    }),
  )

  test(
    'a party that stood still for longer than the ttl is not counted until it arrives again',
    onStage(async (stage) => {
      const [standsStill, waits, comes] = await stage.three({ options })
      const passedLate = pass(standsStill)
      const passed = pass(waits)
      await untilArrived(comes, 2)
      await stage.stop(standsStill)
      await pause(takeoverMs)
      const alsoPassed = pass(comes)
      expect(await isPending(passed, alsoPassed)).toBe(true)
      const continuedMs = standsStill.goOn()
      for (const one of await Promise.all([passed, alsoPassed, passedLate])) {
        expect(one.atMs).toBeGreaterThan(continuedMs)
        expectInTime('a barrier opens for a party that stood still', one.atMs - continuedMs, 2 * beatMs)
      }
    }),
  )
})

describe.concurrent('double barrier', () => {
  /** All parties are inside, and all but the first want to leave. */
  async function enterAll(first: Party, others: readonly Party[]): Promise<Promise<Answer<null>>[]> {
    const left = others.map(meet)
    await Promise.all([first, ...others].map((party) => party.told('inside')))
    await Promise.all(others.map((other) => other.order('leave', { name })))
    return left
  }

  test(
    'parties leave without one that was killed inside, within ttl and a beat, and not before',
    onStage(async (stage) => {
      const [first, ...others] = await stage.three({ options })
      meet(first).catch(() => {})
      const left = await enterAll(first, others)
      expect(await isPending(...left)).toBe(true)
      const killedMs = first.kill()
      for (const { atMs } of await Promise.all(left)) {
        expect(atMs).toBeGreaterThan(killedMs)
        expectInTime('leaving without a dead party', atMs - killedMs, takeoverMs)
      }
    }),
  )

  test(
    'parties leave without one that stands still inside, and it is told that it was lost when it runs again',
    onStage(async (stage) => {
      const [first, ...others] = await stage.three({ options })
      const failed = first.failure('meet', { name, parties: PARTIES, ...wait })
      const left = await enterAll(first, others)
      const stoppedMs = await stage.stop(first)
      for (const { atMs } of await Promise.all(left))
        expectInTime('leaving without a stopped party', atMs - stoppedMs, takeoverMs)
      await reach(stoppedMs + ttlMs)
      first.goOn()
      await first.order('leave', { name })
      expect(await failed).toMatchObject({ code: 'LEASE_LOST', reason: 'stalled', settled: 'fulfilled' })
    }),
  )
})
