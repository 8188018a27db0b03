/**
 * Cells and counted sets. An op id is remembered past the moment after which its write is refused anyway, so a repeat
 * never acts twice, whatever happened in between. A set that ended keeps its era until its members are swept.
 */
import type { CellAnswer, CellValue, CellWrite, Timed } from '../../port.ts'
import type { Constants } from '../rules.ts'
import { type Query, query, type SqliteDatabase } from './database.ts'
import { bear, takeNumber } from './space.ts'
import type { Step } from './step.ts'

/** How long an op id is remembered after its write would be too late. */
const KEEP_MS = 60_000

interface GroupRecord {
  readonly era: number
  readonly count: number
  readonly ends_ms: number
}

export class CellSql {
  readonly find: Query<CellValue>
  readonly put: Query<never>
  readonly drop: Query<never>
  readonly findOp: Query<{ readonly version: number | null }>
  readonly addOp: Query<never>
  readonly group: Query<GroupRecord>
  readonly putGroup: Query<never>
  readonly addMember: Query<{ readonly era: number }>
  readonly endGroup: Query<{ readonly era: number }>

  constructor(database: SqliteDatabase) {
    this.find = query(
      database,
      'select value, version from hf_cell where ns = ? and name = ? and coalesce(ends_ms, 9e99) > ?',
    )
    this.put = query(
      database,
      `insert into hf_cell (ns, name, value, version, ends_ms) values (?, ?, ?, ?, ?) on conflict (ns, name)
         do update set value = excluded.value, version = excluded.version, ends_ms = excluded.ends_ms`,
    )
    this.drop = query(database, 'delete from hf_cell where ns = ? and name = ?')
    this.findOp = query(database, 'select version from hf_op where ns = ? and id = ? and kept_ms > ?')
    this.addOp = query(database, 'insert or replace into hf_op (ns, id, version, kept_ms) values (?, ?, ?, ?)')
    this.group = query(
      database,
      'select era, count, ends_ms from hf_group where ns = ? and name = ? order by era desc limit 1',
    )
    this.putGroup = query(
      database,
      `insert into hf_group (ns, name, era, count, ends_ms) values (?, ?, ?, ?, ?) on conflict (ns, name, era)
         do update set count = excluded.count, ends_ms = max(ends_ms, excluded.ends_ms)`,
    )
    this.addMember = query(
      database,
      'insert into hf_member (ns, name, era, member) values (?, ?, ?, ?) on conflict do nothing returning era',
    )
    this.endGroup = query(
      database,
      'update hf_group set ends_ms = -1 where ns = ? and name = ? and ends_ms > ? returning era',
    )
  }
}

export function getCell(step: Step, name: string): CellValue | null {
  const cell = step.sql.cell.find.get(step.ns, name, step.nowMs)
  return cell === undefined ? null : { value: cell.value, version: cell.version }
}

/** Who uses the namespace, for a cell that is written before anybody has opened a session in it. */
export interface Owner extends Constants {
  readonly namespace: string
}

export function setCell(step: Step, owner: Owner, name: string, value: string, write: CellWrite): CellAnswer {
  const { nowMs: serverMs, sql } = step
  const before = sql.cell.findOp.get(step.ns, write.opId, serverMs)
  if (before?.version === null) return { serverMs, state: 'refused' }
  if (before !== undefined) return { serverMs, state: 'written', version: before.version }
  if (serverMs > write.notAfterMs) return { serverMs, state: 'too-late' }
  const ns = bear(step, owner.namespace, owner)
  const current = sql.cell.find.get(ns, name, serverMs)?.version ?? null
  const refused = write.ifVersion !== undefined && write.ifVersion !== current
  const version = refused ? null : takeNumber(step, ns, write.minSeq)
  sql.cell.addOp.run(ns, write.opId, version, write.notAfterMs + KEEP_MS)
  if (version === null) return { serverMs, state: 'refused' }
  sql.cell.put.run(ns, name, value, version, write.ttlMs === null ? null : serverMs + write.ttlMs)
  step.hint(name)
  return { serverMs, state: 'written', version }
}

export function addMember(
  step: Step,
  owner: Owner,
  name: string,
  member: string,
  terms: { readonly notAfterMs: number; readonly ttlMs: number },
): Timed & { readonly state: 'counted' | 'too-late'; readonly count: number } {
  const { nowMs: serverMs, sql } = step
  if (serverMs > terms.notAfterMs) return { serverMs, state: 'too-late', count: countMembers(step, name) }
  const ns = bear(step, owner.namespace, owner)
  const latest = sql.cell.group.get(ns, name)
  const live = latest !== undefined && latest.ends_ms > serverMs
  const era = live ? latest.era : (latest?.era ?? 0) + 1
  let count = live ? latest.count : 0
  if (sql.cell.addMember.get(ns, name, era, member) !== undefined) {
    count += 1
    sql.cell.putGroup.run(ns, name, era, count, serverMs + terms.ttlMs)
    step.hint(name)
  }
  return { serverMs, state: 'counted', count }
}

export function countMembers(step: Step, name: string): number {
  const group = step.sql.cell.group.get(step.ns, name)
  return group === undefined || group.ends_ms <= step.nowMs ? 0 : group.count
}

export function removeCell(step: Step, name: string): void {
  const { sql, ns, nowMs } = step
  const had = getCell(step, name) !== null
  sql.cell.drop.run(ns, name)
  const group = sql.cell.endGroup.get(ns, name, nowMs)
  if (had || group !== undefined) step.hint(name)
}
