/**
 * The plain data of the memory store, and what can be read off one line of it. Nothing here changes anything.
 * A claim points at its session *object*: when an id is registered again later, the claims of the old one stay dead.
 */
import { blockers, openCount, type Weighed } from '../../admission.ts'
import type { ClaimDraft, ClaimRow, Closed, Open } from '../../port.ts'

export interface Session {
  readonly id: string
  readonly host: string
  readonly pid: number
  /** In rising order of their ids. */
  readonly claims: Claim[]
  endsAtMs: number
  /** Somebody opened a claim past one of ours, or the session was ended: never alive again. */
  gone: boolean
  /** The mailbox: what `evict` ended. Every beat repeats it until then, since the answer of a beat may be lost. */
  revoked: string[]
  revokedUntilMs: number
}

export interface Claim {
  readonly draft: ClaimDraft
  readonly session: Session
  readonly line: Line
  readonly capacity: number
  readonly seq: number
  weight: number
  open: boolean
  slot: number | null
  deadAtMs: number | null
  /** The same moment for people. */
  untilWallMs: number | null
  /** On the claim that was first when a `try` was refused: until then the line counts as contended. */
  triedUntilMs: number
  sinceWallMs: number
  /** Of the newest amendment that was heeded. */
  amendedOrder: number
}

export interface Line {
  readonly name: string
  /** In the order of seq, the dead among them until somebody settles the line. */
  readonly claims: Claim[]
}

/** When the claim ends if nobody beats its session again. */
export function endsAtMs(claim: Claim): number {
  return Math.min(claim.session.endsAtMs, claim.deadAtMs ?? Number.POSITIVE_INFINITY)
}

export function isLive(claim: Claim, nowMs: number): boolean {
  return !claim.session.gone && endsAtMs(claim) > nowMs
}

export function liveClaims(line: Line, nowMs: number): readonly Claim[] {
  return line.claims.filter((claim) => isLive(claim, nowMs))
}

/** How many live claims from the front the rule lets in now; while grants are held back, none. */
export function mayOpen(live: readonly Weighed[], heldBack: boolean): number {
  return heldBack ? 0 : openCount(live)
}

/** Something dead stands in the line, or the rule lets in more than are recorded as open. */
export function needsSettling(line: Line, nowMs: number, heldBack: boolean): boolean {
  const live = liveClaims(line, nowMs)
  return live.length < line.claims.length || live.slice(0, mayOpen(live, heldBack)).some((claim) => !claim.open)
}

/** Others wait here, or tried within the last slice. */
export function isContended(line: Line, session: Session, nowMs: number): boolean {
  return liveClaims(line, nowMs).some(
    (claim) => claim.triedUntilMs > nowMs || (!claim.open && claim.session !== session),
  )
}

/** What a live claim of a settled line is. `graceUntilMs`: until then grants are held back. */
export function standingOf(claim: Claim, nowMs: number, graceUntilMs: number): Open | Closed {
  if (claim.open) {
    return {
      state: 'open',
      seq: claim.seq,
      slot: claim.slot,
      remainingMs: claim.deadAtMs === null ? null : claim.deadAtMs - nowMs,
      contended: isContended(claim.line, claim.session, nowMs),
    }
  }
  const live = liveClaims(claim.line, nowMs)
  const index = live.indexOf(claim)
  const watched = new Set(blockers(live, index))
  const ends = live.filter((_, position) => watched.has(position)).map(endsAtMs)
  if (graceUntilMs > nowMs) ends.push(graceUntilMs)
  return {
    state: 'closed',
    seq: claim.seq,
    first: live.findIndex((ahead) => !ahead.open) === index,
    recheckMs: ends.length === 0 ? null : Math.min(...ends) - nowMs,
    holder: holderOf(claim.line, nowMs),
  }
}

/** The first open claim of the line, for people. */
export function holderOf(line: Line, nowMs: number): ClaimRow | null {
  const first = liveClaims(line, nowMs).find((claim) => claim.open)
  return first === undefined ? null : rowOf(first)
}

export function rowOf(claim: Claim): ClaimRow {
  return {
    id: claim.draft.id,
    seq: claim.seq,
    open: claim.open,
    weight: claim.weight,
    capacity: claim.capacity,
    slot: claim.slot,
    detached: claim.draft.detached,
    host: claim.session.host,
    pid: claim.session.pid,
    label: claim.draft.label,
    value: claim.draft.value,
    sinceWallMs: claim.sinceWallMs,
    untilWallMs: claim.untilWallMs,
  }
}

/** The order of the names' UTF-8 bytes, which differs from that of JavaScript strings above U+FFFF. */
export function byBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const difference = rank(a.charCodeAt(at)) - rank(b.charCodeAt(at))
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** Surrogates stand for characters above all others of 16 bits. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
