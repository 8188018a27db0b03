/**
 * One session of one bucket: everything of this process that lives and dies together. It knows its claims, in the
 * order of their ids, and its end; who beats it and what follows from its loss is the keeper's business.
 */
import type { Clock } from '../clock.ts'
import type { AuditRow, SessionKey } from '../port.ts'
import type { Claim } from './claim.ts'
import { type Standing, type Start, Tenure, TenureWriter } from './tenure.ts'

/** `unknown`: its `open` failed. It may be there all the same, but is not used. */
export type SessionState = 'opening' | 'unknown' | 'live' | 'lost' | 'detached'

/** Width of the rising part of a claim id: 32^8 claims a session. */
const COUNTER_DIGITS = 8

export class Session implements SessionKey {
  readonly bucket: number
  readonly id: string
  readonly ttlMs: number
  readonly tenure: Tenure
  state: SessionState = 'opening'
  /** Settles as its `open` does. */
  opened: Promise<unknown> = Promise.resolve()
  /** In the order in which they were made, which is that of their ids. */
  readonly claims: Map<string, Claim> = new Map()
  /** Claims to ask about. */
  readonly dirty: Set<Claim> = new Set()
  asking = false
  /** Of the store, in which the claims were last known to stand. */
  era: string | undefined
  /** The id up to which the audit has gone in its present round. */
  auditedTo = ''
  #audit: Iterator<Claim> | null = null
  #peeked: Claim | null = null
  #made = 0
  readonly #writer: TenureWriter

  constructor(clock: Clock, bucket: number, id: string, ttlMs: number) {
    this.bucket = bucket
    this.id = id
    this.ttlMs = ttlMs
    this.tenure = new Tenure(clock, ttlMs)
    this.#writer = new TenureWriter(this.tenure.buffer, 0)
  }

  nextClaimId(): string {
    return `${this.id}.${(this.#made++).toString(32).padStart(COUNTER_DIGITS, '0')}`
  }

  /** Confirmed by an answer to a request that was about to be sent at `start`. */
  confirm(start: Start): void {
    this.#writer.write(start)
    if (this.state === 'opening') this.state = 'live'
  }

  /** Its `open` has failed. If it came to be all the same, that is about now. */
  giveUp(start: Start): void {
    if (this.state !== 'opening') return
    this.#writer.write(start)
    this.state = 'unknown'
  }

  standing(): Standing {
    if (this.state === 'detached') return 'live'
    if (this.state !== 'live') return 'lost'
    return this.tenure.standing()
  }

  /** Nothing of it is in the store any more, as far as we know. */
  get isOver(): boolean {
    if (this.state === 'live' || this.state === 'unknown') return this.tenure.standing() === 'lost'
    return this.state === 'lost'
  }

  validForMs(): number {
    if (this.state === 'detached') return Number.POSITIVE_INFINITY
    return this.state === 'live' ? this.tenure.leftMs() : 0
  }

  /** Enough left to send a take or to hand a grant on. */
  hasThird(): boolean {
    return this.validForMs() >= this.ttlMs / 3
  }

  /**
   * Holds one page of the store's list against ours: claims of ours that the store lacks, and its claims that we do
   * not know. Claims confirmed after the beat was sent are left out, for the page cannot have them.
   */
  compare(
    after: string,
    rows: readonly AuditRow[],
    limit: number,
    sentMs: number,
  ): { missing: Claim[]; strangers: AuditRow[] } {
    if (after !== this.auditedTo || this.#audit === null) this.#rewind(after)
    const complete = rows.length < limit
    const last = complete ? null : (rows.at(-1)?.id ?? after)
    const byId = new Map(rows.map((row) => [row.id, row]))
    const missing: Claim[] = []
    for (let claim = this.#next(last); claim !== null; claim = this.#next(last)) {
      const row = byId.get(claim.id)
      const standing = claim.state === 'open' || claim.state === 'closed'
      if (standing && claim.confirmedMs !== null && claim.confirmedMs < sentMs && row?.seq !== claim.seq)
        missing.push(claim)
    }
    this.auditedTo = last ?? ''
    if (last === null) this.#audit = null
    return { missing, strangers: rows.filter((row) => !this.claims.has(row.id)) }
  }

  #rewind(after: string): void {
    this.#audit = this.claims.values()
    this.#peeked = null
    while (this.#next(after) !== null);
  }

  /** The next claim whose id is not above `last`; null when there is none. */
  #next(last: string | null): Claim | null {
    this.#peeked ??= this.#audit?.next().value ?? null
    const claim = this.#peeked
    if (claim === null || (last !== null && claim.id > last)) return null
    this.#peeked = null
    return claim
  }
}
