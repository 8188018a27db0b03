/** A process with one adapter: it connects, and then does what it is told until the parent ends it. */
import { setTimeout as pause } from 'node:timers/promises'
import { nowMs } from '../../sale/moment.ts'
import type { Job } from '../job.ts'
import { percentile } from '../statistics.ts'
import type { Adapter, Contender } from './adapter.ts'
import { adapterNamed } from './adapters.ts'
import { openIoredis } from './clients.ts'
import { type Crowd, runCrowd, type Sections } from './crowd.ts'
import { countAbortTimers, runSlice, type SliceTerms } from './uncontended-slice.ts'

export const CONTENDER_JOB = 'redis-contender'

export interface ContenderInput {
  readonly adapter: string
  /** One server, or those of a quorum. */
  readonly urls: readonly string[]
}

export type Orders =
  | ({ readonly kind: 'slice' } & SliceTerms)
  | ({ readonly kind: 'crowd' } & Crowd)
  /** Takes and releases one after the other; ends in time, whether or not the last one came through. */
  | { readonly kind: 'laps'; readonly forMs: number }
  /** So many sleeps, one after the other, and no lock. */
  | { readonly kind: 'sleeps'; readonly count: number; readonly holdMs: number }

export interface LapsAnswer {
  readonly tookUs: readonly number[]
  /** The last one did not come through; this process is of no more use. */
  readonly stuck: boolean
}

export interface CrowdAnswer {
  readonly sections: Sections
  /** Of a `PING` on a connection of its own, while the crowd was there. */
  readonly pingP50Us: number
}

const PING_EVERY_MS = 5
const LAP_NAMES = 64
/** After the end of its laps; none takes so long that comes through at all. */
const STUCK_MS = 1_000

export const contenderJob: Job = async (input, parent) => {
  const { adapter, urls } = input as ContenderInput
  countAbortTimers()
  const contender = await opened(adapterNamed(adapter), urls)
  const pings = await openIoredis(urls[0] ?? '')
  parent.say('ready')
  for (;;) {
    const orders = (await parent.hear()) as Orders
    if (orders.kind === 'slice') parent.say(await runSlice(contender, orders))
    else if (orders.kind === 'laps') parent.say(await runLaps(contender, orders.forMs))
    else if (orders.kind === 'sleeps') parent.say(await sleepsMs(orders.count, orders.holdMs))
    else {
      const stop = timePings(() => pings.ping(), orders.startAtMs)
      const sections = await runCrowd(contender, orders)
      const answer: CrowdAnswer = { sections, pingP50Us: percentile(stop(), 50) }
      parent.say(answer)
    }
  }
}

function opened(adapter: Adapter, urls: readonly string[]): Promise<Contender> {
  const [url = ''] = urls
  if (urls.length === 1) return adapter.open(url)
  if (adapter.openQuorum === undefined) throw new Error(`${adapter.name} knows no quorum`)
  return adapter.openQuorum(urls)
}

async function runLaps(contender: Contender, forMs: number): Promise<LapsAnswer> {
  const tookUs: number[] = []
  const endAt = performance.now() + forMs
  const laps = async (): Promise<false> => {
    for (let lap = 0; performance.now() < endAt; lap += 1) {
      const startAt = performance.now()
      const release = await contender.take(`lap:${lap % LAP_NAMES}`)
      await release?.()
      if (release !== null) tookUs.push(1000 * (performance.now() - startAt))
    }
    return false
  }
  const stuck = await Promise.race([laps(), pause(forMs + STUCK_MS, true, { ref: false })])
  return { tookUs: [...tookUs], stuck }
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
