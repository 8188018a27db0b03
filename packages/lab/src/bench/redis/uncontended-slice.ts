/** Takes and releases of names that nobody else wants, so many on their way at once. */
import { nowMs } from '../../sale/moment.ts'
import type { Contender } from './adapter.ts'

export interface SliceTerms {
  readonly atOnce: number
  readonly forMs: number
}

export interface Slice {
  readonly pairs: number
  readonly ms: number
  readonly cpuMs: number
  /** Timers made by `AbortSignal.timeout` meanwhile. */
  readonly abortTimers: number
}

/** Names come back after so many, as orders and documents do in a busy service. */
const NAMES = 64

export async function runSlice(contender: Contender, { atOnce, forMs }: SliceTerms): Promise<Slice> {
  const timersBefore = abortTimers
  const cpuBefore = process.cpuUsage()
  const startAtMs = nowMs()
  const endAt = performance.now() + forMs
  let pairs = 0
  const task = async (id: number): Promise<void> => {
    for (let turn = 0; performance.now() < endAt; turn += 1) {
      const release = await contender.take(`order:${id}:${turn % NAMES}`)
      if (release === null) throw new Error('a name that nobody else wants was not to be had')
      await release()
      pairs += 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, (_, id) => task(id)))
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    pairs,
    ms: nowMs() - startAtMs,
    cpuMs: (user + system) / 1000,
    abortTimers: abortTimers - timersBefore,
  }
}

let abortTimers = 0

/** Counts `AbortSignal.timeout` from now on: one for each command is what makes a client slow. */
export function countAbortTimers(): void {
  const real = AbortSignal.timeout
  AbortSignal.timeout = (ms) => {
    abortTimers += 1
    return real.call(AbortSignal, ms)
  }
}
