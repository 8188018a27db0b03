/** Locks that are made of a database: a row with an end, and the locks by name that belong to a connection. */
import { randomUUID } from 'node:crypto'
import { sellOne, sellUnder } from '../shop/selling.ts'
import type { Shop } from '../shop/shop.ts'
import { type Connection, numberOf, type Sql, writeBack } from '../shop/sql.ts'
import type { Buy, Sale, Strategy } from './strategy.ts'

const shared = { step: 29, made: 'plain client' } as const
const FILE = 'database-locks.ts'

/** Assigned from left to right: the end is renewed only for whom the owner became. */
const TAKE = `insert into lease (name, owner, ends) values (?, ?, sysdate(6) + interval ? microsecond)
  on duplicate key update owner = if(ends < sysdate(6), values(owner), owner),
  ends = if(owner = values(owner), values(ends), ends)`
const GIVE_BACK = "update lease set ends = '2000-01-01' where name = ? and owner = ?"
/** What MariaDB answers when it ends a transaction to let another go on. */
const DEADLOCK = 1213

export const leaseTable: Strategy = {
  ...shared,
  name: 'lease-table',
  title: 'A table with a row a lock: owner, and an end by the database’s clock',
  store: 'mariadb',
  verdict: 'right until',
  fixes: 'The lock where the data is: no second store, one clock, and the dead are passed over.',
  leaves: 'The work that outlives its lease; and everybody has to ask again and again.',
  source: { file: FILE, line: 'on duplicate key update owner = if(ends < sysdate(6)' },
  async open(shop) {
    const sql = await shop.sql()
    await sql.query(
      'create table if not exists lease (name varchar(80) primary key, owner char(36) not null, ends datetime(6) not null)',
    )
    return sellUnder(shop, () =>
      shop.retried(async () => {
        const owner = randomUUID()
        if (!(await takeLease(shop, sql, owner))) return null
        return () => sql.query(GIVE_BACK, [shop.item, owner])
      }),
    )
  },
}

async function takeLease({ item, terms }: Shop, sql: Sql, owner: string): Promise<boolean> {
  try {
    await sql.query(TAKE, [item, owner, terms.ttlMs * 1000])
  } catch (error) {
    if ((error as { readonly errno?: unknown }).errno === DEADLOCK) return false
    throw error
  }
  const { rows } = await sql.query('select owner from lease where name = ?', [item])
  return rows[0]?.owner === owner
}

export const namedLock: Strategy = {
  ...shared,
  name: 'named-lock',
  title: 'MariaDB: GET_LOCK, and the sale over the same connection',
  store: 'mariadb',
  verdict: 'right',
  fixes: 'The dead holder at once: the lock ends with its connection, and so does what was written over it.',
  leaves: 'A connection for everybody who waits.',
  source: { file: FILE, line: 'select get_lock(?, ?) as got' },
  async open(shop) {
    const sql = await shop.sql()
    return () => sql.using((connection) => named(shop, connection, () => sellOver(shop, connection)))
  },
}

export const namedLockApart: Strategy = {
  ...shared,
  name: 'named-lock-apart',
  title: 'MariaDB: GET_LOCK on one connection, the sale over another',
  store: 'mariadb',
  verdict: 'right until',
  fixes: 'Work that is not in this database.',
  leaves: 'When the connection of the lock is cut, the work goes on and knows of nothing.',
  source: { file: FILE, line: 'named(shop, connection, () => sellOne(shop))' },
  async open(shop) {
    const sql = await shop.sql()
    return () => sql.using((connection) => named(shop, connection, () => sellOne(shop)))
  },
}

/** So few that a crowd fills it at once. */
const SMALL_POOL = 2

export const poolOfWaiters: Strategy = {
  ...shared,
  name: 'pool-of-waiters',
  title: 'MariaDB: GET_LOCK and the sale out of one small pool',
  store: 'mariadb',
  verdict: 'right until',
  fixes: 'The many connections.',
  leaves: 'Who waits has a connection, and who holds the lock gets none to work with.',
  terms: { waitMs: 1_500 },
  source: { file: FILE, line: 'sql.using((second) => sellOver(shop, second))' },
  async open(shop) {
    const sql = await shop.sql(SMALL_POOL)
    return () => sql.using((connection) => named(shop, connection, () => sql.using((second) => sellOver(shop, second))))
  },
}

async function named(shop: Shop, connection: Connection, sell: Buy): Promise<Sale> {
  await shop.at('asks for the lock')
  const got = await connection.query('select get_lock(?, ?) as got', [shop.item, shop.terms.waitMs / 1000])
  if (numberOf(got, 'got') === 0) return 'busy'
  await shop.at('holds the lock')
  try {
    return await sell()
  } finally {
    await shop.at('gives it back')
    await connection.query('select release_lock(?) as done', [shop.item])
    await shop.at('let go')
  }
}

export const advisoryLock: Strategy = {
  ...shared,
  name: 'advisory-lock',
  title: 'PostgreSQL: an advisory lock, and the sale over the same connection',
  store: 'postgres',
  verdict: 'right',
  fixes: 'The same in PostgreSQL.',
  leaves: 'A connection for everybody who waits, and names that are numbers.',
  source: { file: FILE, line: 'select pg_advisory_lock(hashtext(?))' },
  async open(shop) {
    const sql = await shop.sql()
    return () =>
      sql.using(async (connection) => {
        await connection.query(`set lock_timeout = ${shop.terms.waitMs}`)
        await connection.query('select pg_advisory_lock(hashtext(?))', [shop.item])
        await shop.at('holds the lock')
        try {
          return await sellOver(shop, connection)
        } finally {
          await shop.at('gives it back')
          await connection.query('select pg_advisory_unlock(hashtext(?))', [shop.item])
          await shop.at('let go')
        }
      })
  },
}

export const advisoryOverPool: Strategy = {
  ...shared,
  name: 'advisory-over-pool',
  title: 'PostgreSQL: an advisory lock over whatever connection the pool gives',
  store: 'postgres',
  verdict: 'wrong',
  fixes: 'Nothing: the lock belongs to a connection, and the next task gets the same one.',
  leaves: 'A connection may take its own lock twice, and another one cannot give it back.',
  source: { file: FILE, line: 'await sql.query(TRY_ADVISORY, [shop.item])' },
  async open(shop) {
    const sql = await shop.sql()
    return sellUnder(shop, () =>
      shop.retried(async () => {
        const { rows } = await sql.query(TRY_ADVISORY, [shop.item])
        return rows[0]?.got === true ? () => sql.query('select pg_advisory_unlock(hashtext(?))', [shop.item]) : null
      }),
    )
  },
}

const TRY_ADVISORY = 'select pg_try_advisory_lock(hashtext(?)) as got'

/** Over the connection of the lock: when it is cut, this fails too. */
async function sellOver(shop: Shop, connection: Connection): Promise<Sale> {
  const read = await connection.query('select left_over from stock where item = ?', [shop.item])
  const left = numberOf(read, 'left_over')
  await shop.at('read the stock')
  if (left <= 0) return 'sold out'
  await shop.pay()
  await shop.at('paid')
  await connection.query('begin')
  await writeBack(connection, shop.item, left - 1)
  await connection.query('commit')
  return 'sold'
}
