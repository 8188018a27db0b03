/**
 * Where the SQL of the three databases differs, and the table that a guard needs. Fences travel as decimal text and
 * are cast to a 64-bit integer in the statement: drivers disagree on bigint parameters, none on text, and without the
 * cast MySQL would compare a text with a number as doubles, to which neighbouring fences are equal.
 */
import { show } from '../duration.ts'

export type SqlDialect = 'sqlite' | 'postgres' | 'mysql'

interface Grammar {
  readonly quote: string
  readonly placeholder: (position: number) => string
  /** Target of a cast from decimal text to a signed integer of 64 bits. */
  readonly castTo: string
  readonly column: string
  /** Compared byte for byte, up to 512 of them. */
  readonly keyColumn: string
}

const GRAMMARS: Readonly<Record<SqlDialect, Grammar>> = {
  sqlite: { quote: '"', placeholder: () => '?', castTo: 'INTEGER', column: 'INTEGER', keyColumn: 'TEXT' },
  postgres: { quote: '"', placeholder: (at) => `$${at}`, castTo: 'BIGINT', column: 'BIGINT', keyColumn: 'TEXT' },
  // A text column of MySQL would fold case or trailing blanks, depending on its collation.
  mysql: { quote: '`', placeholder: () => '?', castTo: 'SIGNED', column: 'BIGINT', keyColumn: 'VARBINARY(512)' },
}

/** One name, or a schema and a name. Nothing that would need an escape inside quotes. */
const TABLE = /^[A-Za-z_][A-Za-z0-9_]{0,62}(\.[A-Za-z_][A-Za-z0-9_]{0,62})?$/

/**
 * The statement that creates a guard's table, if it is not there. Each guarded resource is a row of it, put there by
 * you: `insert into <table> (resource) values (<key>)`.
 *
 * @throws {TypeError | RangeError} naming the option and the value
 */
export function guardTable(dialect: SqlDialect, table: string): string {
  const { column, keyColumn } = grammarOf(dialect)
  const number = `${column} NOT NULL DEFAULT 0`
  return (
    `CREATE TABLE IF NOT EXISTS ${quoted(dialect, table)} (resource ${keyColumn} NOT NULL PRIMARY KEY, ` +
    `write_fence ${number}, read_fence ${number}, checks ${number})`
  )
}

/** The table's name as it may stand in a statement. @throws {TypeError | RangeError} */
export function quoted(dialect: SqlDialect, table: unknown): string {
  if (typeof table !== 'string') throw new TypeError(`table must be a string, not ${show(table)}`)
  if (!TABLE.test(table)) {
    throw new RangeError(
      `table must be letters, digits and underscores, with at most one dot for the schema, not ${show(table)}`,
    )
  }
  const { quote } = grammarOf(dialect)
  return table
    .split('.')
    .map((part) => quote + part + quote)
    .join('.')
}

export interface Statement {
  readonly sql: string
  /** What stands at each placeholder. */
  readonly marks: readonly Mark[]
}
export type Mark = 'key' | 'fence'

/** Turns `:key` and `:fence` into the dialect's placeholders; a mark may occur more than once. */
export function statement(dialect: SqlDialect, text: string): Statement {
  const { placeholder, castTo } = grammarOf(dialect)
  const marks: Mark[] = []
  const sql = text.replace(/:(key|fence)\b/g, (_, mark: Mark) => {
    const place = placeholder(marks.push(mark))
    return mark === 'fence' ? `CAST(${place} AS ${castTo})` : place
  })
  return { sql, marks }
}

function grammarOf(dialect: unknown): Grammar {
  if (typeof dialect !== 'string') throw new TypeError(`dialect must be a string, not ${show(dialect)}`)
  if (Object.hasOwn(GRAMMARS, dialect)) return GRAMMARS[dialect as SqlDialect]
  throw new RangeError(`dialect must be one of ${Object.keys(GRAMMARS).join(', ')}, not ${show(dialect)}`)
}
