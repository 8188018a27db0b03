/**
 * Hand-over between tasks of one process: 1,000 tasks stand in line for one name, again and again, and each section
 * takes the time since the section before it ended. In the same section one awaited promise turn is timed with the same
 * stopwatch, and what the stopwatch itself takes is subtracted from both.
 */
import { holdfast } from 'holdfast'
import { runJob } from './child.ts'
import type { Job } from './job.ts'
import { atMost, type Measurement, type Round } from './measurement.ts'
import { median, medianRound } from './statistics.ts'

const JOB = 'local-hand-over'
const TASKS = 1_000
/** Sections of each task in a round, so that the line stays full while it is measured. */
const SECTIONS = 10
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
  const locks = holdfast(url, { namespace: 'bench' })
  const mutex = locks.mutex('line')
  const ours: Exclusive = (section) => mutex.run(section)
  await sample(queue())
  await sample(ours)
  const found: Round[] = []
  for (let round = 0; round < rounds; round += 1) {
    const raw = await sample(queue())
    const { handOver, turn } = await sample(ours)
    found.push({
      rawNs: raw.handOver,
      oursNs: handOver,
      turnNs: turn,
      turns: handOver / turn,
      raws: handOver / raw.handOver,
    })
  }
  await locks.close()
  return found
}

async function sample(exclusive: Exclusive): Promise<{ readonly handOver: number; readonly turn: number }> {
  const handOvers: number[] = []
  const turns: number[] = []
  const ticks: number[] = []
  let endAt = Number.NaN
  const section = async (): Promise<void> => {
    const startAt = performance.now()
    handOvers.push(startAt - endAt)
    const before = performance.now()
    await Promise.resolve()
    const after = performance.now()
    turns.push(after - before)
    ticks.push(performance.now() - after)
    endAt = performance.now()
  }
  const task = async (): Promise<void> => {
    for (let done = 0; done < SECTIONS; done += 1) await exclusive(section)
  }
  await Promise.all(Array.from({ length: TASKS }, task))
  const tickMs = median(ticks)
  const ns = (numbers: readonly number[]): number => (median(numbers) - tickMs) * 1e6
  return { handOver: ns(handOvers.slice(1)), turn: ns(turns) }
}

/** The least that puts tasks in order: a chain of promises. */
function queue(): Exclusive {
  let last: Promise<void> = Promise.resolve()
  return (section) => {
    last = last.then(section)
    return last
  }
}
