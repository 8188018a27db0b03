/**
 * A namespace: the constants everybody must agree on, the highest number given out, until when grants are held back,
 * and a count of moves, by which other processes see that something happened they may wait for.
 */
import { birthSeq, type Constants, nextSeq, requireSame, riseMs } from '../rules.ts'
import { type Query, query, type SqliteDatabase } from './database.ts'
import { type Step, UNBORN } from './step.ts'

interface SpaceRecord {
  /** Null until somebody opens a session: then the namespace is new, or has lost its data. */
  readonly max_ttl_ms: number | null
  readonly quarantine: number | null
  readonly last: number
  readonly grace_ms: number
}

/** The row with the last number of a namespace. */
export const NUMBER = "ns = ? and kind = 0 and name = '' and seq = 0"

export class SpaceSql {
  readonly find: Query<{ readonly ns: number }>
  readonly make: Query<{ readonly ns: number }>
  readonly makeNumber: Query<never>
  readonly read: Query<SpaceRecord>
  readonly setConstants: Query<never>
  readonly setNumber: Query<never>
  readonly endGrace: Query<never>
  readonly raise: Query<never>
  readonly next: Query<{ readonly last: number }>
  readonly move: Query<{ readonly moves: number }>
  readonly moves: Query<{ readonly moves: number }>
  readonly dataVersion: Query<{ readonly data_version: number }>
  readonly busyTimeout: Query<{ readonly timeout: number }>
  /** The last number that was given out here. Others may have given higher ones since. */
  lastHere = 0

  constructor(database: SqliteDatabase) {
    this.find = query(database, 'select ns from hf_space where name = ?')
    this.make = query(database, 'insert into hf_space (name, moves) values (?, 0) returning ns')
    this.makeNumber = query(
      database,
      "insert into hf_entry (ns, kind, name, seq, number, grace_ms) values (?, 0, '', 0, ?, 0)",
    )
    this.read = query(
      database,
      'select p.max_ttl_ms, p.quarantine, n.last, n.grace_ms from hf_space p join hf_number n on n.ns = p.ns where p.ns = ?',
    )
    this.setConstants = query(database, 'update hf_space set max_ttl_ms = ?, quarantine = ? where ns = ?')
    this.setNumber = query(database, `update hf_entry set number = ?, grace_ms = ? where ${NUMBER}`)
    this.endGrace = query(database, `update hf_entry set grace_ms = 0 where ${NUMBER}`)
    this.raise = query(database, `update hf_entry set number = max(number, ?) where ${NUMBER}`)
    this.next = query(
      database,
      `update hf_entry set number = max(number + 1, ?) where ${NUMBER} returning number as last`,
    )
    this.move = query(database, 'update hf_space set moves = moves + 1 where ns = ? returning moves')
    this.moves = query(database, 'select moves from hf_space where ns = ?')
    this.busyTimeout = query(database, 'pragma busy_timeout')
    this.dataVersion = query(database, 'pragma data_version')
  }
}

/** Makes the namespace's row if there is none, with numbers above all that a lost one can have given out. */
export function bear(step: Step, namespace: string, constants: Constants): number {
  if (step.ns !== UNBORN) return step.ns
  const row = step.sql.space.make.get(namespace)
  if (row === undefined) throw new Error('a new row was not returned')
  step.sql.space.makeNumber.run(row.ns, birthSeq(0, step.wallMs, riseMs(constants)))
  return row.ns
}

/** Checks the constants, or fixes them when nobody has: then grants are held back if data was lost. */
export function agree(step: Step, ns: number, constants: Constants, seenBefore: boolean): void {
  const space = step.sql.space.read.get(ns)
  if (space === undefined) throw new Error('the row of the namespace is missing')
  if (space.max_ttl_ms !== null) {
    requireSame({ maxTtlMs: space.max_ttl_ms, quarantine: space.quarantine === 1 }, constants)
    return
  }
  const { maxTtlMs, quarantine } = constants
  const last = birthSeq(space.last, step.wallMs, riseMs(constants))
  const graceMs = quarantine && seenBefore ? step.nowMs + maxTtlMs : 0
  step.sql.space.setConstants.run(maxTtlMs, quarantine ? 1 : 0, ns)
  step.sql.space.setNumber.run(last, graceMs, ns)
}

/** Until when nothing opens that was not open; 0 when that is past. */
export function graceOf(step: Step): number {
  return endedGrace(step, step.sql.space.read.get(step.ns)?.grace_ms ?? 0)
}

/** A grace that is past is forgotten, for the short way into an empty line asks for none. */
export function endedGrace(step: Step, graceMs: number): number {
  if (graceMs === 0 || graceMs > step.nowMs) return graceMs
  if (step.writing) step.sql.space.endGrace.run(step.ns)
  return 0
}

export function takeNumber(step: Step, ns: number, minSeq: number): number {
  const row = step.sql.space.next.get(leastNumber(step, minSeq), ns)
  if (row === undefined) throw new Error('the row of the namespace is missing')
  step.sql.space.lastHere = row.last
  return row.last
}

/** What the next number must not be below. @throws {RangeError} when no number from there on would fit a fence */
export function leastNumber(step: Step, minSeq: number): number {
  return nextSeq(0, minSeq, step.wallMs)
}
