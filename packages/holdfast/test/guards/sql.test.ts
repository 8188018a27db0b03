/** The SQL guard: its statements in each dialect, what it says of a missing row, of bad options and of a bad `run`. */
import { afterAll, describe, expect, test } from 'vitest'
import { BackendRefusedError, StaleFenceError } from '../../src/errors.ts'
import { guardTable, type SqlDialect, type SqlGuardOptions, sqlGuard } from '../../src/guards/index.ts'
import { exclusive, permit, shared } from './leases.ts'
import { changedRows, fieldOf, inTransaction, SqliteFile } from './sqlite-file.ts'

const file = new SqliteFile()
afterAll(() => file.close())
const connection = file.connect()

interface Sent {
  readonly sql: string
  readonly params: readonly unknown[]
}

/** What a guard sends for one lease. The answers come one a statement, then 1. */
async function sentFor(dialect: SqlDialect, lease = exclusive(5n), answers: readonly number[] = []): Promise<Sent[]> {
  const sent: Sent[] = []
  const run = async (_: null, sql: string, params: readonly unknown[]): Promise<number> => {
    sent.push({ sql, params })
    return answers[sent.length - 1] ?? 1
  }
  await sqlGuard({ dialect, run, table: 'shop.guards', key: 'order:7' }).enter(null, lease)
  return sent
}

describe('the statements', () => {
  test('an exclusive lease enters SQLite by one update with texts for parameters', async () => {
    expect(await sentFor('sqlite')).toEqual([
      {
        sql: 'UPDATE "shop"."guards" SET checks = checks + 1, write_fence = CAST(? AS INTEGER) WHERE resource = ? AND write_fence <= CAST(? AS INTEGER) AND read_fence <= CAST(? AS INTEGER)',
        params: ['5', 'order:7', '5', '5'],
      },
    ])
  })

  test('PostgreSQL gets numbered placeholders and bigint casts', async () => {
    expect(await sentFor('postgres', shared(5n))).toEqual([
      {
        sql: 'UPDATE "shop"."guards" SET checks = checks + 1, read_fence = CASE WHEN read_fence < CAST($1 AS BIGINT) THEN CAST($2 AS BIGINT) ELSE read_fence END WHERE resource = $3 AND write_fence <= CAST($4 AS BIGINT)',
        params: ['5', '5', 'order:7', '5'],
      },
    ])
  })

  test('MySQL gets backticks and signed casts', async () => {
    const [sent] = await sentFor('mysql')
    expect(sent?.sql).toBe(
      'UPDATE `shop`.`guards` SET checks = checks + 1, write_fence = CAST(? AS SIGNED) WHERE resource = ? AND write_fence <= CAST(? AS SIGNED) AND read_fence <= CAST(? AS SIGNED)',
    )
  })

  test('the table has a key and three numbers of 64 bits', () => {
    expect(guardTable('sqlite', 'guards')).toBe(
      'CREATE TABLE IF NOT EXISTS "guards" (resource TEXT NOT NULL PRIMARY KEY, write_fence INTEGER NOT NULL DEFAULT 0, read_fence INTEGER NOT NULL DEFAULT 0, checks INTEGER NOT NULL DEFAULT 0)',
    )
    expect(guardTable('postgres', 'guards')).toContain('write_fence BIGINT NOT NULL')
    expect(guardTable('mysql', 'guards')).toContain('`guards` (resource VARBINARY(512) NOT NULL PRIMARY KEY')
  })

  test('when nothing refuses the lease although no row was reported, it enters again on the row it has locked', async () => {
    const sent = await sentFor('sqlite', exclusive(5n), [0, 1, 0, 0])
    expect(sent.map(({ sql }) => sql.includes('write_fence ='))).toEqual([true, false, false, true])
    expect(sent.at(-1)).toEqual(sent[0])
  })

  test('a refusal is read by a bounded number of statements', async () => {
    let statements = 0
    const guard = file.guard('counted', (tx, sql, params) => {
      statements++
      return changedRows(tx, sql, params)
    })
    const stored = 1_799_999_999_999_999n * 1024n + 3n
    await guard.enter(connection, exclusive(stored))
    expect(statements).toBe(1)
    await expect(guard.enter(connection, exclusive(1n))).rejects.toMatchObject({ fence: stored })
    expect(statements).toBeLessThanOrEqual(1 + 66)
  })
})

describe('rows', () => {
  test('a missing row is an error that names the key, and makes none', async () => {
    const guard = sqlGuard({ dialect: 'sqlite', run: changedRows, table: 'guards', key: 'nowhere' })
    const entering = inTransaction(connection, () => guard.enter(connection, exclusive(5n)))
    await expect(entering).rejects.toBeInstanceOf(BackendRefusedError)
    await expect(entering).rejects.toThrow('"nowhere"')
    expect(fieldOf(connection, 'select count(*) from guards where resource = ?', 'nowhere')).toBe(0)
  })

  test('rows do not see each other', async () => {
    const one = file.guard('one')
    const other = file.guard('other')
    await one.enter(connection, exclusive(9n))
    await other.enter(connection, exclusive(5n))
    await expect(one.enter(connection, exclusive(5n))).rejects.toBeInstanceOf(StaleFenceError)
  })

  test('a key is a value, whatever is in it', async () => {
    const key = `o'clock"; drop table guards; --`
    const guard = file.guard(key)
    await guard.enter(connection, exclusive(5n))
    expect(fieldOf(connection, 'select write_fence from guards where resource = ?', key)).toBe(5)
  })

  test('what a rolled back transaction entered is forgotten with it', async () => {
    const guard = file.guard('rolled back')
    const broken = inTransaction(connection, async () => {
      await guard.enter(connection, exclusive(9n))
      throw new RangeError('the work failed')
    })
    await expect(broken).rejects.toThrow('the work failed')
    await guard.enter(connection, exclusive(5n))
  })

  test('a permit without a slot reaches no statement', async () => {
    const guard = file.guard('permits', async () => {
      throw new RangeError('a statement was run')
    })
    await expect(guard.enter(connection, permit(null))).rejects.toThrow(TypeError)
  })

  test('what the driver throws comes through unchanged', async () => {
    const failure = new Error('disk I/O error')
    const guard = file.guard('failing', () => Promise.reject(failure))
    await expect(guard.enter(connection, exclusive(5n))).rejects.toBe(failure)
  })
})

describe('misuse', () => {
  const good: SqlGuardOptions<null> = { dialect: 'sqlite', run: async () => 1, table: 'guards', key: 'order:7' }
  const wrong: readonly (readonly [keyof SqlGuardOptions<null>, unknown, new () => Error])[] = [
    ['dialect', undefined, TypeError],
    ['dialect', 5, TypeError],
    ['dialect', 'oracle', RangeError],
    ['dialect', '__proto__', RangeError],
    ['run', undefined, TypeError],
    ['run', 'run', TypeError],
    ['table', undefined, TypeError],
    ['table', 5, TypeError],
    ['table', '', RangeError],
    ['table', 'guards; drop table guards', RangeError],
    ['table', 'guards"', RangeError],
    ['table', 'gu`ards', RangeError],
    ['table', 'a.b.c', RangeError],
    ['table', '.guards', RangeError],
    ['table', ' guards', RangeError],
    ['table', 'guards\n', RangeError],
    ['table', 'gärten', RangeError],
    ['table', `g${'u'.repeat(63)}`, RangeError],
    ['key', undefined, TypeError],
    ['key', 5, TypeError],
    ['key', '', RangeError],
    ['key', 'a\0b', RangeError],
    ['key', '\ud800', RangeError],
    ['key', 'k'.repeat(513), RangeError],
  ]

  test.each(wrong)('%s: %j is refused by the name of the option', (option, value, kind) => {
    const make = (): unknown => sqlGuard({ ...good, [option]: value } as SqlGuardOptions<null>)
    expect(make).toThrow(kind)
    expect(make).toThrow(new RegExp(`^${option} must`))
  })

  test.each([undefined, null, 5, []])('options that are no object (%s) are refused by name', (options) => {
    expect(() => sqlGuard(options as never)).toThrow(/^options must be an object/)
  })

  test('the good options of this table are good', async () => {
    await sqlGuard(good).enter(null, exclusive(5n))
    await sqlGuard({ ...good, table: 'Shop_1._guards' }).enter(null, exclusive(5n))
  })

  test.each([undefined, null, Number.NaN, -1, '1', { changes: 1 }, 1n])(
    'a run that gives %s instead of a number of rows is told so',
    async (answer) => {
      const guard = sqlGuard({ ...good, run: async () => answer as number })
      await expect(guard.enter(null, exclusive(5n))).rejects.toThrow(/^run must give the number of changed rows/)
    },
  )

  test('the table helper checks as the guard does', () => {
    expect(() => guardTable('oracle' as never, 'guards')).toThrow(/^dialect must/)
    expect(() => guardTable('sqlite', 'gu"ards')).toThrow(/^table must/)
  })
})
