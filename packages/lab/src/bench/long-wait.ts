/**
 * Hand-over after a long wait: a process has waited for 10 s and more, and so looks at the file rarely, when the holder
 * in another process gives the lock back. Each of the locks has a file of its own, because a change to a file wakes all
 * who look at it. Raw: how late a timer of 100 ms is in the same process at the same time.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type Holdfast, holdfast } from 'holdfast'
import { nowMs } from '../sale/moment.ts'
import { startChild } from './child.ts'
import type { Job } from './job.ts'
import { atLeast, atMost, type Measurement, type Round, type Setting } from './measurement.ts'
import { medianRound, percentile } from './statistics.ts'

const HOLDER = 'long-holder'
const WAITER = 'long-waiter'
const LOCKS = 20
const WAIT_MS = 10_000
/** The releases are spread over so long, so that they meet the waiter's looks at any phase. */
const SPREAD_MS = 2_000
const TIMER_MS = 100
const LIMIT_MS = 40_000
const P95_MS_MAX = 60

export const longWait: Measurement = {
  name: 'long-wait',
  what: `hand-over to another process after ${WAIT_MS / 1000} s of waiting, ${LOCKS} locks in a file each; raw: how late a timer of ${TIMER_MS} ms is there`,
  async measure(setting) {
    const rounds: Round[] = []
    for (let round = 0; round < setting.longRounds; round += 1) rounds.push(await oneRound(setting))
    const { oursP95Ms = Number.NaN, waits = Number.NaN } = medianRound(rounds)
    const checks = [
      atMost(`hand-over p95 after ${WAIT_MS / 1000} s of waiting, ms`, oursP95Ms, P95_MS_MAX),
      atLeast('waits that ended in a round', waits, LOCKS),
    ]
    return { rounds, checks }
  },
}

async function oneRound({ freshFolder, childScript }: Setting): Promise<Round> {
  const folder = freshFolder()
  const files = Array.from({ length: LOCKS }, (_, index) => `${folder}/lock-${index}.db`)
  const holder = startChild(childScript, HOLDER, files, LIMIT_MS)
  await holder.hear()
  const waiter = startChild(childScript, WAITER, files, LIMIT_MS)
  await waiter.hear()
  holder.say('go')
  const releasedAtMs = (await holder.hear()) as readonly number[]
  const { grantedAtMs, lateMs } = (await waiter.hear()) as Granted
  const latencies = grantedAtMs.map((atMs, index) => atMs - (releasedAtMs[index] ?? Number.NaN))
  const [oursP50Ms, oursP95Ms] = [percentile(latencies, 50), percentile(latencies, 95)]
  return { rawP95Ms: percentile(lateMs, 95), oursP50Ms, oursP95Ms, waits: latencies.length }
}

interface Granted {
  readonly grantedAtMs: readonly number[]
  readonly lateMs: readonly number[]
}

export const longHolderJob: Job = async (input, parent) => {
  const stores = open(input as readonly string[])
  const leases = await Promise.all(stores.map((locks) => locks.mutex('long').acquire()))
  parent.say('holding')
  await parent.hear()
  const releasedAtMs = await Promise.all(
    leases.map(async (lease, index) => {
      await pause(WAIT_MS + (SPREAD_MS * index) / leases.length + Math.random() * (SPREAD_MS / leases.length))
      const atMs = nowMs()
      await lease.release()
      return atMs
    }),
  )
  return releasedAtMs
}

export const longWaiterJob: Job = async (input, parent) => {
  const stores = open(input as readonly string[])
  const takes = stores.map(async (locks) => {
    const lease = await locks.mutex('long').acquire({ wait: `${LIMIT_MS}ms` })
    const atMs = nowMs()
    await lease.release()
    return atMs
  })
  await allWaiting(stores)
  parent.say('waiting')
  const watch = timerLateness()
  const grantedAtMs = await Promise.all(takes)
  const granted: Granted = { grantedAtMs, lateMs: watch() }
  return granted
}

function open(files: readonly string[]): readonly Holdfast[] {
  return files.map((file) => holdfast(`sqlite:${file}`, { namespace: 'bench' }))
}

/** Resolves once every one of them stands in line. */
async function allWaiting(stores: readonly Holdfast[]): Promise<void> {
  for (const locks of stores) {
    while (waitersIn(await locks.inspect('long')) === 0) await pause(20)
  }
}

function waitersIn(lines: Awaited<ReturnType<Holdfast['inspect']>>): number {
  return lines.reduce((sum, { waiters }) => sum + waiters.length, 0)
}

/** Starts a timer that repeats; the function given back stops it and says how late it was each time. */
function timerLateness(): () => readonly number[] {
  const lateMs: number[] = []
  let dueAtMs = nowMs() + TIMER_MS
  const timer = setInterval(() => {
    lateMs.push(nowMs() - dueAtMs)
    dueAtMs = nowMs() + TIMER_MS
  }, TIMER_MS)
  return () => {
    clearInterval(timer)
    return lateMs
  }
}
