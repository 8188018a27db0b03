/** The stock of an item in a SQLite file of its own. */
import { join } from 'node:path'
import { type Database, findDriver, numberIn } from '../sale/driver.ts'
import type { OpenStock } from './stock.ts'

const TABLES = `
  create table if not exists stock (one integer primary key, left_over integer not null, version integer not null default 0);
  create table if not exists receipt (id integer primary key, pid integer not null);
`

/** Open for a strategy's own statements too. */
export async function openDatabase(folder: string, item: string): Promise<Database> {
  const database = (await findDriver()).open(join(folder, `${item}.db`))
  database.exec('pragma busy_timeout = 5000')
  database.exec('pragma journal_mode = wal')
  database.exec('pragma synchronous = normal')
  database.exec(TABLES)
  return database
}

export const openSqliteStock: OpenStock = async (item, { folder }) => {
  const database = await openDatabase(folder, item)
  const read = database.prepare('select left_over from stock')
  const write = database.prepare('update stock set left_over = ?')
  const sign = database.prepare('insert into receipt (pid) values (?)')
  const sold = database.prepare('select count(*) as sold from receipt')
  return {
    fill: async (pieces) => void database.prepare('insert into stock (left_over) values (?)').run(pieces),
    left: async () => numberIn(read.get(), 'left_over'),
    async writeBack(left) {
      database.exec('begin immediate')
      write.run(left)
      sign.run(process.pid)
      database.exec('commit')
    },
    books: async () => ({ left: numberIn(read.get(), 'left_over'), sold: numberIn(sold.get(), 'sold') }),
    close: async () => void database.close(),
  }
}
