/**
 * Everything the library rejects with, one class a decision. Data is in fields, the message is for people. Not getting
 * a lock in time, losing one, an outage and a refusal are different classes, so no message needs to be parsed.
 */
import { decimal } from './json.ts'

export interface ErrorByCode {
  WAIT_TIMEOUT: WaitTimeoutError
  LEASE_LOST: LeaseLostError
  NOT_HELD: NotHeldError
  DEADLOCK: DeadlockError
  STALE_FENCE: StaleFenceError
  BACKEND_UNAVAILABLE: BackendUnavailableError
  BACKEND_REFUSED: BackendRefusedError
  QUORUM: QuorumError
  UNSUPPORTED: UnsupportedError
  CLOSED: ClosedError
}

/**
 * What `inspect` and errors say about a claim. `fence` is its first one; local hand-overs raise it further. Written as
 * JSON, the fence is decimal text.
 */
export interface ClaimView {
  readonly id: string
  readonly fence: bigint
  readonly host: string
  readonly pid: number
  readonly label: string | null
  readonly since: Date
  /** Outlives its process, and nobody renews it. */
  readonly detached: boolean
  /** Its own hard end, by `maxHold`; null: it has none, or still waits. */
  readonly until: Date | null
  /** In a quorum: which nodes have it. */
  readonly votes?: readonly Vote[]
}

/** What a node of a quorum said; `unknown`: nothing in time. */
export interface Vote {
  readonly node: string
  readonly vote: 'yes' | 'no' | 'unknown'
}

/** Why a lease was lost. */
export type LossReason = 'expired' | 'max-hold' | 'revoked' | 'forgotten' | 'stalled' | 'closed'

/** The root of all errors of this library. Match on `code`, or with {@link isHoldfastError}. */
export abstract class HoldfastError extends Error {
  abstract readonly code: keyof ErrorByCode
  /** Lets `isHoldfastError` know errors of another copy of this package. */
  readonly holdfast = true
  override get name(): string {
    return this.constructor.name
  }
  /** Fences are decimal text in it. */
  toJSON(): Readonly<Record<string, unknown>> {
    const { name, message } = this
    return { name, message, ...decimal(this) }
  }
}

/** Not granted within `wait`, because others are ahead. */
export class WaitTimeoutError extends HoldfastError {
  readonly code = 'WAIT_TIMEOUT'
  readonly waitedMs: number
  readonly holder: ClaimView | null
  constructor(name: string, waitedMs: number, holder: ClaimView | null) {
    super(`"${name}" was not granted within ${Math.round(waitedMs)} ms${holder ? `: held by ${describe(holder)}` : ''}`)
    this.waitedMs = waitedMs
    this.holder = holder
  }
}

/** The lock is no longer ours, or may not be. Final. */
export class LeaseLostError extends HoldfastError {
  readonly code = 'LEASE_LOST'
  readonly reason: LossReason
  /** What the function given to `run` did in spite of it; null outside `run`. */
  readonly settled: PromiseSettledResult<unknown> | null
  constructor(name: string, reason: LossReason, settled: PromiseSettledResult<unknown> | null = null) {
    super(`the lease on "${name}" was lost (${reason}): ${LOSS[reason]}`)
    this.reason = reason
    this.settled = settled
  }
}

const LOSS: Record<LossReason, string> = {
  expired: 'its session was not renewed in time',
  'max-hold': 'its maxHold is over',
  revoked: 'it was released by force',
  forgotten: 'the store no longer has it',
  stalled: 'this process did not run for too long',
  closed: 'the Holdfast object was closed',
}

/** The lease is not held now: released, in doubt, or with less time left than asked for. */
export class NotHeldError extends HoldfastError {
  readonly code = 'NOT_HELD'
}

/** This take could never succeed, because its own call chain holds what it waits for. */
export class DeadlockError extends HoldfastError {
  readonly code = 'DEADLOCK'
}

/** A newer holder has been at the resource. */
export class StaleFenceError extends HoldfastError {
  readonly code = 'STALE_FENCE'
  /** The fence that the resource has seen. */
  readonly fence: bigint
  constructor(message: string, fence: bigint) {
    super(message)
    this.fence = fence
  }
}

/** The store could not be asked; it may heal, so retry. */
export class BackendUnavailableError extends HoldfastError {
  readonly code = 'BACKEND_UNAVAILABLE'
}

/** The store will not do this until somebody changes something: rights, layout, memory, a read-only file. */
export class BackendRefusedError extends HoldfastError {
  readonly code = 'BACKEND_REFUSED'
}

/** Too few nodes of a quorum could be asked, or counted; it may heal, so retry. */
export class QuorumError extends HoldfastError {
  readonly code = 'QUORUM'
  readonly votes: readonly Vote[]
  constructor(message: string, votes: readonly Vote[], options?: ErrorOptions) {
    super(message, options)
    this.votes = votes
  }
}

/** This backend cannot do that. */
export class UnsupportedError extends HoldfastError {
  readonly code = 'UNSUPPORTED'
}

/** The Holdfast object is closed or closing. */
export class ClosedError extends HoldfastError {
  readonly code = 'CLOSED'
}

/** Works across two copies of the package and across workers, where `instanceof` does not. */
export function isHoldfastError<C extends keyof ErrorByCode>(error: unknown, code: C): error is ErrorByCode[C] {
  return error instanceof Error && 'holdfast' in error && 'code' in error && error.code === code
}

/** Why something was not to be had, for the message of an error whose cause is `outage`. */
export function reasonOf(outage: unknown): string {
  return outage instanceof Error ? outage.message : 'the store gave no answer'
}

/** The store could not be asked: it may heal, and the outcome is unknown. */
export function isOutage(error: unknown): error is BackendUnavailableError | QuorumError {
  return isHoldfastError(error, 'BACKEND_UNAVAILABLE') || isHoldfastError(error, 'QUORUM')
}

function describe(holder: ClaimView): string {
  const label = holder.label === null ? '' : ` (${holder.label})`
  return `${holder.host} pid ${holder.pid}${label} since ${holder.since.toISOString()}${endOf(holder)}`
}

/** What a holder's end says about whether to wait: nobody renews a detached lease, so it lasts until then. */
export function endOf({ detached, until }: ClaimView): string {
  if (until === null) return ''
  return `${detached ? ', detached,' : ','} until ${until.toISOString()} at the latest`
}
