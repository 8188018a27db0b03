/**
 * Sessions: opened, beaten and ended. An entry whose session has ended is marked with −1 and stays until its last claim
 * is gone, so that no late request can bring the claims back to life.
 */
import type { AuditRow, BeatAnswer, BeatTerms, SessionDraft, Timed } from '../../port.ts'
import { type Constants, requireSession } from '../rules.ts'
import { type Query, query, type SqliteDatabase } from './database.ts'
import { settle } from './line.ts'
import { CLAIM, type ClaimRecord, contended, IDS, ofSession } from './records.ts'
import { agree, bear, leastNumber } from './space.ts'
import { type Step, Unfinished } from './step.ts'

/** Claims of a session that are removed in one step when it ends. */
const END_MAX = 128
/** Dead rows that one beat removes. */
const SWEEP_MAX = 256

interface Mailbox {
  /** Claim ids as JSON. */
  readonly revoked: string | null
  readonly revoked_until_ms: number | null
}

export class SessionSql {
  readonly find: Query<Mailbox & { readonly ends_ms: number }>
  readonly add: Query<never>
  readonly setEnd: Query<never>
  readonly bury: Query<never>
  readonly drop: Query<never>
  readonly claims: Query<ClaimRecord>
  readonly beat: Query<Mailbox>
  readonly audit: Query<{
    readonly id: string
    readonly seq: number
    readonly line: string
    readonly contended: number
  }>
  readonly setRevoked: Query<never>
  /** Each beat runs the next of these; those that remove claims say from which lines. */
  readonly sweeps: readonly Query<{ readonly ns?: number; readonly line?: string }>[]
  /** Which one is next. */
  turn = 0

  constructor(database: SqliteDatabase) {
    this.find = query(database, 'select ends_ms, revoked, revoked_until_ms from hf_session where ns = ? and id = ?')
    this.add = query(database, 'insert into hf_session (ns, id, ends_ms, seen_ms, host, pid) values (?, ?, ?, ?, ?, ?)')
    this.setEnd = query(database, 'update hf_session set ends_ms = ? where ns = ? and id = ?')
    this.bury = query(database, 'update hf_session set ends_ms = -1 where ns = ? and id = ? and ends_ms <= ?')
    this.drop = query(database, 'delete from hf_session where ns = ? and id = ?')
    this.claims = query(
      database,
      `select ${CLAIM} from ${IDS} left join hf_session s on s.ns = c.ns and s.id = c.session
         where ${ofSession('?', '?')} limit ${END_MAX}`,
    )
    this.beat = query(
      database,
      `update hf_session set ends_ms = max(ends_ms, ?), seen_ms = ? where ns = ? and id = ? and ends_ms > ?
         returning revoked, revoked_until_ms`,
    )
    this.audit = query(
      database,
      `select a.id, a.seq, a.line, ${contended('a.ns', 'a.line', 'a.session')} as contended
         from hf_claim_id i cross join hf_claim a on a.ns = i.ns and a.line = i.line and a.seq = i.seq
         where ${ofSession('?', '?')} and i.id > ? and coalesce(a.dead_ms, 9e99) > ? order by i.id limit ?`,
    )
    this.setRevoked = query(database, 'update hf_session set revoked = ?, revoked_until_ms = ? where ns = ? and id = ?')
    const claims = query<{ readonly ns: number; readonly line: string }>(database, SWEEP_CLAIMS)
    // Claims come every second time: only they stand in somebody's way.
    this.sweeps = SWEEP_OTHERS.flatMap((sql) => [claims, query<Record<string, never>>(database, sql)])
  }
}

// Sweeps take the time. They begin with what has ended, of which there is little, and never look through the rest.

/** Claims of one session that has ended. */
const SWEEP_CLAIMS = `
  with ended (ns, id) as (select s.ns, s.id from hf_session s where s.ends_ms <= ?
    and exists (select 1 from hf_claim_id i where ${ofSession('s.ns', 's.id')}) limit 1)
  delete from hf_entry where ns = (select ns from ended) and kind = 1 and name in
    (select i.id from ended cross join hf_claim_id i where ${ofSession('ended.ns', 'ended.id')} limit ${SWEEP_MAX})
  returning ns, id as line`

const SWEEP_OTHERS = [
  `delete from hf_session as s where s.ends_ms <= ?
     and not exists (select 1 from hf_claim_id i where ${ofSession('s.ns', 's.id')})`,
  `delete from hf_cell where ends_ms <= (select max(ends_ms) from
     (select ends_ms from hf_cell where ends_ms <= ? order by ends_ms limit ${SWEEP_MAX}))`,
  `delete from hf_op where kept_ms <= (select max(kept_ms) from
     (select kept_ms from hf_op where kept_ms <= ? order by kept_ms limit ${SWEEP_MAX}))`,
  `with ended (ns, name, era) as (select g.ns, g.name, g.era from hf_group g where g.ends_ms <= ? and exists
       (select 1 from hf_member m where m.ns = g.ns and m.name = g.name and m.era = g.era) limit 1)
     delete from hf_member where ns = (select ns from ended) and name = (select name from ended)
       and era = (select era from ended) and member in (select m.member from ended cross join hf_member m
         where m.ns = ended.ns and m.name = ended.name and m.era = ended.era limit ${SWEEP_MAX})`,
  `delete from hf_group as g where g.ends_ms <= ? and not exists
     (select 1 from hf_member m where m.ns = g.ns and m.name = g.name and m.era = g.era)`,
]

export function openSession(step: Step, namespace: string, constants: Constants, draft: SessionDraft): Timed {
  requireSession(draft, constants)
  leastNumber(step, draft.minSeq)
  const { sql, nowMs } = step
  const ns = bear(step, namespace, constants)
  agree(step, ns, constants, draft.seenBefore)
  sql.space.raise.run(draft.minSeq - 1, ns)
  const endMs = nowMs + draft.ttlMs + step.grainMs
  const session = sql.session.find.get(ns, draft.id)
  // An entry that is past stays so: a request that comes again, late, must not bring its dead claims back.
  if (session === undefined) sql.session.add.run(ns, draft.id, endMs, nowMs, draft.host, draft.pid)
  else if (session.ends_ms > nowMs) sql.session.setEnd.run(Math.max(session.ends_ms, endMs), ns, draft.id)
  return { serverMs: nowMs }
}

/** Its claims are dead at once; they are removed a bounded number at a time. */
export function endSession(step: Step, id: string): Timed {
  const { sql, ns } = step
  sql.session.setEnd.run(-1, ns, id)
  const claims = sql.session.claims.all(ns, id, id, id)
  for (const claim of claims) {
    sql.line.drop.run(ns, claim.id)
    step.touch(claim.line)
  }
  for (const line of new Set(claims.map((claim) => claim.line))) settle(step, line)
  if (claims.length === END_MAX) throw new Unfinished()
  sql.session.drop.run(ns, id)
  return { serverMs: step.nowMs }
}

export function isAlive(step: Step, id: string): boolean {
  return (step.sql.session.find.get(step.ns, id)?.ends_ms ?? -1) > step.nowMs
}

/** Three statements, however many claims the session has: its own row, a page of the audit, and one sweep. */
export function beatSession(step: Step, id: string, terms: BeatTerms): BeatAnswer {
  const { sql, ns, nowMs: serverMs } = step
  sweep(step)
  // Never less than before: a beat still under way must not shorten a detached claim that opened meanwhile.
  const mailbox = sql.session.beat.get(serverMs + terms.ttlMs + step.grainMs, serverMs, ns, id, serverMs)
  if (mailbox === undefined) return { serverMs, state: 'session-gone' }
  const now = serverMs
  const audit = sql.session.audit
    .all(now, now, now, now, ns, id, id, id, terms.after, now, terms.limit)
    .map((row): AuditRow => ({ id: row.id, seq: row.seq, line: row.line, contended: row.contended === 1 }))
  return { serverMs, state: 'beaten', audit, revoked: lettersOf(mailbox, serverMs) }
}

/**
 * Puts claim ids into the session's mailbox. Every beat repeats it for so long that whoever had no answer to any of
 * those beats has lost the session itself.
 */
export function tellRevoked(step: Step, session: string, claimIds: readonly string[], keepMs: number): void {
  const { sql, ns, nowMs } = step
  const mailbox = sql.session.find.get(ns, session)
  if (mailbox === undefined) return
  sql.session.setRevoked.run(JSON.stringify([...lettersOf(mailbox, nowMs), ...claimIds]), nowMs + keepMs, ns, session)
}

function lettersOf(mailbox: Mailbox, nowMs: number): readonly string[] {
  if (mailbox.revoked === null || (mailbox.revoked_until_ms ?? 0) <= nowMs) return []
  return JSON.parse(mailbox.revoked) as string[]
}

/** Opens nothing: who waits behind the dead knows when they died and asks by itself, or is told to here. */
function sweep(step: Step): void {
  const { session } = step.sql
  const statement = session.sweeps[session.turn++ % session.sweeps.length]
  const touched = statement?.all(step.nowMs) ?? []
  const lines = new Set(touched.map((row) => (row.ns === step.ns ? row.line : undefined)))
  for (const line of lines) if (line !== undefined) step.hintNear(line)
}
