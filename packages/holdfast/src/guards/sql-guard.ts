/**
 * A guard whose fences are a row beside the data, entered by one conditional update in the caller's transaction. Every
 * update raises the column `checks`, so it always changes something: "no changed row" then means that the condition
 * did not hold, also from a driver that does not count rows that stay as they were.
 */
import { show } from '../duration.ts'
import { BackendRefusedError } from '../errors.ts'
import { checkName } from '../names.ts'
import { requireObject } from '../options.ts'
import { FENCE_END, type Guard, type Stamp, staleFence, stampOf } from './guard.ts'
import { quoted, type SqlDialect, type Statement, statement } from './sql-dialect.ts'

export interface SqlGuardOptions<Tx> {
  readonly dialect: SqlDialect
  /**
   * Executes one statement in the transaction and gives the number of changed rows, whatever the driver calls it.
   * Writing the type of `tx` here, or as `sqlGuard<Transaction>`, is what types the guard.
   */
  readonly run: (tx: Tx, sql: string, params: readonly string[]) => Promise<number>
  /** The table made by `guardTable`; the name is used exactly as written, with a dot after the schema if there is one. */
  readonly table: string
  /** The resource, a row of the table. */
  readonly key: string
}

/**
 * A guard for a resource in a SQL database. All parameters are texts: the key, and fences in decimal.
 *
 * After `enter` the guard's row is locked by the transaction until it ends, so what the same transaction reads and
 * writes is safe from older and newer holders alike. A refusal costs about 65 small statements, because `run` tells
 * nothing but a number of rows.
 *
 * @throws {TypeError | RangeError} naming the option and the value
 */
export function sqlGuard<Tx>(options: SqlGuardOptions<Tx>): Guard<Tx> {
  requireObject('options', options)
  const { dialect, run, table, key } = options
  if (typeof run !== 'function') throw new TypeError(`run must be a function, not ${show(run)}`)
  return new SqlGuard(run, checkName('key', key), statementsOf(dialect, table))
}

interface Statements {
  readonly write: Statement
  readonly read: Statement
  /** Any fence that could refuse the lease is at least `:fence`. */
  readonly writtenOrReadFrom: Statement
  readonly writtenFrom: Statement
  readonly exists: Statement
}

function statementsOf(dialect: SqlDialect, name: string): Statements {
  const update = `UPDATE ${quoted(dialect, name)} SET checks = checks + 1`
  const of = (text: string): Statement => statement(dialect, update + text)
  return {
    write: of(', write_fence = :fence WHERE resource = :key AND write_fence <= :fence AND read_fence <= :fence'),
    read: of(
      ', read_fence = CASE WHEN read_fence < :fence THEN :fence ELSE read_fence END' +
        ' WHERE resource = :key AND write_fence <= :fence',
    ),
    writtenOrReadFrom: of(' WHERE resource = :key AND (write_fence >= :fence OR read_fence >= :fence)'),
    writtenFrom: of(' WHERE resource = :key AND write_fence >= :fence'),
    exists: of(' WHERE resource = :key'),
  }
}

class SqlGuard<Tx> implements Guard<Tx> {
  readonly #run: SqlGuardOptions<Tx>['run']
  readonly #key: string
  readonly #statements: Statements

  constructor(run: SqlGuardOptions<Tx>['run'], key: string, statements: Statements) {
    this.#run = run
    this.#key = key
    this.#statements = statements
  }

  async enter(tx: Tx, lease: Parameters<Guard<Tx>['enter']>[1]): Promise<void> {
    const stamp = stampOf(lease)
    if (await this.#enters(tx, stamp)) return
    // From here on the row is locked by this transaction, so what is read of it stays true.
    if (!(await this.#changes(tx, this.#statements.exists, 0n))) {
      throw new BackendRefusedError(
        `the guarded resource ${show(this.#key)} has no row: insert it before its first use`,
      )
    }
    const stored = await this.#refusedBy(tx, stamp)
    if (stored !== null) throw staleFence(stamp, stored)
    // The rule lets us in. Either the row came between the two looks, or the driver counts in a way of its own; the
    // row is ours now, so the update lands whatever is reported.
    await this.#enters(tx, stamp)
  }

  #enters(tx: Tx, { fence, shared }: Stamp): Promise<boolean> {
    return this.#changes(tx, shared ? this.#statements.read : this.#statements.write, fence)
  }

  /** The stored fence that refuses the lease, found by halving what it can be; null: none does. */
  async #refusedBy(tx: Tx, { fence, shared }: Stamp): Promise<bigint | null> {
    const from = shared ? this.#statements.writtenFrom : this.#statements.writtenOrReadFrom
    let known = fence
    for (let end = FENCE_END; end - known > 1n; ) {
      // The first look decides whether there is anything to find.
      const middle = known === fence ? fence + 1n : (known + end) / 2n
      if (await this.#changes(tx, from, middle)) known = middle
      else if (known === fence) return null
      else end = middle
    }
    return known === fence ? null : known
  }

  async #changes(tx: Tx, { sql, marks }: Statement, fence: bigint): Promise<boolean> {
    const values = { key: this.#key, fence: String(fence) }
    const changed: unknown = await this.#run(
      tx,
      sql,
      marks.map((mark) => values[mark]),
    )
    if (typeof changed === 'number' && changed >= 0) return changed > 0
    throw new TypeError(`run must give the number of changed rows, not ${show(changed)}`)
  }
}
