/**
 * An open claim of this process and the grants that use it now: one for a mutex, any number for readers, and nested
 * grants beside their parents. It outlives a grant only to be handed to the next.
 */
import type { LossReason } from '../errors.ts'
import type { Claim } from '../keeper/claim.ts'
import type { Keeper } from '../keeper/keeper.ts'
import { partsOf } from '../names.ts'
import { COUNT_MAX, Grant } from './grant.ts'
import type { Wish } from './task.ts'

export interface HoldOwner {
  readonly keeper: Keeper
  /** The last grant of it has ended. */
  freed(hold: Hold): void
  began(grant: Grant): void
  ended(grant: Grant): void
}

export class Hold {
  readonly claim: Claim
  readonly owner: HoldOwner
  /** Never handed on. */
  readonly alone: boolean
  /** A question about it is on its way; it is neither granted nor left until the answer. */
  preparing = false
  /** It has been kept for the last who waits until all who might come back were there. */
  rested = false
  /** Being left, or lost. */
  over = false
  /** Hand-overs since others were seen waiting. */
  passes = 0
  /** When the claim was last known to have nobody waiting behind it, or opened. */
  baseMs: number
  /** The maxHold that the store was told since the last grant; null: nothing was. */
  stampedMs: number | null = null
  /** Kept free for the next local task until then. */
  lingerUntilMs: number | null = null
  /** Settled when the store has confirmed its leave. */
  leaving: Promise<boolean> | null = null
  /** Most holds have one user, and with many holds each word counts. */
  #users: Grant | Set<Grant> | null = null
  readonly #lock: boolean
  #count = -1

  constructor(owner: HoldOwner, claim: Claim, nowMs: number, alone: boolean) {
    this.owner = owner
    this.claim = claim
    this.alone = alone
    this.#lock = this.kind === 'lock'
    this.baseMs = claim.contended ? Math.floor(nowMs) : claim.freshMs
  }

  get used(): boolean {
    return this.#users instanceof Set ? this.#users.size > 0 : this.#users !== null
  }
  /** A copy: users may leave while it is gone through. */
  get users(): readonly Grant[] {
    if (this.#users instanceof Set) return [...this.#users]
    return this.#users === null ? [] : [this.#users]
  }
  get keeper(): Keeper {
    return this.owner.keeper
  }
  get name(): string {
    return partsOf(this.claim.line).name
  }
  get kind(): string {
    return partsOf(this.claim.line).kind
  }
  /** It has been granted to nobody yet. */
  get fresh(): boolean {
    return this.#count < 0
  }
  /** No number is left for another holder. A writer keeps one back for its downgrade. */
  get exhausted(): boolean {
    return this.#count >= (this.#lock && !this.shared ? COUNT_MAX - 1 : COUNT_MAX)
  }
  get shared(): boolean {
    return this.claim.weight < this.claim.wish.capacity && this.#lock
  }

  standing(): 'live' | 'suspect' | 'lost' {
    return this.keeper.check(this.claim)
  }
  /** Beyond doubt, and its session has enough left to hand it on. */
  lasts(): boolean {
    const { session, end, doubted } = this.claim
    if (session === null || !session.hasThird()) return false
    return end === null ? !doubted : this.standing() === 'live'
  }
  validForMs(): number {
    return this.keeper.leftMs(this.claim)
  }

  /** A new holder: a new grant with a higher fence. */
  grant(wish: Pick<Wish, 'label' | 'maxHoldMs' | 'shared'>, waitedMs: number, nowMs: number): Grant {
    this.#count++
    this.stampedMs = null
    this.rested = false
    return this.#add(wish, waitedMs, nowMs, null)
  }

  /** A relative of a holder: it writes under the same fence, since parent and child are one to the resource. */
  nest(parent: Grant, wish: Pick<Wish, 'label' | 'maxHoldMs' | 'shared'>, waitedMs: number, nowMs: number): Grant {
    return this.#add(wish, waitedMs, nowMs, parent)
  }

  #add(
    wish: Pick<Wish, 'label' | 'maxHoldMs' | 'shared'>,
    waitedMs: number,
    nowMs: number,
    parent: Grant | null,
  ): Grant {
    const grant = new Grant(this, {
      count: parent?.count ?? this.#count,
      label: wish.label,
      sinceMs: nowMs,
      waitedMs,
      endMs: this.#endOf(wish.maxHoldMs, nowMs, parent),
      parent,
      shared: wish.shared,
    })
    if (this.#users === null) this.#users = grant
    else if (this.#users instanceof Set) this.#users.add(grant)
    else this.#users = new Set([this.#users, grant])
    this.owner.began(grant)
    return grant
  }

  /** The earlier of its own end and its parent's. */
  #endOf(maxHoldMs: number | null, nowMs: number, parent: Grant | null): number | null {
    const own = maxHoldMs === null ? Number.POSITIVE_INFINITY : nowMs + maxHoldMs
    const end = Math.min(own, parent?.endMs ?? Number.POSITIVE_INFINITY)
    return end === Number.POSITIVE_INFINITY ? null : end
  }

  /** Gives one grant back. False: it had ended before. */
  release(grant: Grant): boolean {
    grant.check()
    if (grant.state !== 'held') return false
    this.#remove(grant, 'released', null)
    return true
  }

  /** The grant's own end has come. */
  expire(grant: Grant): void {
    this.#remove(grant, 'lost', 'max-hold')
  }

  /** The claim is gone: everybody who used it has lost it. */
  lose(reason: LossReason): void {
    this.over = true
    for (const grant of this.users) this.#take(grant, 'lost', reason)
  }

  #remove(grant: Grant, state: 'released' | 'lost', reason: LossReason | null): void {
    this.#take(grant, state, reason)
    if (!this.used) this.owner.freed(this)
  }

  #take(grant: Grant, state: 'released' | 'lost', reason: LossReason | null): void {
    if (grant.state !== 'held') return
    if (this.#users instanceof Set) this.#users.delete(grant)
    else if (this.#users === grant) this.#users = null
    grant.end(state, reason)
    this.owner.ended(grant)
  }
}
