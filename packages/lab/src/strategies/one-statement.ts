/** No lock: the database decides and writes in one statement. */

import { sign, transaction } from '../shop/sql.ts'
import { openDatabase } from '../shop/sqlite.ts'
import type { Strategy } from './strategy.ts'

const shared = {
  step: 3,
  made: 'plain client',
  verdict: 'right',
  fixes: 'The race: there is no moment between reading and writing.',
  leaves: 'What does not fit into one row and one statement, such as a payment in between, or what was there before.',
} as const
const FILE = 'one-statement.ts'

export const oneStatement: Strategy = {
  ...shared,
  name: 'one-statement',
  title: 'One statement: decrement where something is left',
  store: 'sqlite',
  source: { file: FILE, line: 'update stock set left_over = left_over - 1 where left_over > 0' },
  async open(shop) {
    const database = await openDatabase(shop.plan.addresses.folder, shop.item)
    const take = database.prepare('update stock set left_over = left_over - 1 where left_over > 0 returning left_over')
    const receipt = database.prepare('insert into receipt (pid) values (?)')
    return async () => {
      await shop.pay()
      database.exec('begin immediate')
      const sold = take.all().length > 0
      if (sold) receipt.run(process.pid)
      database.exec('commit')
      return sold ? 'sold' : 'sold out'
    }
  },
}

export const oneStatementMariadb: Strategy = {
  ...shared,
  name: 'one-statement-mariadb',
  title: 'One statement, in MariaDB',
  store: 'mariadb',
  source: { file: FILE, line: "'update stock set left_over = left_over - 1 where item = ? and left_over > 0'" },
  async open(shop) {
    const sql = await shop.sql()
    return async () => {
      await shop.pay()
      const sold = await transaction(sql, async (connection) => {
        const decrement = 'update stock set left_over = left_over - 1 where item = ? and left_over > 0'
        const { changed } = await connection.query(decrement, [shop.item])
        if (changed > 0) await sign(connection, shop.item)
        return changed > 0
      })
      return sold ? 'sold' : 'sold out'
    }
  },
}
