/**
 * What is done with claims: enter, ask, leave, amend, evict. A claim that finds its line empty, and one that leaves an
 * empty line behind, take a short way of two statements and one; everything else goes by the front of the line.
 */
import { openCount } from '../../admission.ts'
import type {
  AmendAnswer,
  AskAnswer,
  ClaimDraft,
  ClaimKey,
  Closed,
  EnterAnswer,
  EnterTerms,
  Open,
  SessionKey,
  Standing,
  Timed,
} from '../../port.ts'
import { nextSeq, requireHold, requireSmaller } from '../rules.ts'
import { closedStanding, endWithClaim, type Front, grantOf, openStanding, readFront, settle } from './line.ts'
import { type ClaimRecord, DETACHED, endOf, SLOT } from './records.ts'
import { isAlive, tellRevoked } from './session.ts'
import { graceOf, takeNumber } from './space.ts'
import { type Step, Unfinished } from './step.ts'
import { holderOf } from './view.ts'

export function enter(step: Step, session: SessionKey, draft: ClaimDraft, terms: EnterTerms): EnterAnswer {
  const { nowMs: serverMs } = step
  const seq = serverMs > terms.notAfterMs ? null : numberForEmpty(step, session, draft.line, terms.minSeq)
  if (seq === null) return enterLine(step, session, draft, terms)
  const { slot, dead_ms } = addClaim(step, session, draft, seq, [])
  return {
    serverMs,
    state: 'open',
    seq,
    slot,
    remainingMs: dead_ms === null ? null : dead_ms - serverMs,
    contended: false,
  }
}

/** A number for a claim of a live session in an empty line; null when it is not so simple. */
function numberForEmpty(step: Step, session: SessionKey, line: string, minSeq: number): number | null {
  const { nowMs, ns, sql } = step
  const { space } = sql
  const next = nextSeq(space.lastHere, minSeq, step.wallMs)
  const { changes } = sql.line.enterEmptyAfter.run(next, ns, session.id, nowMs, line, space.lastHere)
  const row = Number(changes) === 1 ? { last: next } : sql.line.enterEmpty.get(next, ns, session.id, nowMs, line)
  if (row === undefined) return null
  space.lastHere = row.last
  return row.last
}

function enterLine(step: Step, session: SessionKey, draft: ClaimDraft, terms: EnterTerms): EnterAnswer {
  const { nowMs: serverMs, ns, sql } = step
  if (!isAlive(step, session.id)) return { serverMs, state: 'session-gone' }
  const earlier = sql.line.find.get(ns, draft.id)
  if (earlier !== undefined && endOf(earlier) > serverMs) return { serverMs, ...standingOf(step, earlier, []) }
  if (serverMs > terms.notAfterMs) return { serverMs, state: 'too-late' }
  const graceMs = graceOf(step)
  const heldBack = graceMs > serverMs
  if (terms.mode === 'try' && heldBack) return { serverMs, state: 'held-back', retryMs: graceMs - serverMs }
  if (earlier !== undefined) sql.line.drop.run(ns, earlier.line, earlier.seq)
  const front = settled(step, draft.line, [])
  const fits = !heldBack && front.next === null && openCount([...front.open, draft]) > front.open.length
  if (terms.mode === 'try' && !fits) return refuse(step, front, terms.sliceMs)
  const seq = takeNumber(step, ns, terms.minSeq)
  const claim = addClaim(step, session, draft, seq, fits ? front.open : null)
  return { serverMs, ...(fits ? openStanding(step, claim) : closedStanding(step, claim, front)) }
}

/** Puts the claim's row in. `ahead`: it opens at once, behind these; null: it waits. */
function addClaim(
  step: Step,
  session: SessionKey,
  draft: ClaimDraft,
  seq: number,
  ahead: readonly ClaimRecord[] | null,
): ClaimRecord {
  const { id, line, weight, capacity, label, value } = draft
  const flags = (draft.slot ? SLOT : 0) + (draft.detached ? DETACHED : 0)
  const waiting = { flags, hold_ms: draft.maxHoldMs, slot: null, dead_ms: null }
  const { slot, dead_ms } = ahead === null ? waiting : grantOf(waiting, ahead, step.nowMs)
  const open = ahead === null ? 0 : 1
  const owner = session.id
  const { line: lineSql } = step.sql
  if (open === 1 && flags === 0 && draft.maxHoldMs === null && label === null && value === null) {
    lineSql.addPlain.run(step.ns, line, seq, id, owner, weight, capacity, step.wallMs)
  } else {
    const own = [weight, capacity, open, slot, dead_ms, draft.maxHoldMs, flags] as const
    lineSql.add.run(step.ns, line, seq, id, owner, ...own, label, value, step.wallMs)
  }
  const claim = { ...waiting, line, seq, id, session: owner, weight, capacity, open, slot, dead_ms, ends_ms: null }
  endWithClaim(step, claim, dead_ms)
  if (open === 1) step.touch(line)
  return claim
}

/** A try that found others: the first holder is told, and the line counts as contended for a slice. */
function refuse(step: Step, front: Front, sliceMs: number): EnterAnswer {
  const { nowMs: serverMs, ns, sql } = step
  const [first] = front.open
  if (first === undefined) return { serverMs, state: 'refused', holder: null }
  sql.line.setTried.run(serverMs + sliceMs, ns, first.line, first.seq)
  step.hint(first.id)
  return { serverMs, state: 'refused', holder: holderOf(step, first) }
}

/** Writes only when something is dead ahead of a waiting claim, or more may open; else it is a plain read. */
export function ask(step: Step, session: SessionKey, keys: readonly ClaimKey[]): AskAnswer {
  const { nowMs: serverMs } = step
  if (!isAlive(step, session.id)) return { serverMs, state: 'session-gone' }
  const asked = keys.map((key) => key.id)
  const standings = keys.map((key): Standing => {
    const claim = ownClaim(step, session, key)
    return claim === null ? { state: 'gone' } : standingOf(step, claim, asked)
  })
  return { serverMs, state: 'told', standings }
}

export function leave(step: Step, keys: readonly ClaimKey[]): Timed & { readonly found: readonly boolean[] } {
  const { nowMs: serverMs, ns, sql } = step
  const lines = new Set<string>()
  const found = keys.map((key) => {
    const alone = sql.line.leaveAlone.run(ns, key.id, key.line, serverMs, serverMs)
    if (Number(alone.changes) === 1) {
      step.touch(key.line)
      return true
    }
    const claim = sql.line.find.get(ns, key.id)
    if (claim === undefined || claim.line !== key.line) return false
    sql.line.drop.run(ns, claim.line, claim.seq)
    lines.add(claim.line)
    step.touch(claim.line)
    return endOf(claim) > serverMs
  })
  for (const line of lines) settle(step, line)
  return { serverMs, found }
}

export function amend(
  step: Step,
  session: SessionKey,
  key: ClaimKey,
  change: { readonly maxHoldMs?: number | null; readonly weight?: number },
): AmendAnswer {
  const { nowMs: serverMs, ns, sql } = step
  if (!isAlive(step, session.id)) return { serverMs, state: 'session-gone' }
  const claim = ownClaim(step, session, key)
  if (claim === null) return { serverMs, state: 'gone' }
  if (claim.open === 0) return { serverMs, ...standingOf(step, claim, [key.id]) }
  const { weight = claim.weight, maxHoldMs } = change
  requireSmaller(weight, claim.weight)
  if (maxHoldMs === null && claim.flags & DETACHED) throw new RangeError('a detached claim needs a maxHold')
  if (typeof maxHoldMs === 'number') requireHold(maxHoldMs)
  const kept = maxHoldMs === undefined ? claim.dead_ms : null
  const dead_ms = typeof maxHoldMs === 'number' ? serverMs + maxHoldMs : kept
  sql.line.amend.run(weight, dead_ms, ns, claim.line, claim.seq)
  endWithClaim(step, claim, dead_ms)
  settle(step, claim.line)
  return { serverMs, ...openStanding(step, { ...claim, weight, dead_ms }) }
}

export function evict(
  step: Step,
  line: string,
  claimId: string | null,
  keepMs: number,
): Timed & { readonly evicted: number } {
  const { nowMs: serverMs, ns, sql } = step
  // As it stands: a claim that would only now open is not ended before its owner has heard of it.
  const front = readFront(step, line)
  if (!front.complete) settled(step, line, [])
  const ended = front.open.filter((claim) => claim.open === 1 && (claimId === null || claim.id === claimId))
  for (const claim of ended) {
    tellRevoked(step, claim.session, claim.id, keepMs)
    sql.line.drop.run(ns, line, claim.seq)
    step.hint(claim.id)
  }
  if (ended.length > 0) step.touch(line)
  settle(step, line)
  return { serverMs, evicted: ended.length }
}

function ownClaim(step: Step, session: SessionKey, key: ClaimKey): ClaimRecord | null {
  const claim = step.sql.line.find.get(step.ns, key.id)
  if (claim === undefined || claim.line !== key.line || claim.session !== session.id) return null
  return endOf(claim) > step.nowMs ? claim : null
}

function standingOf(step: Step, claim: ClaimRecord, except: readonly string[]): Open | Closed {
  if (claim.open === 1) return openStanding(step, claim)
  const front = settled(step, claim.line, except)
  const opened = front.open.find((each) => each.id === claim.id)
  return opened === undefined ? closedStanding(step, claim, front) : openStanding(step, opened)
}

/** @throws {Unfinished} when there are more of the dead than one step removes */
function settled(step: Step, line: string, except: readonly string[]): Front {
  const front = settle(step, line, except)
  if (!front.complete) throw new Unfinished()
  return front
}
