/**
 * The four verbs that every lockable thing has, over one way of taking it: `run` and `tryRun` for a section of code,
 * `acquire` and `tryAcquire` for a lease. Not getting a lock in time is a value for the `try` verbs, an error otherwise.
 */
import type { Lease, Lockable, Ran, TakeOptions } from '../api.ts'
import { type ClaimView, isHoldfastError, LeaseLostError, WaitTimeoutError } from '../errors.ts'
import { latest, runUnder } from '../front/chain.ts'
import type { Grant } from '../front/grant.ts'
import { checkFunction, checkTake, type OptionNames, parseWait } from '../options.ts'
import { releaseGrant } from './lease.ts'

/** A lease and the grants behind it, in the order in which they were taken. */
export interface Taken<L> {
  readonly lease: L
  readonly grants: readonly Grant[]
}
export type TakeResult<L> =
  | { readonly kind: 'granted'; readonly taken: Taken<L> }
  | { readonly kind: 'busy'; readonly holder: ClaimView | null; readonly sinceMs: number }
  | { readonly kind: 'failed'; readonly error: unknown }

/** What the things of one kind share; `waitMs` is settled here, the rest of the options is the kind's business. */
export abstract class Verbs<L extends Omit<Lease, 'fence'>, O extends TakeOptions> implements Lockable<L, O> {
  abstract readonly name: string
  /** Defaults of this description, already checked. */
  protected abstract readonly own: O
  /** The names that the options of a call may have. */
  protected abstract readonly callOptions: OptionNames
  /** Default of `run` and `acquire`. */
  protected abstract readonly patienceMs: number

  /** One take, as those use it that take several. Rejects for what is no result. */
  abstract take(options: O, waitMs: number): Promise<TakeResult<L>>
  /** Called with a lease that the user will hold, to notice its loss. */
  protected abstract watch(taken: Taken<L>): void
  abstract release(leaseId: string): Promise<boolean>

  async run<T>(fn: (lease: L) => T | PromiseLike<T>, options?: O): Promise<T> {
    checkFunction(fn)
    const merged = this.merged(options)
    const result = await this.take(merged, this.waitOf(merged, this.patienceMs))
    if (result.kind === 'granted') return section(result.taken, fn)
    throw this.refusal(result)
  }

  async tryRun<T>(fn: (lease: L) => T | PromiseLike<T>, options?: O): Promise<Ran<T>> {
    checkFunction(fn)
    const merged = this.merged(options)
    const result = await this.take(merged, this.waitOf(merged, 0))
    if (result.kind === 'granted') return { ran: true, value: await section(result.taken, fn) }
    if (result.kind === 'busy') return { ran: false, holder: result.holder }
    if (isHoldfastError(result.error, 'WAIT_TIMEOUT')) return { ran: false, holder: result.error.holder }
    throw result.error
  }

  async acquire(options?: O): Promise<L> {
    const merged = this.merged(options)
    const result = await this.take(merged, this.waitOf(merged, this.patienceMs))
    if (result.kind === 'granted') return this.#hand(result.taken)
    throw this.refusal(result)
  }

  async tryAcquire(options?: O): Promise<L | null> {
    const merged = this.merged(options)
    const result = await this.take(merged, this.waitOf(merged, 0))
    if (result.kind === 'granted') return this.#hand(result.taken)
    if (result.kind === 'busy' || isHoldfastError(result.error, 'WAIT_TIMEOUT')) return null
    throw result.error
  }

  protected abstract now(): number

  #hand(taken: Taken<L>): L {
    this.watch(taken)
    return taken.lease
  }
  protected merged(options: O | undefined): O {
    return options === undefined ? this.own : { ...this.own, ...checkTake(options, this.callOptions) }
  }
  protected waitOf(options: O, fallbackMs: number): number {
    return options.wait === undefined ? fallbackMs : parseWait(options.wait)
  }
  /** The error of a take that was to get something. */
  protected refusal(result: Exclude<TakeResult<L>, { kind: 'granted' }>): unknown {
    if (result.kind === 'failed') return result.error
    return new WaitTimeoutError(this.name, this.now() - result.sinceMs, result.holder)
  }
}

/** Runs `fn` under its leases and gives them back. Loss is told after `fn` has settled, with what it did. */
async function section<L, T>({ lease, grants }: Taken<L>, fn: (lease: L) => T | PromiseLike<T>): Promise<T> {
  let settled: PromiseSettledResult<T>
  try {
    settled = { status: 'fulfilled', value: await runUnder(grants, () => fn(lease)) }
  } catch (reason) {
    settled = { status: 'rejected', reason }
  }
  const last = grants.map(latest)
  const lost = last.find((grant) => grant.check() === 'lost')
  const leaving = last
    .reverse()
    .map(releaseGrant)
    .filter((left) => typeof left === 'object')
  // A release problem never hides what the function did.
  const left = leaving.length === 0 ? [] : await Promise.allSettled(leaving)
  if (lost !== undefined) throw lossOf(lost, settled)
  if (settled.status === 'rejected') throw settled.reason
  // The store had it no more, so somebody else may have been inside; only no beat has told of it yet.
  if (left.some((one) => one.status === 'fulfilled' && !one.value)) {
    throw new LeaseLostError(last[0]?.hold.name ?? '', 'forgotten', settled)
  }
  return settled.value
}

function lossOf(lost: Grant, settled: PromiseSettledResult<unknown>): LeaseLostError {
  const told = lost.lossError()
  return settled.status === 'rejected' && settled.reason === told ? told : lost.lossError(settled)
}
