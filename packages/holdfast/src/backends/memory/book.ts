/**
 * The sessions and lines of one namespace, and the few steps that change them: enter, remove, settle, forget, sweep.
 * Settling is where death becomes an act: the dead and their sessions' entries are deleted in the step that opens
 * somebody past them.
 */
import { freeSlot } from '../../admission.ts'
import type { ClaimDraft, SessionDraft } from '../../port.ts'
import { isWatched } from '../rules.ts'
import { byBytes, type Claim, isLive, type Line, mayOpen, type Session } from './line.ts'

/** One look at the clocks; a step of the store happens at one moment. */
export interface Moment {
  readonly nowMs: number
  readonly wallMs: number
  /** Data was lost and new grants are held back. */
  readonly heldBack: boolean
}

/** A beat removes at most this many dead claims, so that no step is long. */
const SWEEP_MAX = 64

export class Book {
  readonly sessions: Map<string, Session> = new Map()
  readonly lines: Map<string, Line> = new Map()
  readonly claims: Map<string, Claim> = new Map()
  /** Sessions that are gone and of whose claims some were not met yet. */
  readonly graves: Set<Session> = new Set()
  readonly #onHint: (what: string) => void

  constructor(onHint: (what: string) => void) {
    this.#onHint = onHint
  }

  register(draft: SessionDraft, nowMs: number): void {
    const { id, host, pid } = draft
    const endsAtMs = nowMs + draft.ttlMs
    this.sessions.set(id, { id, host, pid, claims: [], endsAtMs, gone: false, revoked: [], revokedUntilMs: 0 })
  }

  alive(sessionId: string, nowMs: number): Session | null {
    const session = this.sessions.get(sessionId)
    return session !== undefined && session.endsAtMs > nowMs ? session : null
  }

  grave(sessionId: string): Session | undefined {
    return [...this.graves].find(({ id }) => id === sessionId)
  }

  add(session: Session, draft: ClaimDraft, seq: number, moment: Moment): Claim {
    const line: Line = this.lines.get(draft.line) ?? { name: draft.line, claims: [] }
    const claim: Claim = {
      draft,
      session,
      line,
      capacity: draft.capacity,
      seq,
      weight: draft.weight,
      open: false,
      slot: null,
      deadAtMs: null,
      untilWallMs: null,
      triedUntilMs: 0,
      sinceWallMs: moment.wallMs,
      amendedOrder: 0,
    }
    line.claims.push(claim)
    session.claims.splice(firstAbove(session.claims, draft.id), 0, claim)
    this.lines.set(line.name, line)
    this.claims.set(draft.id, claim)
    return claim
  }

  remove(claim: Claim): void {
    this.claims.delete(claim.draft.id)
    claim.session.claims.splice(firstAbove(claim.session.claims, claim.draft.id) - 1, 1)
    if (claim.session.claims.length === 0) this.graves.delete(claim.session)
    claim.line.claims.splice(claim.line.claims.indexOf(claim), 1)
    if (claim.line.claims.length === 0) this.lines.delete(claim.line.name)
    if (isWatched(claim.line.name)) this.#onHint(claim.line.name)
  }

  /** Deletes the dead of the line, opens what the rule lets in, and tells those; but not `except`, who is answered. */
  settle(line: Line, moment: Moment, except: readonly string[] = []): void {
    for (const claim of line.claims.filter((each) => !isLive(each, moment.nowMs))) {
      this.remove(claim)
      if (claim.session.endsAtMs <= moment.nowMs) this.forget(claim.session)
    }
    const count = mayOpen(line.claims, moment.heldBack)
    for (const [index, claim] of line.claims.slice(0, count).entries()) {
      if (claim.open) continue
      open(claim, line.claims.slice(0, index), moment)
      if (!except.includes(claim.draft.id)) this.#onHint(claim.draft.id)
      if (isWatched(line.name)) this.#onHint(line.name)
    }
  }

  /** Takes the session's entry away. Its claims are dead from now on, and are deleted when somebody meets them. */
  forget(session: Session): void {
    session.gone = true
    if (this.sessions.get(session.id) === session) this.sessions.delete(session.id)
    if (session.claims.length > 0) this.graves.add(session)
  }

  /** Deletes claims of sessions that ended. Opens nothing: whoever waits in those lines is told to ask. */
  sweep(nowMs: number): void {
    for (const session of this.sessions.values()) if (session.endsAtMs <= nowMs) this.forget(session)
    const touched = new Set<string>()
    for (let left = SWEEP_MAX; left > 0; left--) {
      const [grave] = this.graves
      const claim = grave?.claims.at(-1)
      if (claim === undefined) break
      this.remove(claim)
      touched.add(claim.line.name)
    }
    for (const name of touched) this.#onHint(name)
  }
}

function open(claim: Claim, ahead: readonly Claim[], moment: Moment): void {
  const { maxHoldMs, slot, detached } = claim.draft
  claim.open = true
  claim.sinceWallMs = moment.wallMs
  setEnd(claim, maxHoldMs, moment)
  if (slot) claim.slot = freeSlot(ahead.map((each) => each.slot))
  if (detached && claim.deadAtMs !== null) claim.session.endsAtMs = claim.deadAtMs
}

export function setEnd(claim: Claim, maxHoldMs: number | null, moment: Moment): void {
  claim.deadAtMs = maxHoldMs === null ? null : moment.nowMs + maxHoldMs
  claim.untilWallMs = maxHoldMs === null ? null : moment.wallMs + maxHoldMs
}

/** Where the first claim with an id above `id` stands in a list in rising order. */
export function firstAbove(claims: readonly Claim[], id: string): number {
  let low = 0
  let high = claims.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const claim = claims[middle]
    if (claim !== undefined && byBytes(claim.draft.id, id) <= 0) low = middle + 1
    else high = middle
  }
  return low
}
