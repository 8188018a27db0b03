/**
 * What people see of lines: live claims only, with who holds them. Plain reads, a bounded number of rows at a time.
 */
import type { ClaimRow, LineRow } from '../../port.ts'
import { type Query, query, type SqliteDatabase } from './database.ts'
import { CLAIM, CLAIMS, type ClaimRecord, DETACHED, LIVE } from './records.ts'
import type { Step } from './step.ts'

/** Rows that one step reads of a line, and lines that one step reads. */
export const VIEW_PAGE = { claims: 1000, lines: 64 } as const

interface ViewRecord extends ClaimRecord {
  readonly host: string
  readonly pid: number
  readonly label: string | null
  readonly value: string | null
  readonly since_ms: number
}

const VIEW = `${CLAIM}, c.label, c.value, c.since_ms, s.host, s.pid`

export class ViewSql {
  readonly holder: Query<ViewRecord>
  readonly page: Query<ViewRecord>
  readonly nextLine: Query<{ readonly line: string }>

  constructor(database: SqliteDatabase) {
    this.holder = query(
      database,
      `select ${VIEW} from ${CLAIMS} where c.ns = ? and c.line = ? and c.open = 1 and ${LIVE} order by c.seq limit 1`,
    )
    this.page = query(
      database,
      `select ${VIEW} from ${CLAIMS} where c.ns = ? and c.line = ? and c.seq > ? and ${LIVE} order by c.seq limit ?`,
    )
    this.nextLine = query(
      database,
      'select line from hf_claim where ns = ? and line > ? and line >= ? order by line limit 1',
    )
  }
}

/** The first open claim of the line, for the one who waits behind it. */
export function holderOf(step: Step, line: string): ClaimRow | null {
  const row = step.sql.view.holder.get(step.ns, line, step.nowMs)
  return row === undefined ? null : rowOf(step, row)
}

/** A page of a line's live claims, those above `after`. */
export function viewClaims(step: Step, line: string, after: number): readonly ClaimRow[] {
  return step.sql.view.page.all(step.ns, line, after, step.nowMs, VIEW_PAGE.claims).map((row) => rowOf(step, row))
}

/** The names of lines above `after` that start with `prefix`, a page of them. */
export function viewLines(step: Step, prefix: string, after: string): readonly string[] {
  const names: string[] = []
  let last = after
  while (names.length < VIEW_PAGE.lines) {
    const name = step.sql.view.nextLine.get(step.ns, last, prefix)?.line
    if (name === undefined || !name.startsWith(prefix)) break
    names.push(name)
    last = name
  }
  return names
}

export function lineOf(line: string, claims: readonly ClaimRow[]): LineRow | null {
  return claims.length === 0 ? null : { line, claims }
}

function rowOf(step: Step, row: ViewRecord): ClaimRow {
  return {
    id: row.id,
    seq: row.seq,
    open: row.open === 1,
    weight: row.weight,
    capacity: row.capacity,
    slot: row.slot,
    detached: (row.flags & DETACHED) !== 0,
    host: row.host,
    pid: row.pid,
    label: row.label,
    value: row.value,
    sinceWallMs: row.since_ms,
    untilWallMs: row.dead_ms === null ? null : step.wallMs + row.dead_ms - step.nowMs,
  }
}
