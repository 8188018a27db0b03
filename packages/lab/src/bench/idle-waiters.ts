/**
 * What waiting costs: ten processes wait for one name that another holds, and their CPU time, heartbeats included, is
 * taken over ten seconds. Raw: as many processes at the same time that do nothing at all.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { holdfast } from 'holdfast'
import { nowMs } from '../sale/moment.ts'
import { type Child, startChild } from './child.ts'
import type { Job } from './job.ts'
import { atLeast, atMost, type Measurement, type Round, type Setting } from './measurement.ts'
import { medianRound } from './statistics.ts'

const HOLDER = 'idle-holder'
const WAITER = 'idle-waiter'
const WAITERS = 10
/** Starting up is not waiting, and neither is V8 tidying up after it, some ten seconds later on an idle machine. */
const SETTLE_MS = 20_000
const WATCH_MS = 10_000
const LIMIT_MS = 60_000
const PERCENT_MAX = 1

interface Usage {
  readonly cpuMs: number
  readonly wallMs: number
  /** It stood in line all the time. */
  readonly waited: boolean
}

export const idleWaiters: Measurement = {
  name: 'idle-waiters',
  what: `CPU of ${WAITERS} processes that wait for one name, together, in % of one core; raw: as many that do nothing`,
  async measure(setting) {
    const rounds: Round[] = []
    for (let round = 0; round < setting.longRounds; round += 1) rounds.push(await oneRound(setting))
    const { oursPercent = Number.NaN, waited = Number.NaN } = medianRound(rounds)
    const checks = [
      atMost(`CPU of ${WAITERS} idle waiters together, % of a core`, oursPercent, PERCENT_MAX),
      atLeast('idle waiters that waited to the end', waited, WAITERS),
    ]
    return { rounds, checks }
  },
}

async function oneRound({ freshFolder, childScript }: Setting): Promise<Round> {
  const url = `sqlite:${freshFolder()}/locks.db`
  const holder = startChild(childScript, HOLDER, url, LIMIT_MS)
  await holder.hear()
  const start = (input: string | null): Child => startChild(childScript, WAITER, input, LIMIT_MS)
  const ours = Array.from({ length: WAITERS }, () => start(url))
  const raw = Array.from({ length: WAITERS }, () => start(null))
  await Promise.all([...ours, ...raw].map((child) => child.hear()))
  holder.say('count')
  const standing = (await holder.hear()) as number
  await pause(SETTLE_MS)
  for (const child of [...ours, ...raw]) child.say('watch')
  const [ourUsage, rawUsage] = await Promise.all([usageOf(ours), usageOf(raw)])
  holder.kill()
  const waited = Math.min(standing, ourUsage.filter((usage) => usage.waited).length)
  return { rawPercent: percentOf(rawUsage), oursPercent: percentOf(ourUsage), waited }
}

function usageOf(children: readonly Child[]): Promise<readonly Usage[]> {
  return Promise.all(
    children.map(async (child) => {
      const usage = (await child.hear()) as Usage
      child.kill()
      return usage
    }),
  )
}

function percentOf(usages: readonly Usage[]): number {
  return usages.reduce((sum, { cpuMs, wallMs }) => sum + (100 * cpuMs) / wallMs, 0)
}

/** Holds the name until it is killed, and says how many others stand in line when it is asked. */
export const idleHolderJob: Job = async (input, parent) => {
  const locks = holdfast(input as string, { namespace: 'bench' })
  const lease = await locks.mutex('idle').acquire()
  parent.say('holding')
  await parent.hear()
  let standing = 0
  for (let look = 0; look < 500 && standing < WAITERS; look += 1) {
    await pause(20)
    const lines = await locks.inspect('idle')
    standing = lines.reduce((sum, { waiters }) => sum + waiters.length, 0)
  }
  parent.say(standing)
  await parent.hear()
  // Read to the end: a lease that nobody refers to any more is given back.
  return lease.isHeld()
}

export const idleWaiterJob: Job = async (input, parent) => {
  let granted = false
  if (input !== null) {
    const locks = holdfast(input as string, { namespace: 'bench' })
    void locks
      .mutex('idle')
      .acquire({ wait: 'forever' })
      .finally(() => {
        granted = true
      })
  }
  parent.say('waiting')
  await parent.hear()
  const startAtMs = nowMs()
  const before = process.cpuUsage()
  await pause(WATCH_MS)
  const { user, system } = process.cpuUsage(before)
  const usage: Usage = { cpuMs: (user + system) / 1000, wallMs: nowMs() - startAtMs, waited: !granted }
  return usage
}
