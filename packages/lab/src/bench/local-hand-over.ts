/**
 * Hand-over between tasks of one process: 1,000 tasks stand in line for one name, and each section takes the time since
 * the section before it ended. Sections await nothing, so all that the library does from one to the next is in between.
 * The unit is an awaited promise turn inside such a section, taken when nothing else is left to do in the loop, so that
 * no work of the library hides in it. Following call chains makes every promise of the process dearer; `bareNs` is the
 * same turn before the library's first use. What the stopwatch itself takes is subtracted everywhere.
 */
import { holdfast } from 'holdfast'
import { runJob } from './child.ts'
import type { Job } from './job.ts'
import { atMost, type Measurement, type Round } from './measurement.ts'
import { median, medianRound } from './statistics.ts'

const JOB = 'local-hand-over'
const TASKS = 1_000
const CROWDS = 10
const TICKS = 10_000
const WARM_ROUNDS = 5
const LIMIT_MS = 120_000
const TURNS_MAX = 15

/** Runs `section` as the only one of its name. */
type Exclusive = (section: () => Promise<void>) => Promise<void>

export const localHandOver: Measurement = {
  name: JOB,
  what: `${TASKS.toLocaleString('en-US')} tasks of one process on one name; raw: the same through a bare queue of promises`,
  async measure({ rounds, freshFolder, childScript }) {
    const input = { url: `sqlite:${freshFolder()}/locks.db`, rounds }
    const found = (await runJob(childScript, JOB, input, LIMIT_MS)) as readonly Round[]
    const { turns = Number.NaN } = medianRound(found)
    return { rounds: found, checks: [atMost('local hand-over p50, in awaited promise turns', turns, TURNS_MAX)] }
  },
}

export const localHandOverJob: Job = async (input) => {
  const { url, rounds } = input as { readonly url: string; readonly rounds: number }
  await turn((section) => section())
  const bareNs = await turn((section) => section())
  const locks = holdfast(url, { namespace: 'bench' })
  const mutex = locks.mutex('line')
  const ours: Exclusive = (section) => mutex.run(section)
  for (let warm = 0; warm < WARM_ROUNDS; warm += 1) await handOver(ours)
  const found: Round[] = []
  while (found.length < rounds) {
    const rawNs = await handOver(queue())
    const turnNs = await turn(ours)
    const oursNs = await handOver(ours)
    const againNs = await againAndAgain(ours)
    found.push({ bareNs, turnNs, rawNs, oursNs, againNs, turns: oursNs / turnNs, raws: oursNs / rawNs })
  }
  await locks.close()
  return found
}

/** Nanoseconds of an awaited promise turn inside a section, one in each. */
async function turn(exclusive: Exclusive): Promise<number> {
  const turns: number[] = []
  const section = async (): Promise<void> => {
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    const before = performance.now()
    await Promise.resolve()
    turns.push(performance.now() - before)
  }
  for (let crowd = 0; crowd < CROWDS; crowd += 1)
    await Promise.all(Array.from({ length: TASKS }, () => exclusive(section)))
  return net(turns)
}

/** Nanoseconds from the end of a section to the start of the next: each task comes once, in several crowds. */
async function handOver(exclusive: Exclusive): Promise<number> {
  const gaps: number[] = []
  for (let crowd = 0; crowd < CROWDS; crowd += 1) {
    const section = stopwatch(gaps)
    await Promise.all(Array.from({ length: TASKS }, () => exclusive(section)))
  }
  return net(gaps)
}

/** The same with tasks that stand in line again at once: coming back is in between, too. */
async function againAndAgain(exclusive: Exclusive): Promise<number> {
  const gaps: number[] = []
  const section = stopwatch(gaps)
  const task = async (): Promise<void> => {
    for (let done = 0; done < CROWDS; done += 1) await exclusive(section)
  }
  await Promise.all(Array.from({ length: TASKS }, task))
  return net(gaps)
}

function stopwatch(gaps: number[]): () => Promise<void> {
  let endAt: number | null = null
  return async () => {
    const startAt = performance.now()
    if (endAt !== null) gaps.push(startAt - endAt)
    endAt = performance.now()
  }
}

function net(samples: readonly number[]): number {
  const ticks: number[] = []
  for (let sample = 0; sample < TICKS; sample += 1) {
    const before = performance.now()
    ticks.push(performance.now() - before)
  }
  return (median(samples) - median(ticks)) * 1e6
}

/** The least that puts tasks in order: a chain of promises. */
function queue(): Exclusive {
  let last: Promise<void> = Promise.resolve()
  return (section) => {
    last = last.then(section)
    return last
  }
}
