/** Spreads seeds over worker threads, a stretch at a time, and gathers what they found. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { addOutcome, addSums, noSums, type Sums } from './tally.ts'
import { type Failure, tryOut } from './trial.ts'

const STRETCH = 25
const MARK = 'simulation crew'

interface Stretch {
  readonly from: number
  readonly count: number
}
interface Found {
  readonly sums: Sums
  readonly failures: readonly Failure[]
}

/** True in a thread that only works for another: the program must do nothing else there. */
export const isHand: boolean = !isMainThread && workerData === MARK

async function work({ from, count }: Stretch): Promise<Found> {
  const sums = noSums()
  const failures: Failure[] = []
  for (let seed = from; seed < from + count; seed++) {
    const trial = await tryOut(seed)
    addOutcome(sums, trial.outcome)
    failures.push(...trial.failures)
  }
  return { sums, failures }
}

export function serve(): void {
  parentPort?.on('message', (stretch: Stretch) => {
    void work(stretch).then((found) => parentPort?.postMessage(found))
  })
}

/** Works off all seeds; stops early once `onFound` says so. */
export async function muster(
  program: URL,
  hands: number,
  seeds: Stretch,
  onFound: (found: Found, done: number) => 'go on' | 'stop',
): Promise<Sums> {
  const sums = noSums()
  const endSeed = seeds.from + seeds.count
  let next = seeds.from
  const take = (): Stretch | null => {
    if (next >= endSeed) return null
    const stretch = { from: next, count: Math.min(STRETCH, endSeed - next) }
    next += stretch.count
    return stretch
  }
  const note = (found: Found): void => {
    addSums(sums, found.sums)
    if (onFound(found, sums.histories) === 'stop') next = endSeed
  }
  if (hands === 1) {
    for (let stretch = take(); stretch !== null; stretch = take()) note(await work(stretch))
    return sums
  }
  await Promise.all(Array.from({ length: hands }, () => employ(program, take, note)))
  return sums
}

function employ(program: URL, take: () => Stretch | null, note: (found: Found) => void): Promise<void> {
  const hand = new Worker(program, { workerData: MARK })
  return new Promise<void>((resolve, reject) => {
    const more = (): void => {
      const stretch = take()
      if (stretch === null) void hand.terminate().then(() => resolve(), reject)
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
