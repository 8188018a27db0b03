/**
 * What is done with claims: enter, ask, leave, amend, evict. A claim that finds its line empty, and one that leaves an
 * empty line behind, take a short way of two statements and one; everything else goes by the front of the line.
 */
import { openCount } from '../../admission.ts'
import type {
  AmendAnswer,
  Amendment,
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
import { closedStanding, endWithClaim, grantOf, openOf, openStanding, settle } from './line.ts'
import { type ClaimRecord, DETACHED, endOf, SLOT } from './records.ts'
import { isAlive, tellRevoked } from './session.ts'
import { graceOf, takeNumber } from './space.ts'
import { type Step, Unfinished } from './step.ts'
import { holderOf } from './view.ts'

/** Claims that one step of `evict` ends. */
const EVICT_MAX = 256

export function enter(step: Step, session: SessionKey, draft: ClaimDraft, terms: EnterTerms): EnterAnswer {
  const { nowMs: serverMs } = step
  const seq = serverMs > terms.notAfterMs ? null : numberForEmpty(step, session, draft.line, terms.minSeq)
  if (seq === null) return enterLine(step, session, draft, terms)
  const { slot, dead_ms } = addClaim(step, session, draft, seq, true)
  return {
    serverMs,
    state: 'open',
    seq,
    slot,
    remainingMs: dead_ms === null ? null : dead_ms - step.grainMs - serverMs,
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
  if (earlier !== undefined) sql.line.drop.run(ns, earlier.id)
  const front = settled(step, draft.line, [])
  const open = openOf(front)
  const fits = !heldBack && front.next === null && openCount([...open, draft]) > open.length
  if (terms.mode === 'try' && !fits) return refuse(step, draft.line, terms.sliceMs)
  const seq = takeNumber(step, ns, terms.minSeq)
  const claim = addClaim(step, session, draft, seq, fits)
  return { serverMs, ...(fits ? openStanding(step, claim) : closedStanding(step, claim, front)) }
}

/** Puts the claim's row in. `opens`: at once; else it waits. */
function addClaim(step: Step, session: SessionKey, draft: ClaimDraft, seq: number, opens: boolean): ClaimRecord {
  const { id, line, weight, capacity, label, value } = draft
  const flags = (draft.slot ? SLOT : 0) + (draft.detached ? DETACHED : 0)
  const waiting = { line, flags, hold_ms: draft.maxHoldMs, slot: null, dead_ms: null }
  const { slot, dead_ms } = opens ? grantOf(step, waiting) : waiting
  const open = opens ? 1 : 0
  const owner = session.id
  const { line: lineSql } = step.sql
  if (open === 1 && flags === 0 && draft.maxHoldMs === null && label === null && value === null) {
    lineSql.addPlain.run(step.ns, line, seq, id, owner, weight, capacity, step.wallMs)
  } else {
    const own = [weight, capacity, open, slot, dead_ms, draft.maxHoldMs, flags] as const
    lineSql.add.run(step.ns, line, seq, id, owner, ...own, label, value, step.wallMs)
  }
  const claim = { ...waiting, seq, id, session: owner, weight, capacity, open, slot, dead_ms, ends_ms: null }
  endWithClaim(step, claim, dead_ms)
  if (open === 1) step.touch(line)
  return claim
}

/** A try that found others: the first holder is told, and the line counts as contended for a slice. */
function refuse(step: Step, line: string, sliceMs: number): EnterAnswer {
  const { nowMs: serverMs, ns, sql } = step
  const holder = holderOf(step, line)
  if (holder !== null) {
    sql.line.setTried.run(serverMs + sliceMs, ns, line, holder.seq)
    step.hint(holder.id)
  }
  return { serverMs, state: 'refused', holder }
}

/** Writes only when something is dead ahead of a waiting claim, or more may open; else it is a plain read. */
export function ask(step: Step, session: SessionKey, keys: readonly ClaimKey[]): AskAnswer {
  const { nowMs: serverMs } = step
  if (!isAlive(step, session.id)) return { serverMs, state: 'session-gone' }
  const asked = keys.map((key) => key.id)
  const fronts: Fronts = new Map()
  const standings = keys.map((key): Standing => {
    const claim = ownClaim(step, session, key)
    return claim === null ? { state: 'gone' } : standingOf(step, claim, asked, fronts)
  })
  return { serverMs, state: 'told', standings }
}

export function leave(step: Step, keys: readonly ClaimKey[]): Timed & { readonly found: readonly boolean[] } {
  const { nowMs: serverMs, ns, sql } = step
  const lines = new Set<string>()
  const found = keys.map((key) => {
    const alone = sql.line.leaveAlone.run(ns, key.id, key.line, serverMs)
    if (Number(alone.changes) === 1) {
      step.touch(key.line)
      return true
    }
    const claim = sql.line.find.get(ns, key.id)
    if (claim === undefined || claim.line !== key.line) return false
    sql.line.drop.run(ns, claim.id)
    lines.add(claim.line)
    step.touch(claim.line)
    return endOf(claim) > serverMs
  })
  for (const line of lines) settle(step, line)
  return { serverMs, found }
}

/** Needs no order: the requests of a client are done once each, in the order in which they were made. */
export function amend(step: Step, session: SessionKey, key: ClaimKey, change: Amendment): AmendAnswer {
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
  const dead_ms = typeof maxHoldMs === 'number' ? serverMs + step.grainMs + maxHoldMs : kept
  sql.line.amend.run(weight, dead_ms, ns, claim.line, claim.seq)
  endWithClaim(step, claim, dead_ms)
  settle(step, claim.line)
  return { serverMs, ...openStanding(step, { ...claim, weight, dead_ms }) }
}

/** What `evict` has done so far. */
export interface Eviction {
  /** Null: there is more to do. */
  readonly serverMs: number | null
  readonly evicted: number
  /** The last claim that it looked at, and the last that was open when it began. */
  readonly seq: number
  readonly lastSeq: number
}

/** Ends a bounded number of the claims that were open when it began; `before` is null at first. */
export function evict(
  step: Step,
  line: string,
  claimId: string | null,
  keepMs: number,
  before: Eviction | null,
): Eviction {
  const { nowMs, ns, sql } = step
  const lastSeq = before?.lastSeq ?? sql.line.lastOpen.get(ns, line)?.seq ?? -1
  const page = sql.line.openPage.all(ns, line, before?.seq ?? -1, lastSeq, nowMs, EVICT_MAX)
  const ended = page.filter((claim) => claimId === null || claim.id === claimId)
  for (const [session, ids] of bySession(ended)) tellRevoked(step, session, ids, keepMs)
  for (const claim of ended) {
    sql.line.drop.run(ns, claim.id)
    step.hint(claim.id)
  }
  if (ended.length > 0) step.touch(line)
  settle(step, line)
  const evicted = (before?.evicted ?? 0) + ended.length
  const done = page.length < EVICT_MAX
  return { evicted, seq: page.at(-1)?.seq ?? lastSeq, lastSeq, serverMs: done ? nowMs : null }
}

function bySession(claims: readonly ClaimRecord[]): ReadonlyMap<string, readonly string[]> {
  const ids = new Map<string, string[]>()
  for (const { session, id } of claims) ids.set(session, [...(ids.get(session) ?? []), id])
  return ids
}

function ownClaim(step: Step, session: SessionKey, key: ClaimKey): ClaimRecord | null {
  const claim = step.sql.line.find.get(step.ns, key.id)
  if (claim === undefined || claim.line !== key.line || claim.session !== session.id) return null
  return endOf(claim) > step.nowMs ? claim : null
}

/** Lines that one operation has settled: they need it once. */
type Fronts = Map<string, ReturnType<typeof settle>>

function standingOf(
  step: Step,
  claim: ClaimRecord,
  except: readonly string[],
  fronts: Fronts = new Map(),
): Open | Closed {
  if (claim.open === 1) return openStanding(step, claim)
  const front = fronts.get(claim.line) ?? settled(step, claim.line, except)
  fronts.set(claim.line, front)
  const opened = front.opened.find((each) => each.id === claim.id)
  return opened === undefined ? closedStanding(step, claim, front) : openStanding(step, opened)
}

/** @throws {Unfinished} when there are more of the dead than one step removes */
function settled(step: Step, line: string, except: readonly string[]): ReturnType<typeof settle> {
  const front = settle(step, line, except)
  if (!front.complete) throw new Unfinished()
  return front
}
