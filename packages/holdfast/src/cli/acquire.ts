/** `holdfast acquire`: a lock that outlives this program. Its id is its only key, so it is not kept if it cannot be told. */
import { type Clock, dateOf } from '../clock.ts'
import type { Holdfast } from '../index.ts'
import { type Answer, failureAnswer, type Place } from './answer.ts'
import { EXIT } from './exit-code.ts'
import type { TakeOrder } from './orders.ts'
import { Signals } from './signals.ts'
import { take } from './taking.ts'

export async function acquire(locks: Holdfast, order: TakeOrder, place: Place, clock: Clock): Promise<Kept> {
  const signals = new Signals()
  try {
    const lease = await take(locks, order, signals.waiting, true)
    const answer: Answer = {
      exitCode: EXIT.done,
      document: {
        outcome: 'acquired',
        exitCode: EXIT.done,
        ...place,
        id: lease.id,
        fence: lease.fence === undefined ? null : String(lease.fence),
        waitedMs: Math.round(lease.waitedMs),
        until: dateOf(clock.wallMs() + lease.validForMs()).toISOString(),
      },
      text: () => `${lease.id}\n`,
      remarks: [],
    }
    return { answer, undo: async () => void (await lease.release()) }
  } catch (error) {
    return { answer: failureAnswer(error, place, EXIT.busy), undo: null }
  } finally {
    signals.dispose()
  }
}

export interface Kept {
  readonly answer: Answer
  /** Gives the lock back when the answer reached nobody; null: nothing was taken. */
  readonly undo: (() => Promise<void>) | null
}
