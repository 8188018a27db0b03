/**
 * The stock of the sale: one number in a SQLite file that all servers read and write, and a receipt for each purchase.
 * Reading and writing back are two steps on purpose, as in any program that pays, mails or computes in between.
 */
import { type Driver, numberIn, textIn } from './driver.ts'

export interface Receipt {
  readonly pid: number
  /** When the buyer's turn began, on the monotonic clock that all processes of a machine share. */
  readonly turnAtMs: number
  /** The fence of the lease it was sold under; null without a lock. */
  readonly fence: bigint | null
}

export interface Shelf {
  left(): number
  /** Writes what the caller believes is left, and the receipt, in one transaction. */
  writeBack(left: number, receipt: Receipt): void
  sold(): number
  /** In the order in which they were written. */
  receipts(): readonly Receipt[]
  close(): void
}

const TABLES = `
  create table if not exists stock (item text primary key, left_over integer not null);
  create table if not exists receipt (id integer primary key, pid integer not null, turn_at_ms real not null, fence text);
`
/** The only thing on sale. */
export const ITEM = 'sneaker'

/** Makes the file with a full shelf. */
export function stockShelf(driver: Driver, file: string, stock: number): void {
  const database = driver.open(file)
  database.exec('pragma journal_mode = wal')
  database.exec(TABLES)
  database.prepare('insert into stock values (?, ?)').run(ITEM, stock)
  database.close()
}

export function openShelf(driver: Driver, file: string): Shelf {
  const database = driver.open(file)
  database.exec('pragma busy_timeout = 5000')
  database.exec('pragma synchronous = normal')
  const read = database.prepare('select left_over from stock where item = ?')
  const write = database.prepare('update stock set left_over = ? where item = ?')
  const insert = database.prepare('insert into receipt (pid, turn_at_ms, fence) values (?, ?, ?)')
  return {
    left: () => numberIn(read.get(ITEM), 'left_over'),
    writeBack(left, receipt) {
      database.exec('begin immediate')
      write.run(left, ITEM)
      insert.run(receipt.pid, receipt.turnAtMs, receipt.fence === null ? null : String(receipt.fence))
      database.exec('commit')
    },
    sold: () => numberIn(database.prepare('select count(*) as sold from receipt').get(), 'sold'),
    receipts: () => database.prepare('select pid, turn_at_ms, fence from receipt order by id').all().map(asReceipt),
    close: () => void database.close(),
  }
}

function asReceipt(row: unknown): Receipt {
  const fence = (row as { readonly fence?: unknown }).fence
  return {
    pid: numberIn(row, 'pid'),
    turnAtMs: numberIn(row, 'turn_at_ms'),
    fence: fence === null ? null : BigInt(textIn(row, 'fence')),
  }
}
