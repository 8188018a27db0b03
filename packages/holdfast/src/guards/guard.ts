/**
 * What a guard is, and the rule that all of them keep. A resource remembers two fences: the highest that entered to
 * write and the highest that entered to read. What a reader would get wrong: entering comes before the first *read*,
 * or a late write of an old holder may still land between the new holder's read and its write.
 */
import type { Lease, PermitLease } from '../api.ts'
import { show } from '../duration.ts'
import { StaleFenceError } from '../errors.ts'

/** Refuses a holder that others have passed. */
export interface Guard<Tx = void> {
  /**
   * Lets the lease into the resource, in the caller's transaction. Call it before the first read, and again in every
   * later transaction that writes.
   *
   * An exclusive lease passes if its fence is not below any that entered; a read lease, also one that was downgraded,
   * if its fence is not below any that entered to write. Readers do not exclude each other.
   *
   * @throws {StaleFenceError} a newer holder has entered; carries its fence. Roll the transaction back
   * @throws {TypeError} a permit without a slot, several leases at once, or no lease: they have no fence to compare
   */
  enter(tx: Tx, lease: Lease | PermitLease): Promise<void>
}

/** What the rule needs to know of a lease. */
export interface Stamp {
  readonly fence: bigint
  readonly shared: boolean
  /** The name of the lock, for messages. */
  readonly name: string
}

/** The pair that a resource keeps. */
export interface Fences {
  readonly write: bigint
  readonly read: bigint
}

export const NEVER_ENTERED: Fences = { write: 0n, read: 0n }

/** Fences stay below this, so that a signed integer of 64 bits holds them. */
export const FENCE_END: bigint = 2n ** 63n

/** The fence that refuses the lease; null: it may enter. */
export function refusedBy({ write, read }: Fences, { fence, shared }: Stamp): bigint | null {
  const highest = shared || write > read ? write : read
  return fence < highest ? highest : null
}

/** The pair after the lease has entered. */
export function entered({ write, read }: Fences, { fence, shared }: Stamp): Fences {
  return shared ? { write, read: fence > read ? fence : read } : { write: fence, read }
}

export function staleFence({ name, fence }: Stamp, stored: bigint): StaleFenceError {
  return new StaleFenceError(
    `a newer holder of "${name}" has been here: its fence is ${stored}, this lease has ${fence}`,
    stored,
  )
}

/**
 * What a lease says of itself. Its shape counts, not its class, so that leases of another copy of the package pass.
 *
 * @throws {TypeError | RangeError} it has no fence that could be compared
 */
export function stampOf(lease: unknown): Stamp {
  if (typeof lease !== 'object' || lease === null) throw new TypeError(`lease must be a lease, not ${show(lease)}`)
  const { fence, mode, slot, leases, name } = lease as Readonly<Record<string, unknown>>
  const called = typeof name === 'string' ? name : 'unnamed'
  if (fence !== undefined) return { fence: checkFence('lease.fence', fence), shared: mode === 'read', name: called }
  if (slot === null) {
    throw new TypeError(
      'a permit without a slot has no order: take it with { slot: true } and guard each slot by itself',
    )
  }
  if (typeof slot === 'object') {
    return { fence: checkFence('lease.slot.fence', (slot as { fence?: unknown }).fence), shared: false, name: called }
  }
  if (leases !== undefined)
    throw new TypeError('several leases have a fence each: enter each of lease.leases by itself')
  throw new TypeError('lease must have a fence that is a bigint, not undefined')
}

function checkFence(option: string, fence: unknown): bigint {
  if (typeof fence !== 'bigint') throw new TypeError(`${option} must be a bigint, not ${show(fence)}`)
  if (fence <= 0n || fence >= FENCE_END) throw new RangeError(`${option} must be above 0 and below 2^63, not ${fence}`)
  return fence
}
