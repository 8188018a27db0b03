/**
 * The tables, and what is checked and done before a file is used: its layout, whether the machine was started again
 * since, and that changes go through the write-ahead log.
 *
 * Durability is SQLite's NORMAL for the log: a commit is not forced to the disk. What a loss of power can take are the
 * last commits, never the soundness of the file. That is enough here: with the machine every holder has died too. The
 * next start has another boot id, so every session in the file is dead, and `last` is raised above all numbers that
 * can have been given out, so fences rise although some of them were forgotten.
 */
import { BackendRefusedError } from '../../errors.ts'
import { pragma, query, type SqliteDatabase } from './database.ts'

/** Raised with every change of the tables; files of another layout are refused, newer and older alike. */
const LAYOUT = 2

/** 'HFLK': marks a file that is ours alone. */
const APPLICATION_ID = 0x48464c4b

/** Small pages: a change writes whole pages to the log, and our rows are short. */
const PAGE_BYTES = 1024
/** The log is copied back when it has about 4 MB. */
const CHECKPOINT_PAGES = 4000

// Moments (…_ms) are on the boot clock. A session whose end is −1 was ended: nothing makes it live again.
//
// A commit writes whole pages, so what one step changes is kept together, in hf_entry: the last number of a namespace,
// the claims in the order of their lines, and the ids by which they are found, alone or all of a session. They are read
// as hf_number, hf_claim and hf_claim_id. An id comes and goes with its claim; claims are removed by their ids. The two
// indexes have an entry only while a claim waits.
const TABLES = `
create table hf_store (one integer primary key check (one = 1), layout integer not null, boot text not null,
  wall_offset_ms real not null);
create table hf_space (ns integer primary key, name text not null unique, max_ttl_ms real, quarantine integer,
  moves integer not null);
create table hf_session (ns integer not null, id text not null, ends_ms real not null, seen_ms real not null,
  host text not null, pid integer not null, revoked text, revoked_until_ms real, primary key (ns, id)) without rowid;

create table hf_entry (ns integer not null, kind integer not null, name text not null, seq integer not null,
  number integer, grace_ms real, id text, session text, weight integer, capacity integer, open integer, slot integer,
  dead_ms real, hold_ms real, flags integer not null default 0, tried_ms real not null default 0, label text,
  value text, since_ms real, primary key (ns, kind, name, seq)) without rowid;
create view hf_number as select ns, number as last, grace_ms from hf_entry where kind = 0;
create view hf_claim_id as select ns, name as id, session, id as line, number as seq from hf_entry where kind = 1;
create view hf_claim as select ns, name as line, seq, id, session, weight, capacity, open, slot, dead_ms, hold_ms,
  flags, tried_ms, label, value, since_ms from hf_entry where kind = 2;
create trigger hf_claim_in after insert on hf_entry when new.kind = 2 begin
  insert into hf_entry (ns, kind, name, seq, session, id, number)
    values (new.ns, 1, new.id, 0, new.session, new.name, new.seq);
end;
create trigger hf_claim_out after delete on hf_entry when old.kind = 1 begin
  delete from hf_entry where ns = old.ns and kind = 2 and name = old.id and seq = old.number;
end;
create index hf_entry_closed on hf_entry (ns, name, session) where kind = 2 and open = 0;
create index hf_entry_waiting on hf_entry (ns, name, seq) where kind = 2 and open = 0;

create table hf_cell (ns integer not null, name text not null, value text not null, version integer not null,
  ends_ms real, primary key (ns, name)) without rowid;
create index hf_cell_end on hf_cell (ends_ms) where ends_ms is not null;
create table hf_op (ns integer not null, id text not null, version integer, kept_ms real not null,
  primary key (ns, id)) without rowid;
create index hf_op_end on hf_op (kept_ms);
create table hf_group (ns integer not null, name text not null, era integer not null, count integer not null,
  ends_ms real not null, primary key (ns, name, era)) without rowid;
create table hf_member (ns integer not null, name text not null, era integer not null, member text not null,
  primary key (ns, name, era, member)) without rowid;
`

/** The moment at which a file is opened, and on which start of the machine. */
export interface Start {
  readonly nowMs: number
  readonly wallMs: number
  /** Empty where the system gives no such id. */
  readonly bootId: string
}

interface Header {
  readonly layout: number
  readonly boot: string
}

/**
 * Makes a file that we opened ourselves ready. Nothing is written to one that is not ours.
 *
 * @throws {BackendRefusedError} another layout, or a database of something else
 */
export function prepareFile(database: SqliteDatabase, file: string, start: Start): void {
  database.exec(`pragma busy_timeout = 0; pragma synchronous = normal; pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  if (readHeader(database, file) === null) {
    refuseForeign(database, file)
    database.exec(`pragma page_size = ${PAGE_BYTES}`)
  }
  if (pragma(database, 'journal_mode') !== 'wal' && pragma(database, 'journal_mode = wal') !== 'wal') {
    throw new BackendRefusedError(`${file} cannot have a write-ahead log there: use a local disk`)
  }
  prepareTables(database, file, start, true)
}

/** Makes a database object that was handed in ready. Its settings are its owner's. */
export function prepareObject(database: SqliteDatabase, file: string, start: Start): void {
  readHeader(database, file)
  prepareTables(database, file, start, false)
}

function prepareTables(database: SqliteDatabase, file: string, start: Start, alone: boolean): void {
  if (readHeader(database, file) !== null && !wasRestarted(database, file, start)) return
  database.exec('begin immediate')
  try {
    // Looked at again, for another process may have done it since.
    if (readHeader(database, file) === null) makeTables(database, start, alone)
    else if (wasRestarted(database, file, start)) restart(database, start)
    database.exec('commit')
  } catch (error) {
    rollback(database)
    throw error
  }
}

/** @throws {BackendRefusedError} another layout */
function readHeader(database: SqliteDatabase, file: string): Header | null {
  const known = query(database, "select 1 from sqlite_master where type = 'table' and name = 'hf_store'").get()
  if (known === undefined) return null
  const header = query<Header>(database, 'select layout, boot from hf_store').get()
  if (header === undefined) throw new BackendRefusedError(`${file} has the tables of this library, but no header`)
  if (header.layout !== LAYOUT) {
    throw new BackendRefusedError(
      `${file} has layout ${header.layout}, this version of the library uses layout ${LAYOUT}: use the same version everywhere, another file, or delete this one when nobody uses it`,
    )
  }
  return header
}

/** A path is easily mistyped, and a database is changed by opening it as ours; an object is handed in on purpose. */
function refuseForeign(database: SqliteDatabase, file: string): void {
  // In one statement, so of one moment: a neighbour may be making our tables just now.
  const sql = "select count(*) as n, coalesce(sum(name = 'hf_store'), 0) as ours from sqlite_master"
  const { n: tables = 0, ours = 0 } = query<{ readonly n: number; readonly ours: number }>(database, sql).get() ?? {}
  if (ours > 0) return
  const application = pragma(database, 'application_id')
  if (tables === 0 && (application === 0 || application === APPLICATION_ID)) return
  throw new BackendRefusedError(
    `${file} is the database of something else: name another file, or hand in the open database object to keep locks inside it`,
  )
}

function makeTables(database: SqliteDatabase, start: Start, alone: boolean): void {
  database.exec(TABLES)
  if (alone) database.exec(`pragma application_id = ${APPLICATION_ID}`)
  query(database, 'insert into hf_store (one, layout, boot, wall_offset_ms) values (1, ?, ?, ?)').run(
    LAYOUT,
    start.bootId,
    start.wallMs - start.nowMs,
  )
}

function wasRestarted(database: SqliteDatabase, file: string, start: Start): boolean {
  const stored = readHeader(database, file)?.boot ?? ''
  if (stored !== start.bootId) return true
  if (stored !== '') return false
  const seen =
    query<{ readonly ms: number | null }>(database, 'select max(seen_ms) as ms from hf_session').get()?.ms ?? 0
  return seen > start.nowMs + 1000
}

/**
 * The boot clock began anew: every process that had a session is gone, numbers may have been forgotten, and what ends
 * at a moment of the old clock is given the same moment on the new one, by way of the wall clock.
 */
function restart(database: SqliteDatabase, start: Start): void {
  const offsetMs = start.wallMs - start.nowMs
  const old =
    query<{ readonly ms: number }>(database, 'select wall_offset_ms as ms from hf_store').get()?.ms ?? offsetMs
  const shiftMs = old - offsetMs
  query(database, 'update hf_session set ends_ms = -1, seen_ms = 0').run()
  query(
    database,
    `update hf_entry set grace_ms = case grace_ms when 0 then 0 else grace_ms + ? end, number = max(number, cast(? +
       coalesce((select max_ttl_ms from hf_space p where p.ns = hf_entry.ns), 600000) * 1000 as integer)) where kind = 0`,
  ).run(shiftMs, Math.floor(start.wallMs * 1000))
  query(database, 'update hf_cell set ends_ms = ends_ms + ? where ends_ms is not null').run(shiftMs)
  query(database, 'update hf_op set kept_ms = kept_ms + ?').run(shiftMs)
  query(database, 'update hf_group set ends_ms = ends_ms + ? where ends_ms >= 0').run(shiftMs)
  query(database, 'update hf_store set boot = ?, wall_offset_ms = ?').run(start.bootId, offsetMs)
}

/** A failed transaction may have been rolled back by SQLite already. */
export function rollback(database: SqliteDatabase): void {
  try {
    database.exec('rollback')
  } catch {
    // There is none to roll back.
  }
}
