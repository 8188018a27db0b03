/** Spreads the work over worker threads, a stretch of seeds at a time, and gathers what they found. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { type AbortSums, abortEverywhere, noAborts } from './aborts.ts'
import { addOutcome, noSums, type Sums } from './tally.ts'
import { type Failure, tryOut } from './trial.ts'

const MARK = 'simulation crew'

export interface Stretch {
  readonly what: 'histories' | 'aborts'
  readonly from: number
  readonly count: number
}
export interface Found {
  readonly sums: Sums
  readonly failures: readonly Failure[]
  readonly aborts: AbortSums
}

/** True in a thread that only works for another: the program must do nothing else there. */
export const isHand: boolean = !isMainThread && workerData === MARK

async function work({ what, from, count }: Stretch): Promise<Found> {
  const sums = noSums()
  const failures: Failure[] = []
  if (what === 'aborts') return { sums, failures, aborts: await abortEverywhere({ from, count }) }
  for (let seed = from; seed < from + count; seed++) {
    const trial = await tryOut(seed)
    addOutcome(sums, trial.outcome)
    failures.push(...trial.failures)
  }
  return { sums, failures, aborts: noAborts() }
}

export function serve(): void {
  parentPort?.on('message', (stretch: Stretch) => {
    void work(stretch).then((found) => parentPort?.postMessage(found))
  })
}

/** Works off all stretches, in order; stops early once `onFound` says so. */
export async function muster(
  program: URL,
  hands: number,
  stretches: readonly Stretch[],
  onFound: (found: Found) => 'go on' | 'stop',
): Promise<void> {
  const left = [...stretches]
  const note = (found: Found): void => {
    if (onFound(found) === 'stop') left.length = 0
  }
  if (hands > 1) {
    await Promise.all(Array.from({ length: hands }, () => employ(program, () => left.shift(), note)))
    return
  }
  for (let stretch = left.shift(); stretch !== undefined; stretch = left.shift()) note(await work(stretch))
}

function employ(program: URL, take: () => Stretch | undefined, note: (found: Found) => void): Promise<void> {
  const hand = new Worker(program, { workerData: MARK })
  return new Promise<void>((resolve, reject) => {
    const more = (): void => {
      const stretch = take()
      if (stretch === undefined) void hand.terminate().then(() => resolve(), reject)
      else hand.postMessage(stretch)
    }
    hand.on('message', (found: Found) => {
      note(found)
      more()
    })
    hand.on('error', reject)
    more()
  })
}
