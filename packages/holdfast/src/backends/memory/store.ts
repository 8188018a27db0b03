/**
 * One namespace of the memory store: every question of the port, decided in one plain synchronous step. This is the
 * reference that the other backends are held against. A simulation may drive it directly, with its own clock, take its
 * data away with `lose` and count what is left with `census`.
 *
 * Long because every question is decided here, and a reader should find them side by side.
 */
import type { Clock } from '../../clock.ts'
import type {
  AmendAnswer,
  Amendment,
  AskAnswer,
  AuditRow,
  BeatAnswer,
  BeatTerms,
  ClaimDraft,
  ClaimKey,
  Closed,
  EnterAnswer,
  EnterTerms,
  LineRow,
  Open,
  Opened,
  SessionDraft,
  SessionGone,
  Standing,
  Timed,
} from '../../port.ts'
import {
  birthSeq,
  type Constants,
  nextSeq,
  refuseSeq,
  requireClaim,
  requireHold,
  requireSame,
  requireSession,
  requireSmaller,
  riseMs,
} from '../rules.ts'
import { Book, firstAbove, type Moment, setEnd } from './book.ts'
import { CellStore } from './cell-store.ts'
import {
  byBytes,
  type Claim,
  holderOf,
  isContended,
  isLive,
  type Line,
  liveClaims,
  mayOpen,
  needsSettling,
  rowOf,
  type Session,
  standingOf,
} from './line.ts'

export class Store {
  readonly #clock: Pick<Clock, 'monotonicMs' | 'wallMs'>
  readonly #onHint: (what: string) => void
  #book: Book
  #cells: CellStore
  /** Null until somebody opens a session: then the namespace is new, or has lost its data. */
  #constants: Constants | null = null
  /** The highest number given out; never lowered, never deleted. */
  #last = 0
  #graceUntilMs = Number.NEGATIVE_INFINITY

  constructor(clock: Pick<Clock, 'monotonicMs' | 'wallMs'>, onHint: (what: string) => void) {
    this.#clock = clock
    this.#onHint = onHint
    this.#book = new Book(onHint)
    this.#cells = new CellStore(clock, onHint)
  }

  get cells(): CellStore {
    return this.#cells
  }

  open(constants: Constants & { readonly voter?: boolean }, draft: SessionDraft): Opened {
    const { nowMs, wallMs } = this.#moment()
    requireSession(draft, constants)
    if (this.#constants === null) {
      const { maxTtlMs, quarantine, voter = false } = constants
      this.#constants = { maxTtlMs, quarantine }
      this.#last = birthSeq(this.#last, wallMs, riseMs(constants))
      if (quarantine && (draft.seenBefore || voter)) this.#graceUntilMs = nowMs + maxTtlMs
    } else {
      requireSame(this.#constants, constants)
    }
    this.#last = Math.max(this.#last, draft.minSeq - 1)
    const session = this.#book.sessions.get(draft.id)
    // An entry that is past stays so: a request that comes again, late, must not bring its dead claims back.
    if (session === undefined) this.#book.register(draft, nowMs)
    else if (session.endsAtMs > nowMs) session.endsAtMs = Math.max(session.endsAtMs, nowMs + draft.ttlMs)
    const opened = { serverMs: nowMs }
    return constants.voter ? { ...opened, heldBackMs: Math.max(0, this.#graceUntilMs - nowMs) } : opened
  }

  end(sessionId: string): Timed {
    const moment = this.#moment()
    const session = this.#book.sessions.get(sessionId) ?? this.#book.grave(sessionId)
    if (session !== undefined) {
      this.#book.forget(session)
      for (const line of new Set(session.claims.map((claim) => claim.line))) this.#book.settle(line, moment)
    }
    return { serverMs: moment.nowMs }
  }

  enter(sessionId: string, draft: ClaimDraft, terms: EnterTerms): EnterAnswer {
    requireClaim(sessionId, draft)
    const moment = this.#moment()
    const serverMs = moment.nowMs
    const session = this.#book.alive(sessionId, serverMs)
    if (session === null) return sessionGone(serverMs)
    const earlier = this.#book.claims.get(draft.id)
    if (earlier !== undefined && isLive(earlier, serverMs)) return { serverMs, ...this.#standing(earlier, moment, []) }
    if (serverMs > terms.notAfterMs) return { serverMs, state: 'too-late' }
    const { exactSeq } = terms
    if (exactSeq === undefined && terms.mode === 'try' && moment.heldBack) {
      return { serverMs, state: 'held-back', retryMs: this.#graceUntilMs - serverMs }
    }
    if (earlier !== undefined) this.#book.settle(earlier.line, moment)
    const line = this.#book.lines.get(draft.line)
    if (line !== undefined) this.#book.settle(line, moment)
    if (line !== undefined && terms.mode === 'try' && mayOpen([...line.claims, draft], false) <= line.claims.length) {
      return this.#refuse(line, terms.sliceMs, serverMs)
    }
    if (exactSeq !== undefined) return this.#vote(session, draft, exactSeq, moment)
    this.#last = nextSeq(this.#last, terms.minSeq, moment.wallMs)
    const claim = this.#book.add(session, draft, this.#last, moment)
    this.#book.settle(claim.line, moment, [draft.id])
    return { serverMs, ...standingOf(claim, serverMs, this.#graceUntilMs) }
  }

  ask(sessionId: string, keys: readonly ClaimKey[]): AskAnswer {
    const moment = this.#moment()
    const serverMs = moment.nowMs
    const session = this.#book.alive(sessionId, serverMs)
    if (session === null) return sessionGone(serverMs)
    const asked = keys.map((key) => key.id)
    const standings = keys.map((key): Standing => {
      const claim = this.#own(session, key, serverMs)
      return claim === null ? { state: 'gone' } : this.#standing(claim, moment, asked)
    })
    return { serverMs, state: 'told', standings }
  }

  leave(keys: readonly ClaimKey[]): Timed & { readonly found: readonly boolean[] } {
    const moment = this.#moment()
    const lines = new Set<Line>()
    const found = keys.map((key) => {
      const claim = this.#book.claims.get(key.id)
      if (claim === undefined || claim.line.name !== key.line) return false
      const live = isLive(claim, moment.nowMs)
      this.#book.remove(claim)
      lines.add(claim.line)
      return live
    })
    for (const line of lines) this.#book.settle(line, moment)
    return { serverMs: moment.nowMs, found }
  }

  amend(sessionId: string, key: ClaimKey, change: Amendment): AmendAnswer {
    const moment = this.#moment()
    const serverMs = moment.nowMs
    const session = this.#book.alive(sessionId, serverMs)
    if (session === null) return sessionGone(serverMs)
    const claim = this.#own(session, key, serverMs)
    if (claim === null) return { serverMs, state: 'gone' }
    if (!claim.open) return { serverMs, ...this.#standing(claim, moment, [key.id]) }
    const { weight = claim.weight, maxHoldMs } = change
    requireSmaller(weight, claim.weight)
    if (maxHoldMs === null && claim.draft.detached) throw new RangeError('a detached claim needs a maxHold')
    if (typeof maxHoldMs === 'number') requireHold(maxHoldMs)
    claim.weight = weight
    // Repeated, or overtaken by a newer one: that one's end stands.
    const late = change.order !== undefined && change.order <= claim.amendedOrder
    claim.amendedOrder = Math.max(claim.amendedOrder, change.order ?? 0)
    if (late) return { serverMs, ...standingOf(claim, serverMs, this.#graceUntilMs) }
    if (maxHoldMs !== undefined) setEnd(claim, maxHoldMs, moment)
    if (claim.draft.detached && claim.deadAtMs !== null) session.endsAtMs = claim.deadAtMs
    this.#book.settle(claim.line, moment)
    return { serverMs, ...standingOf(claim, serverMs, this.#graceUntilMs) }
  }

  beat(sessionId: string, terms: BeatTerms): BeatAnswer {
    const { nowMs: serverMs } = this.#moment()
    this.#cells.sweep()
    this.#book.sweep(serverMs)
    const session = this.#book.alive(sessionId, serverMs)
    if (session === null) return sessionGone(serverMs)
    // Never less than before: a beat still under way must not shorten a detached claim that opened meanwhile.
    session.endsAtMs = Math.max(session.endsAtMs, serverMs + terms.ttlMs)
    if (session.revokedUntilMs <= serverMs) session.revoked = []
    const audit: AuditRow[] = []
    for (let at = firstAbove(session.claims, terms.after); audit.length < terms.limit; at++) {
      const claim = session.claims[at]
      if (claim === undefined) break
      if (!isLive(claim, serverMs)) continue
      const contended = isContended(claim.line, session, serverMs)
      audit.push({ id: claim.draft.id, seq: claim.seq, line: claim.line.name, contended })
    }
    return { serverMs, state: 'beaten', audit, revoked: [...session.revoked] }
  }

  evict(name: string, claimId: string | null): Timed & { readonly evicted: number } {
    const moment = this.#moment()
    const line = this.#book.lines.get(name)
    if (line === undefined) return { serverMs: moment.nowMs, evicted: 0 }
    const ended = liveClaims(line, moment.nowMs).filter(
      (claim) => claim.open && (claimId === null || claim.draft.id === claimId),
    )
    for (const claim of ended) {
      claim.session.revoked.push(claim.draft.id)
      // Whoever has no answer to a beat for this long has lost the session itself.
      claim.session.revokedUntilMs = moment.nowMs + (this.#constants?.maxTtlMs ?? 0)
      this.#book.remove(claim)
      this.#onHint(claim.draft.id)
    }
    this.#book.settle(line, moment)
    return { serverMs: moment.nowMs, evicted: ended.length }
  }

  inspect(name: string): LineRow | null {
    const line = this.#book.lines.get(name)
    const live = line === undefined ? [] : liveClaims(line, this.#clock.monotonicMs())
    return live.length === 0 ? null : { line: name, claims: live.map(rowOf) }
  }

  list(prefix: string, after: string, limit: number): readonly LineRow[] {
    return [...this.#book.lines.keys()]
      .filter((name) => name.startsWith(prefix) && byBytes(name, after) > 0)
      .sort(byBytes)
      .map((name) => this.inspect(name))
      .filter((row) => row !== null)
      .slice(0, limit)
  }

  /** A number for a cell, from the same source as those of claims. */
  number(constants: Constants, minSeq: number): number {
    const { wallMs } = this.#moment()
    const last = this.#constants === null ? birthSeq(this.#last, wallMs, riseMs(constants)) : this.#last
    this.#last = nextSeq(last, minSeq, wallMs)
    return this.#last
  }

  /** The store forgets everything, as after a flush: numbers, constants, sessions, claims and cells. */
  lose(): void {
    this.#book = new Book(this.#onHint)
    this.#cells = new CellStore(this.#clock, this.#onHint)
    this.#constants = null
    this.#last = 0
    this.#graceUntilMs = Number.NEGATIVE_INFINITY
  }

  /** How much is recorded, the dead included: all zero once everybody has left and the dead were swept. */
  census(): { readonly sessions: number; readonly claims: number; readonly lines: number; readonly cells: number } {
    const { sessions, graves, claims, lines } = this.#book
    return { sessions: sessions.size + graves.size, claims: claims.size, lines: lines.size, cells: this.#cells.size }
  }

  #moment(): Moment {
    const nowMs = this.#clock.monotonicMs()
    return { nowMs, wallMs: this.#clock.wallMs(), heldBack: this.#graceUntilMs > nowMs }
  }

  /** As a node of a quorum: the number is the taker's, and a store that holds grants back only says so. */
  #vote(session: Session, draft: ClaimDraft, seq: number, moment: Moment): EnterAnswer {
    const { nowMs: serverMs, wallMs, heldBack } = moment
    const refusal = refuseSeq(seq, this.#last, wallMs, this.#constants?.maxTtlMs ?? 0)
    if (refusal !== null) return { serverMs, ...refusal }
    this.#last = seq
    const claim = this.#book.add(session, draft, seq, moment)
    this.#book.settle(claim.line, { ...moment, heldBack: false }, [draft.id])
    const standing = standingOf(claim, serverMs, this.#graceUntilMs)
    if (standing.state === 'closed' || !heldBack) return { serverMs, ...standing }
    return { serverMs, ...standing, heldBackMs: this.#graceUntilMs - serverMs }
  }

  #own(session: Session, key: ClaimKey, nowMs: number): Claim | null {
    const claim = this.#book.claims.get(key.id)
    if (claim === undefined || claim.line.name !== key.line || claim.session !== session) return null
    return isLive(claim, nowMs) ? claim : null
  }

  #standing(claim: Claim, moment: Moment, except: readonly string[]): Open | Closed {
    if (!claim.open && needsSettling(claim.line, moment.nowMs, moment.heldBack)) {
      this.#book.settle(claim.line, moment, except)
    }
    return standingOf(claim, moment.nowMs, this.#graceUntilMs)
  }

  #refuse(line: Line, sliceMs: number, serverMs: number): EnterAnswer {
    const first = line.claims.find((claim) => claim.open)
    if (first !== undefined) {
      first.triedUntilMs = Math.max(first.triedUntilMs, serverMs + sliceMs)
      this.#onHint(first.draft.id)
    }
    return { serverMs, state: 'refused', holder: holderOf(line, serverMs) }
  }
}

function sessionGone(serverMs: number): SessionGone {
  return { serverMs, state: 'session-gone' }
}
