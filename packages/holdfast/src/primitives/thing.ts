/**
 * A lockable thing with one line behind it: mutex, reader, writer, permits, candidacy. The kinds differ in what they
 * wish for and in the lease they hand out.
 */
import type { Lease, TakeOptions } from '../api.ts'
import { parseDuration, show } from '../duration.ts'
import type { Grant } from '../front/grant.ts'
import { checkParent } from '../front/takes.ts'
import type { Settled, TakeTerms, Told, Wish } from '../front/task.ts'
import { type Kind, lineOf } from '../names.ts'
import { OPTIONS, type OptionNames } from '../options.ts'
import type { Home } from './home.ts'
import { grantOf } from './lease.ts'
import { type Taken, type TakeResult, Verbs } from './verbs.ts'

export interface Shape<L, O extends TakeOptions> {
  readonly kind: Kind
  readonly name: string
  readonly options: O
  /** What a call may say; that of any take if not given. */
  readonly callOptions?: OptionNames
  readonly patienceMs: number
  readonly reentrant: boolean
  /** @throws {TypeError | RangeError} for options that only this kind knows */
  readonly wish: (
    options: O,
  ) => Pick<Wish, 'weight' | 'capacity' | 'shared' | 'slot' | 'value'> & { readonly alone?: boolean }
  readonly lease: (grant: Grant) => L
}

export class Thing<L extends Omit<Lease, 'fence'>, O extends TakeOptions> extends Verbs<L, O> {
  readonly name: string
  protected readonly own: O
  protected readonly callOptions: OptionNames
  protected readonly patienceMs: number
  /** The line's full name, by which `all` sorts. */
  readonly line: string
  readonly #home: Home
  readonly #shape: Shape<L, O>
  /** What a call without options of its own wishes for. */
  readonly #usual: Wish

  constructor(home: Home, shape: Shape<L, O>) {
    super()
    this.#home = home
    this.#shape = shape
    this.name = shape.name
    this.own = shape.options
    this.callOptions = shape.callOptions ?? OPTIONS.take
    this.patienceMs = shape.patienceMs
    this.line = lineOf(shape.kind, shape.name)
    if (shape.options.within !== undefined) parentOf(shape.options.within, home)
    this.#usual = home.shared(this.#wishOf(shape.options))
  }

  belongsTo(home: Home): boolean {
    return this.#home === home
  }

  /** The options of a call on top of this description's own, as `all` passes them on. */
  withOptions(options: TakeOptions): O {
    return { ...this.own, ...options }
  }

  take(options: O, waitMs: number): Promise<TakeResult<L>> {
    return new Promise((resolve, reject) => {
      const told: Told = (settled, sinceMs) => resolve(this.#resultOf(settled, sinceMs))
      this.#home.take(this.#terms(options, waitMs), told, reject)
    })
  }

  /** As all do it, but with one promise: of these takes there are most, and promises are most of what one costs. */
  override acquire(options?: O): Promise<L> {
    return new Promise((resolve, reject) => {
      const merged = this.merged(options)
      const told: Told = (settled, sinceMs) => {
        if (settled.kind === 'granted') resolve(this.#hand(settled.grant))
        else reject(this.refusal(refused(settled, sinceMs)))
      }
      this.#home.take(this.#terms(merged, this.waitOf(merged, this.patienceMs)), told, reject)
    })
  }

  #hand(grant: Grant): L {
    const lease = this.#shape.lease(grant)
    this.#home.watch(lease, grant)
    return lease
  }

  #resultOf(settled: Settled, sinceMs: number): TakeResult<L> {
    if (settled.kind !== 'granted') return refused(settled, sinceMs)
    const { grant } = settled
    return { kind: 'granted', taken: { lease: this.#shape.lease(grant), grants: [grant] } }
  }

  async release(leaseId: string): Promise<boolean> {
    if (typeof leaseId !== 'string' || !LEASE_ID.test(leaseId)) {
      throw new TypeError(`leaseId must be the id of a detached lease, not ${show(leaseId)}`)
    }
    // Only a detached lease may be given back by somebody else; to end another's is what `forceRelease` says.
    const line = await this.#home.ask((ledger) => ledger.inspect(this.line))
    if (line?.claims.some((claim) => claim.id === leaseId && claim.detached) !== true) return false
    const key = { id: leaseId, line: this.line }
    const { found } = await this.#home.ask((ledger) => ledger.leave(ledger.bucketOf(this.line), [key]))
    // Its session has nothing else, and would last as long as the lease might have. Should it fail, it ends by itself.
    const [session = ''] = leaseId.split('.')
    void this.#home.ask((ledger) => ledger.end({ bucket: ledger.bucketOf(this.line), id: session })).catch(() => {})
    return found[0] === true
  }

  protected watch({ lease, grants }: Taken<L>): void {
    for (const grant of grants) this.#home.watch(lease, grant)
  }
  protected now(): number {
    return this.#home.clock.monotonicMs()
  }

  #terms(options: O, waitMs: number): TakeTerms {
    const { kind, name, reentrant } = this.#shape
    const wish = options === this.own ? this.#usual : this.#wishOf(options)
    if (wish.detached) this.#home.require('detached', 'a detached lease')
    if (options.fair === true) this.#home.require('order', 'first come, first served (fair)')
    if (kind === 'semaphore' && !wish.slot) this.#home.require('permits', 'a permit without a slot')
    const parent = options.within === undefined ? null : parentOf(options.within, this.#home)
    const within = parent === null ? null : checkParent(parent, this.line, wish)
    return { kind, name, line: this.line, wish, waitMs, signal: options.signal, within, reentrant }
  }

  #wishOf(options: O): Wish {
    const { weight, capacity, shared, slot, value, alone = false } = this.#shape.wish(options)
    const detached = options.detached ?? false
    const maxHoldMs = options.maxHold === undefined ? null : parseDuration('maxHold', options.maxHold)
    if (detached && maxHoldMs === null) {
      throw new TypeError('maxHold must be given for a detached lease: nobody else would end it')
    }
    const own = alone || detached || options.fair === true || !this.#home.settings.front
    return { weight, capacity, shared, slot, value, maxHoldMs, label: options.label ?? null, detached, alone: own }
  }
}

function refused(
  settled: Exclude<Settled, { kind: 'granted' }>,
  sinceMs: number,
): Exclude<TakeResult<never>, { kind: 'granted' }> {
  return settled.kind === 'busy' ? { kind: 'busy', holder: settled.holder, sinceMs } : settled
}

/** @throws {TypeError} when it is no lease of this Holdfast object */
function parentOf(within: unknown, home: Home): Grant {
  const grant = grantOf(within)
  if (grant !== undefined && grant.hold.keeper === home.engine?.keeper) return grant
  throw new TypeError(`within must be a lease of this Holdfast object, not ${show(within)}`)
}

/** Ids are made by the library: session, dot, number. Anything else was never a detached lease. */
const LEASE_ID = /^[0-9a-v]{16}\.[0-9a-v]{8}$/
