/**
 * Lines: who stands at the front, who opens, what keeps a claim closed. A line is read from the front only as far as
 * the first claim that must wait, for behind it nothing can open; so a long line costs no more than a short one.
 */
import { blockers, freeSlot, openCount } from '../../admission.ts'
import type { Closed, Open } from '../../port.ts'
import { type Query, query, type SqliteDatabase } from './database.ts'
import { CLAIM, CLAIMS, type ClaimRecord, contended, DETACHED, endOf, SLOT } from './records.ts'
import { graceOf } from './space.ts'
import type { Step } from './step.ts'
import { holderOf } from './view.ts'

/** Rows read at once; doubled as long as the end is not found. */
const PAGE = { first: 8, max: 512 }
/** Dead claims that one step removes. */
const DEAD_MAX = 512
/** How many claims ahead are looked at for what keeps one closed. */
const AHEAD_MAX = 16

export class LineSql {
  readonly enterEmpty: Query<{ readonly last: number }>
  readonly enterEmptyAfter: Query<never>
  readonly add: Query<never>
  /** As `add`, for an open claim without anything special: binding a value costs more than storing it. */
  readonly addPlain: Query<never>
  readonly leaveAlone: Query<never>
  readonly find: Query<ClaimRecord>
  readonly drop: Query<never>
  readonly open: Query<never>
  readonly amend: Query<never>
  readonly setTried: Query<never>
  readonly front: Query<ClaimRecord>
  readonly ahead: Query<ClaimRecord>
  readonly contended: Query<{ readonly contended: number }>

  constructor(database: SqliteDatabase) {
    // The number for a claim that finds its line empty, its session alive and no grace; nothing for any other. The
    // second knows which number was the last: asking what a statement did costs as much as doing it.
    const empty = `ns = ? and grace_ms = 0
      and exists (select 1 from hf_session s where s.ns = hf_space.ns and s.id = ? and s.ends_ms > ?)
      and not exists (select 1 from hf_claim c where c.ns = hf_space.ns and c.line = ?)`
    this.enterEmpty = query(database, `update hf_space set last = max(last + 1, ?) where ${empty} returning last`)
    this.enterEmptyAfter = query(database, `update hf_space set last = ? where ${empty} and last = ?`)
    this.add = query(
      database,
      `insert into hf_claim (ns, line, seq, id, session, weight, capacity, open, slot, dead_ms, hold_ms, flags, label,
         value, since_ms) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.addPlain = query(
      database,
      `insert into hf_claim (ns, line, seq, id, session, weight, capacity, open, since_ms)
         values (?, ?, ?, ?, ?, ?, ?, 1, ?)`,
    )
    // Takes a live claim away that stands alone in its line; no other.
    this.leaveAlone = query(
      database,
      `delete from hf_claim where ns = ? and id = ? and line = ? and coalesce(dead_ms, 9e99) > ?
         and exists (select 1 from hf_session s where s.ns = hf_claim.ns and s.id = hf_claim.session and s.ends_ms > ?)
         and not exists (select 1 from hf_claim o
           where o.ns = hf_claim.ns and o.line = hf_claim.line and o.seq <> hf_claim.seq)`,
    )
    this.find = query(database, `select ${CLAIM} from ${CLAIMS} where c.ns = ? and c.id = ?`)
    this.drop = query(database, 'delete from hf_claim where ns = ? and line = ? and seq = ?')
    this.open = query(
      database,
      'update hf_claim set open = 1, slot = ?, dead_ms = ?, since_ms = ? where ns = ? and line = ? and seq = ?',
    )
    this.amend = query(database, 'update hf_claim set weight = ?, dead_ms = ? where ns = ? and line = ? and seq = ?')
    this.setTried = query(
      database,
      'update hf_claim set tried_ms = max(tried_ms, ?) where ns = ? and line = ? and seq = ?',
    )
    this.front = query(
      database,
      `select ${CLAIM} from ${CLAIMS} where c.ns = ? and c.line = ? and c.seq > ? order by c.seq limit ?`,
    )
    this.ahead = query(
      database,
      `select ${CLAIM} from ${CLAIMS} where c.ns = ? and c.line = ? and c.seq < ? order by c.seq desc limit ?`,
    )
    this.contended = query(
      database,
      `select ${contended('x.ns', 'x.line', 'x.session')} as contended
         from (select ? as ns, ? as line, ? as session) x`,
    )
  }
}

/** The front of a line as far as it matters. */
export interface Front {
  readonly dead: readonly ClaimRecord[]
  /** The live claims that are open or may be, in order. */
  readonly open: readonly ClaimRecord[]
  /** The first live claim that stays closed; null: none does. */
  readonly next: ClaimRecord | null
  readonly graceMs: number
  /** False: so many dead claims stand here that they are removed in several steps. */
  readonly complete: boolean
}

export function readFront(step: Step, line: string): Front {
  const { nowMs, ns, sql } = step
  const graceMs = graceOf(step)
  const dead: ClaimRecord[] = []
  const live: ClaimRecord[] = []
  let after = -1
  for (let limit = PAGE.first; ; limit = Math.min(limit * 4, PAGE.max)) {
    const rows = sql.line.front.all(ns, line, after, limit)
    for (const row of rows) (endOf(row) > nowMs ? live : dead).push(row)
    const count = graceMs > nowMs ? openedBefore(live) : openCount(live)
    const next = live[count] ?? null
    const ended = next !== null || rows.length < limit
    if (ended || dead.length >= DEAD_MAX) return { dead, open: live.slice(0, count), next, graceMs, complete: ended }
    after = rows.at(-1)?.seq ?? after
  }
}

/**
 * Deletes the dead at the front and the entries of their sessions, opens what the rule lets in, and tells those; but
 * not `except`, who is answered. Gives the front as it is then.
 */
export function settle(step: Step, line: string, except: readonly string[] = []): Front {
  const front = readFront(step, line)
  const opening = front.open.some((claim) => claim.open === 0)
  if (front.dead.length === 0 && !opening) return front
  step.requireWriting()
  step.touch(line)
  const { nowMs, ns, sql } = step
  for (const claim of front.dead) sql.line.drop.run(ns, line, claim.seq)
  for (const session of new Set(front.dead.map((claim) => claim.session))) sql.session.bury.run(ns, session, nowMs)
  if (!front.complete) {
    step.hintNear(line)
    return front
  }
  const open: ClaimRecord[] = []
  for (const claim of front.open) {
    open.push(claim.open === 1 ? claim : openClaim(step, claim, open))
    if (claim.open === 0 && !except.includes(claim.id)) step.hint(claim.id)
  }
  return { ...front, dead: [], open }
}

/** What a claim gets when it opens: a slot, its hard end, and when detached a session that ends there too. */
export function grantOf(
  claim: Pick<ClaimRecord, 'flags' | 'hold_ms'>,
  ahead: readonly ClaimRecord[],
  nowMs: number,
): { readonly slot: number | null; readonly dead_ms: number | null } {
  return {
    slot: claim.flags & SLOT ? freeSlot(ahead.map((each) => each.slot)) : null,
    dead_ms: claim.hold_ms === null ? null : nowMs + claim.hold_ms,
  }
}

function openClaim(step: Step, claim: ClaimRecord, ahead: readonly ClaimRecord[]): ClaimRecord {
  const { nowMs, ns, sql, wallMs } = step
  const grant = grantOf(claim, ahead, nowMs)
  sql.line.open.run(grant.slot, grant.dead_ms, wallMs, ns, claim.line, claim.seq)
  endWithClaim(step, claim, grant.dead_ms)
  return { ...claim, ...grant, open: 1 }
}

/** A detached claim's session lives exactly as long as the claim. */
export function endWithClaim(step: Step, claim: Pick<ClaimRecord, 'flags' | 'session'>, deadMs: number | null): void {
  if (claim.flags & DETACHED && deadMs !== null) step.sql.session.setEnd.run(deadMs, step.ns, claim.session)
}

export function openStanding(step: Step, claim: ClaimRecord): Open {
  const { nowMs: now, ns, sql } = step
  return {
    state: 'open',
    seq: claim.seq,
    slot: claim.slot,
    remainingMs: claim.dead_ms === null ? null : claim.dead_ms - now,
    contended: sql.line.contended.get(now, now, now, now, ns, claim.line, claim.session)?.contended === 1,
  }
}

/** `front`: of the settled line. */
export function closedStanding(step: Step, claim: ClaimRecord, front: Front): Closed {
  const ends = blockingEnds(step, claim)
  if (front.graceMs > step.nowMs) ends.push(front.graceMs)
  const [first] = front.open
  return {
    state: 'closed',
    seq: claim.seq,
    first: front.next === null || front.next.seq >= claim.seq,
    recheckMs: ends.length === 0 ? null : Math.min(...ends) - step.nowMs,
    holder: first === undefined ? null : holderOf(step, first),
  }
}

/**
 * When what keeps the claim closed ends. Of a very long line only the nearest part ahead is read: claims there that
 * together keep it closed do so whatever stands before them; if they do not, their ends are early enough to look.
 */
function blockingEnds(step: Step, claim: ClaimRecord): number[] {
  const rows = step.sql.line.ahead.all(step.ns, claim.line, claim.seq, AHEAD_MAX + 1)
  const line = rows.filter((row) => endOf(row) > step.nowMs).reverse()
  const watched = new Set(blockers([...line, claim], line.length))
  const all = watched.size === 0 && rows.length > AHEAD_MAX
  return line.filter((_, position) => all || watched.has(position)).map(endOf)
}

/** While grants are held back, only what is open stays so. */
function openedBefore(live: readonly ClaimRecord[]): number {
  const first = live.findIndex((claim) => claim.open === 0)
  return first === -1 ? live.length : first
}
