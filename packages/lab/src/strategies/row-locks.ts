/** The row itself is the lock, from the read until the transaction ends; and two rows, in whatever order they come. */

import type { Shop } from '../shop/shop.ts'
import { type Connection, numberOf, transaction, writeBack } from '../shop/sql.ts'
import type { Buy, Strategy } from './strategy.ts'

const shared = { step: 4, made: 'plain client' } as const
const FILE = 'row-locks.ts'
const READ = 'select left_over from stock where item = ? for update'

const rowLock = {
  ...shared,
  verdict: 'right',
  title: 'SELECT … FOR UPDATE',
  fixes: 'Work between reading and writing: the row is nobody else’s until the transaction ends.',
  source: { file: FILE, line: 'select left_over from stock where item = ? for update' },
  open: async (shop: Shop) => sellLocked(shop, [shop.item]),
} as const

const CONNECTIONS = 'A connection for everybody who waits'

export const rowLockMariadb: Strategy = {
  ...rowLock,
  name: 'row-lock',
  store: 'mariadb',
  leaves: `${CONNECTIONS}; and without an index on what is asked for, InnoDB locks every row.`,
}
export const rowLockPostgres: Strategy = {
  ...rowLock,
  name: 'row-lock-postgres',
  store: 'postgres',
  leaves: `${CONNECTIONS}, in the database or in front of a pool.`,
}

export const rowsAsTheyCome: Strategy = {
  ...shared,
  name: 'rows-as-they-come',
  title: 'Two rows, locked in the order in which the customer names them',
  store: 'mariadb',
  verdict: 'right until',
  fixes: 'A sale that changes two rows.',
  leaves: 'Two that each have one row and want the other: the database ends one of them.',
  source: { file: FILE, line: 'shop.plan.process % 2 === 0 ? pair : pair.reverse()' },
  async open(shop) {
    const pair = await pairOf(shop)
    return sellLocked(shop, shop.plan.process % 2 === 0 ? pair : pair.reverse())
  },
}

export const rowsInOrder: Strategy = {
  ...shared,
  name: 'rows-in-order',
  title: 'Two rows, always locked in the same order',
  store: 'mariadb',
  verdict: 'right',
  fixes: 'The deadlock: who has the first row gets the second.',
  leaves: 'Everybody has to know the order, also who comes next year.',
  source: { file: FILE, line: 'sellLocked(shop, (await pairOf(shop)).sort())' },
  open: async (shop) => sellLocked(shop, (await pairOf(shop)).sort()),
}

/** The second row of a pair; made by whoever comes first. */
async function pairOf(shop: Shop): Promise<string[]> {
  const other = `${shop.item}-laces`
  const sql = await shop.sql(1)
  await sql.query('insert ignore into stock (item, left_over) values (?, 0)', [other])
  return [shop.item, other]
}

/** What is sold is counted in the shop's own row, whichever is locked first. */
async function sellLocked(shop: Shop, rows: readonly string[]): Promise<Buy> {
  const sql = await shop.sql()
  return async () => {
    const sale = await transaction(sql, async (connection) => {
      for (const [number, row] of rows.entries()) {
        await connection.query(READ, [row])
        if (number < rows.length - 1) await shop.at('locked the first row')
      }
      await shop.at('holds the lock')
      return sellFrom(shop, connection)
    })
    await shop.at('let go')
    return sale
  }
}

async function sellFrom(shop: Shop, connection: Connection): Promise<'sold' | 'sold out'> {
  const left = numberOf(await connection.query(READ, [shop.item]), 'left_over')
  await shop.at('read the stock')
  if (left <= 0) return 'sold out'
  await shop.pay()
  await shop.at('paid')
  await writeBack(connection, shop.item, left - 1)
  return 'sold'
}
