/** A store to lock in, from `memory()`, `sqlite(file)`, … */
interface Backend {
  readonly kind: string;
}

/**
* The least that is needed of a SQLite driver, which `DatabaseSync` of node:sqlite and the classes of better-sqlite3
* and libsql all have. Values are bound by position, for the three disagree on names.
*/
type SqliteValue = string | number | null;
interface SqliteStatement {
  run(...values: SqliteValue[]): unknown;
  get(...values: SqliteValue[]): unknown;
  all(...values: SqliteValue[]): unknown[];
}
/** A synchronous database object: `DatabaseSync` of node:sqlite, or a `Database` of better-sqlite3 or libsql. */
interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  close(): unknown;
}

/**
* A store in a SQLite file, or inside a database that is open already.
*
* A file is made when it is first used; what it is next to, and its folder, must be on a local disk. It is named from
* the current folder at once. A database object stays its owner's: it is never closed, none of its settings change,
* and while its owner has a transaction open on it, locks wait. The library's tables begin with `hf_`.
*
* What is *not* promised: a process that is stopped in the middle of a transaction stops everybody on the file, and
* who deletes the file takes the locks away from those who hold them; they learn it at their next request.
*
* @throws {TypeError} no path and no database object @throws {RangeError} a path that no file can have
*/
declare function sqlite(fileOrDatabase: string | SqliteDatabase): Backend;

export { type Backend, type SqliteDatabase, type SqliteStatement, type SqliteValue, sqlite };
