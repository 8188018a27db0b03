/**
 * Lines: who stands at the front, who opens, what keeps a claim closed. The open claims of a line stand before all that
 * wait, so they are summed up in one row; of those that wait, only the first that stays closed is read, for behind it
 * nothing can open. A long line costs no more than a short one.
 *
 * `constructor` is long because it lists the statements, each prepared once.
 */
import { blockers, freeSlot, openCount, type Weighed } from '../../admission.ts'
import type { Closed, Open } from '../../port.ts'
import { type Query, query, type SqliteDatabase } from './database.ts'
import { CLAIM, CLAIMS, type ClaimRecord, contended, DETACHED, endOf, IDS, LIVE, SLOT } from './records.ts'
import { endedGrace, NUMBER } from './space.ts'
import type { Step } from './step.ts'
import { holderOf } from './view.ts'

/** Waiting claims read at once; more as long as the end is not found. */
const PAGE = { first: 4, max: 512 }
/** Dead claims that one step removes. */
const DEAD_MAX = 512
/** How many claims ahead are looked at for what keeps one closed. */
const AHEAD_MAX = 16

interface Summary {
  /** The number of the first claim that waits, dead or not; 9e15: none does. */
  readonly waiting: number
  readonly rows: number
  readonly live: number
  readonly weight: number | null
  readonly capacity: number | null
  readonly grace_ms: number | null
}

/** Where a claim's id is, and where the claim itself. */
const ID = 'ns = ? and kind = 1 and name = ? and seq = 0'
const ROW = 'ns = ? and kind = 2 and name = ? and seq = ?'

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
  readonly summary: Query<Summary>
  readonly deadOpen: Query<ClaimRecord>
  readonly waiting: Query<ClaimRecord>
  readonly lastOpen: Query<{ readonly seq: number }>
  readonly openPage: Query<ClaimRecord>
  readonly slots: Query<{ readonly slot: number }>
  readonly ahead: Query<ClaimRecord>
  readonly contended: Query<{ readonly contended: number }>

  constructor(database: SqliteDatabase) {
    // The number for a claim that finds its line empty, its session alive and no grace; nothing for any other. The
    // second knows which number was the last: asking what a statement did costs as much as doing it.
    const empty = `${NUMBER} and grace_ms = 0
      and exists (select 1 from hf_session s where s.ns = hf_entry.ns and s.id = ? and s.ends_ms > ?)
      and not exists (select 1 from hf_claim c where c.ns = hf_entry.ns and c.line = ?)`
    this.enterEmpty = query(
      database,
      `update hf_entry set number = max(number + 1, ?) where ${empty} returning number as last`,
    )
    this.enterEmptyAfter = query(database, `update hf_entry set number = ? where ${empty} and number = ?`)
    this.add = query(
      database,
      `insert into hf_entry (ns, kind, name, seq, id, session, weight, capacity, open, slot, dead_ms, hold_ms, flags,
         label, value, since_ms) values (?, 2, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.addPlain = query(
      database,
      `insert into hf_entry (ns, kind, name, seq, id, session, weight, capacity, open, since_ms)
         values (?, 2, ?, ?, ?, ?, ?, ?, 1, ?)`,
    )
    // Takes a live claim away that stands alone in its line; no other.
    this.leaveAlone = query(
      database,
      `delete from hf_entry where ${ID} and id = ? and exists (select 1 from ${CLAIMS}
           where c.ns = hf_entry.ns and c.line = hf_entry.id and c.seq = hf_entry.number and ${LIVE})
         and not exists (select 1 from hf_claim o
           where o.ns = hf_entry.ns and o.line = hf_entry.id and o.seq <> hf_entry.number)`,
    )
    this.find = query(
      database,
      `select ${CLAIM} from ${IDS} left join hf_session s on s.ns = c.ns and s.id = c.session where i.ns = ? and i.id = ?`,
    )
    this.drop = query(database, `delete from hf_entry where ${ID}`)
    this.open = query(database, `update hf_entry set open = 1, slot = ?, dead_ms = ?, since_ms = ? where ${ROW}`)
    this.amend = query(database, `update hf_entry set weight = ?, dead_ms = ? where ${ROW}`)
    this.setTried = query(database, `update hf_entry set tried_ms = max(tried_ms, ?) where ${ROW}`)
    // One row: the live open claims together, how many dead ones are among them, and where the waiting begin.
    this.summary = query(
      database,
      `with x (ns, line, waiting) as (select p.ns, p.line,
           coalesce((select min(w.seq) from hf_claim w where w.ns = p.ns and w.line = p.line and w.open = 0), 9e15)
           from (select ? as ns, ? as line) p)
         select x.waiting, count(c.seq) as rows, coalesce(sum(${LIVE}), 0) as live,
           sum(case when ${LIVE} then c.weight end) as weight, min(case when ${LIVE} then c.capacity end) as capacity,
           (select grace_ms from hf_number where ns = x.ns) as grace_ms
         from x left join hf_claim c on c.ns = x.ns and c.line = x.line and c.seq < x.waiting
           left join hf_session s on s.ns = c.ns and s.id = c.session`,
    )
    this.deadOpen = query(
      database,
      `select ${CLAIM} from ${CLAIMS} where c.ns = ? and c.line = ? and c.seq < ? and not ${LIVE} limit ${DEAD_MAX}`,
    )
    this.waiting = query(
      database,
      `select ${CLAIM} from ${CLAIMS} where c.ns = ? and c.line = ? and c.seq >= ? order by c.seq limit ?`,
    )
    this.lastOpen = query(
      database,
      `select o.seq from hf_claim o where o.ns = ? and o.line = ? and o.seq < coalesce((select min(w.seq) from hf_claim w
         where w.ns = o.ns and w.line = o.line and w.open = 0), 9e15) order by o.seq desc limit 1`,
    )
    this.openPage = query(
      database,
      `select ${CLAIM} from ${CLAIMS} where c.ns = ? and c.line = ? and c.seq > ? and c.seq <= ? and c.open = 1
         and ${LIVE} order by c.seq limit ?`,
    )
    this.slots = query(
      database,
      `select c.slot from ${CLAIMS} where c.ns = ? and c.line = ? and c.open = 1 and c.slot is not null and ${LIVE}`,
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
  /** The live claims that are open, as one: their weights together and the smallest capacity among them; or none. */
  readonly open: readonly Weighed[]
  /** Those that wait and may open now, in order. */
  readonly opening: readonly ClaimRecord[]
  /** The first live claim that stays closed; null: none does. */
  readonly next: ClaimRecord | null
  readonly graceMs: number
  /** False: so many dead claims stand here that they are removed in several steps. */
  readonly complete: boolean
}

export function readFront(step: Step, line: string): Front {
  const { nowMs, ns, sql } = step
  const summary = sql.line.summary.get(ns, line, nowMs, nowMs, nowMs)
  if (summary === undefined) throw new Error('a summary has one row')
  const { waiting, rows, live, weight, capacity } = summary
  const graceMs = endedGrace(step, summary.grace_ms ?? 0)
  const open = weight === null || capacity === null ? [] : [{ weight, capacity }]
  const dead = rows > live ? sql.line.deadOpen.all(ns, line, waiting, nowMs) : []
  const queue: ClaimRecord[] = []
  let from = waiting
  for (let limit = PAGE.first; ; limit = Math.min(limit * 4, PAGE.max)) {
    const page = from < Number.MAX_SAFE_INTEGER ? sql.line.waiting.all(ns, line, from, limit) : []
    for (const claim of page) (endOf(claim) > nowMs ? queue : dead).push(claim)
    const count = graceMs > nowMs ? 0 : openCount([...open, ...queue]) - open.length
    const next = queue[count] ?? null
    const ended = next !== null || page.length < limit
    if (ended || dead.length >= DEAD_MAX) {
      return { dead, open, opening: queue.slice(0, count), next, graceMs, complete: ended && dead.length < DEAD_MAX }
    }
    from = (page.at(-1)?.seq ?? from) + 1
  }
}

/**
 * Deletes the dead at the front and the entries of their sessions, opens what the rule lets in, and tells those; but
 * not `except`, who is answered. Gives the front as it was read; `opened` with what the newly open ones got.
 */
export function settle(
  step: Step,
  line: string,
  except: readonly string[] = [],
): Front & { readonly opened: readonly ClaimRecord[] } {
  const front = readFront(step, line)
  if (front.dead.length === 0 && front.opening.length === 0) return { ...front, opened: [] }
  step.requireWriting()
  step.touch(line)
  const { nowMs, ns, sql } = step
  for (const claim of front.dead) sql.line.drop.run(ns, claim.id)
  for (const session of new Set(front.dead.map((claim) => claim.session))) sql.session.bury.run(ns, session, nowMs)
  if (!front.complete) {
    step.hintNear(line)
    return { ...front, opened: [] }
  }
  const opened = front.opening.map((claim) => openClaim(step, claim))
  for (const { id } of opened) if (!except.includes(id)) step.hint(id)
  return { ...front, opened }
}

/** The live open claims of a settled line, those that it opened included. */
export function openOf(front: Front): readonly Weighed[] {
  return [...front.open, ...front.opening]
}

/** What a claim gets when it opens now: a slot, and its hard end. */
export function grantOf(
  step: Step,
  claim: Pick<ClaimRecord, 'line' | 'flags' | 'hold_ms'>,
): { readonly slot: number | null; readonly dead_ms: number | null } {
  const { nowMs, ns, sql } = step
  const taken = claim.flags & SLOT ? sql.line.slots.all(ns, claim.line, nowMs).map((row) => row.slot) : []
  return {
    slot: claim.flags & SLOT ? freeSlot(taken) : null,
    dead_ms: claim.hold_ms === null ? null : nowMs + step.grainMs + claim.hold_ms,
  }
}

function openClaim(step: Step, claim: ClaimRecord): ClaimRecord {
  const { ns, sql, wallMs } = step
  const grant = grantOf(step, claim)
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
    remainingMs: claim.dead_ms === null ? null : claim.dead_ms - step.grainMs - now,
    contended: sql.line.contended.get(now, now, now, now, ns, claim.line, claim.session)?.contended === 1,
  }
}

/** `front`: of the settled line. */
export function closedStanding(step: Step, claim: ClaimRecord, front: Front): Closed {
  const ends = blockingEnds(step, claim)
  if (front.graceMs > step.nowMs) ends.push(front.graceMs)
  return {
    state: 'closed',
    seq: claim.seq,
    first: front.next === null || front.next.seq >= claim.seq,
    recheckMs: ends.length === 0 ? null : Math.min(...ends) - step.nowMs,
    holder: openOf(front).length === 0 ? null : holderOf(step, claim.line),
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
