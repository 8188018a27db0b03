/**
 * What to tell a take whose time is over. Contention only if the last word about it was that others are ahead and
 * nothing is unanswered; everything else is an outage, for then nobody knows.
 */
import {
  BackendUnavailableError,
  type ClaimView,
  isHoldfastError,
  QuorumError,
  reasonOf,
  WaitTimeoutError,
} from '../errors.ts'
import type { Claim } from '../keeper/claim.ts'
import type { Keeper } from '../keeper/keeper.ts'
import { partsOf } from '../names.ts'
import type { Hold } from './hold.ts'
import type { Task } from './task.ts'
import { holdView, rowView } from './view.ts'

/** An answer this long overdue means that the store is silent, not that it is busy. */
const SILENCE_MS = 100

export interface Verdict {
  readonly error: Error
  readonly outcome: 'timeout' | 'outage'
}

/** What a front knows at that moment. */
export interface Knowledge {
  readonly line: string
  /** It stands in the remote line for the task. */
  readonly claim: Claim | null
  /** Open claims of this process in the same line. */
  readonly holds: readonly Hold[]
  /** When the store last had a word about an earlier claim. */
  readonly heardMs: number
}

export function verdict(keeper: Keeper, task: Task, { line, claim, holds, heardMs }: Knowledge): Verdict {
  const now = keeper.clock.monotonicMs()
  const waitedMs = now - task.sinceMs
  const { name } = partsOf(line)
  if (!heard(claim, holds, now) && !(task.sinceMs < heardMs && isQuick(claim, now))) {
    const cause = claim?.outage ?? undefined
    const late = `"${name}" could not be taken within ${Math.round(waitedMs)} ms`
    if (isHoldfastError(cause, 'QUORUM')) {
      return { error: new QuorumError(`${late}: ${cause.message}`, cause.votes, { cause }), outcome: 'outage' }
    }
    const message = `${late}: ${reasonOf(cause)}`
    return { error: new BackendUnavailableError(message, { cause }), outcome: 'outage' }
  }
  return { error: new WaitTimeoutError(name, waitedMs, holderNow(claim, holds)), outcome: 'timeout' }
}

/** Who is in the way: a neighbour in this process, of whom we know more, or the first holder that the store named. */
export function holderNow(claim: Claim | null, holds: readonly Hold[]): ClaimView | null {
  const used = holds.find((hold) => hold.used)
  if (used !== undefined) return holdView(used)
  const holder = claim?.wait?.holder ?? null
  return holder === null ? null : rowView(holder)
}

/** A neighbour in this process that holds is as good a word as the store's. */
function heard(claim: Claim | null, holds: readonly Hold[], now: number): boolean {
  if (claim === null) return holds.some((hold) => hold.claim.outage === null)
  const told = claim.heard || holds.some((hold) => hold.used && hold.standing() === 'live')
  return told && isQuick(claim, now)
}

/** Nothing about the claim is unanswered for longer than an answer takes. */
function isQuick(claim: Claim | null, now: number): boolean {
  return claim === null || (claim.outage === null && now - (claim.askedMs ?? now) <= SILENCE_MS)
}
