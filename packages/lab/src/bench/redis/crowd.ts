/**
 * Tasks of one process that want one name again and again. What is written down of each section is when it was asked
 * for, begun and ended, on the clock that all processes share.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { nowMs } from '../../sale/moment.ts'
import type { Contender } from './adapter.ts'

export interface Crowd {
  readonly name: string
  readonly tasks: number
  readonly holdMs: number
  /** Of each task, at most. */
  readonly sections: number
  readonly startAtMs: number
  /** Nothing is asked for later, and what begins later does not count. */
  readonly endAtMs: number
}

/** Columns that belong together, a row for each section, in the order of their begin. */
export interface Sections {
  readonly task: readonly number[]
  readonly askedAtMs: readonly number[]
  readonly startAtMs: readonly number[]
  readonly endAtMs: readonly number[]
  /** When those asked that got nothing before the end. */
  readonly unservedAtMs: readonly number[]
  /** Everybody has gone home. Where not, this process is of no more use. */
  readonly drained: boolean
}

/** After the end everybody who still gets the name gives it back at once; for some that is a long time. */
const DRAIN_MS = 100

export async function runCrowd(contender: Contender, crowd: Crowd): Promise<Sections> {
  const task: number[] = []
  const askedAtMs: number[] = []
  const startAtMs: number[] = []
  const endAtMs: number[] = []
  /** By task; NaN: it waits for nothing. */
  const waiting = new Float64Array(crowd.tasks).fill(Number.NaN)
  const section = async (id: number): Promise<void> => {
    const asked = now()
    waiting[id] = asked
    let release = await contender.take(crowd.name)
    while (release === null && now() < crowd.endAtMs) release = await contender.take(crowd.name)
    const began = now()
    if (release === null || began >= crowd.endAtMs) return void (await release?.())
    waiting[id] = Number.NaN
    const row = task.push(id) - 1
    askedAtMs.push(asked)
    startAtMs.push(began)
    if (crowd.holdMs > 0) await pause(crowd.holdMs)
    endAtMs[row] = now()
    await release()
  }
  const run = async (id: number): Promise<void> => {
    for (let done = 0; done < crowd.sections && now() < crowd.endAtMs; done += 1) await section(id)
  }
  await pause(Math.max(0, crowd.startAtMs - now()))
  const all = Promise.all(Array.from({ length: crowd.tasks }, (_, id) => run(id))).then(() => true)
  const closed = pause(crowd.endAtMs - now() + DRAIN_MS + crowd.holdMs, false)
  const drained = await Promise.race([all, closed])
  return {
    task,
    askedAtMs,
    startAtMs,
    endAtMs,
    unservedAtMs: [...waiting].filter((askedAt) => !Number.isNaN(askedAt)),
    drained,
  }
}

const offsetMs = nowMs() - performance.now()

/** As `nowMs`, at a fraction of its cost. */
function now(): number {
  return performance.now() + offsetMs
}
