/** A process that takes many names, and then holds them and does nothing else. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Lease } from 'holdfast'
import { nowMs } from '../../sale/moment.ts'
import type { Job } from '../job.ts'
import { locksAt } from './adapters/ours.ts'
import { adapterNamed } from './adapters.ts'

export const HOLDER_JOB = 'redis-holder'
export const WATCH_MS = 60_000

export interface HolderInput {
  /** Null: ours. */
  readonly adapter: string | null
  readonly url: string
  readonly count: number
  readonly ttlMs: number
}

export interface Held {
  readonly cpuPercent: number
  readonly bytes: number
  /** Null: it does not say; the server does. */
  readonly stillHeld: number | null
}

/** So many takes are on their way at once. */
const BATCH = 256
/** V8 tidies up after the takes for some time, and that is not holding. */
const SETTLE_MS = 20_000

export const holderJob: Job = async (input, parent) => {
  const { adapter, url, count, ttlMs } = input as HolderInput
  const leases: Lease[] = []
  const take = adapter === null ? ours(url, ttlMs, leases) : await theirs(adapter, url, ttlMs)
  await take('first')
  const before = memoryBytes()
  for (let first = 1; first < count; first += BATCH) {
    const size = Math.min(BATCH, count - first)
    await Promise.all(Array.from({ length: size }, (_, index) => take(`name:${first + index}`)))
  }
  const bytes = count > 1 ? (memoryBytes() - before) / count : 0
  await pause(SETTLE_MS)
  parent.say('holding')
  await parent.hear()
  const startAtMs = nowMs()
  const cpuBefore = process.cpuUsage()
  await pause(WATCH_MS)
  const { user, system } = process.cpuUsage(cpuBefore)
  const stillHeld = adapter === null ? leases.filter((lease) => lease.isHeld()).length : null
  const held: Held = { cpuPercent: (user + system) / 10 / (nowMs() - startAtMs), bytes, stillHeld }
  return held
}

type Take = (name: string) => Promise<void>

function ours(url: string, ttlMs: number, leases: Lease[]): Take {
  const locks = locksAt(url, ttlMs)
  return async (name) => {
    leases.push(await locks.mutex(name).acquire())
  }
}

async function theirs(adapter: string, url: string, ttlMs: number): Promise<Take> {
  const contender = await adapterNamed(adapter).open(url)
  return async (name) => {
    if (contender.keep === undefined) throw new Error(`${adapter} renews nothing`)
    await contender.keep(name, ttlMs)
  }
}

function memoryBytes(): number {
  if (globalThis.gc === undefined) throw new Error('memory can only be measured with --expose-gc')
  for (let time = 0; time < 3; time += 1) globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
