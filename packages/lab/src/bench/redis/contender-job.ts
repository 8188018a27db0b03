/** A process with one adapter: it connects, and then does what it is told until the parent ends it. */
import { setTimeout as pause } from 'node:timers/promises'
import { nowMs } from '../../sale/moment.ts'
import type { Job } from '../job.ts'
import { percentile } from '../statistics.ts'
import { adapterNamed } from './adapters.ts'
import { openIoredis } from './clients.ts'
import { type Crowd, runCrowd, type Sections } from './crowd.ts'
import { countAbortTimers, runSlice, type SliceTerms } from './uncontended-slice.ts'

export const CONTENDER_JOB = 'redis-contender'

export interface ContenderInput {
  readonly adapter: string
  readonly url: string
}

export type Orders =
  | ({ readonly kind: 'slice' } & SliceTerms)
  | ({ readonly kind: 'crowd' } & Crowd)
  /** So many sleeps, one after the other, and no lock. */
  | { readonly kind: 'sleeps'; readonly count: number; readonly holdMs: number }

export interface CrowdAnswer {
  readonly sections: Sections
  /** Of a `PING` on a connection of its own, while the crowd was there. */
  readonly pingP50Us: number
}

const PING_EVERY_MS = 5

export const contenderJob: Job = async (input, parent) => {
  const { adapter, url } = input as ContenderInput
  countAbortTimers()
  const contender = await adapterNamed(adapter).open(url)
  const pings = await openIoredis(url)
  parent.say('ready')
  for (;;) {
    const orders = (await parent.hear()) as Orders
    if (orders.kind === 'slice') parent.say(await runSlice(contender, orders))
    else if (orders.kind === 'sleeps') parent.say(await sleepsMs(orders.count, orders.holdMs))
    else {
      const stop = timePings(() => pings.ping(), orders.startAtMs)
      const sections = await runCrowd(contender, orders)
      const answer: CrowdAnswer = { sections, pingP50Us: percentile(stop(), 50) }
      parent.say(answer)
    }
  }
}

async function sleepsMs(count: number, holdMs: number): Promise<number> {
  const startAtMs = nowMs()
  for (let slept = 0; slept < count; slept += 1) await pause(holdMs)
  return nowMs() - startAtMs
}

/** One after the other from the given moment on, until the function that it gives is called. */
function timePings(ping: () => Promise<unknown>, startAtMs: number): () => readonly number[] {
  const tookUs: number[] = []
  let stopped = false
  const work = async (): Promise<void> => {
    await pause(Math.max(0, startAtMs - nowMs()))
    while (!stopped) {
      const sentAt = performance.now()
      await ping()
      tookUs.push(1000 * (performance.now() - sentAt))
      await pause(PING_EVERY_MS)
    }
  }
  void work()
  return () => {
    stopped = true
    return tookUs
  }
}
