/**
 * One small way to speak to MariaDB and to PostgreSQL, with question marks for values, and the stock of an item in either.
 * Each statement is counted.
 */
import { createPool, type PoolConnection, type ResultSetHeader } from 'mysql2/promise'
import pg from 'pg'
import type { SqlAddress } from '../../../../scripts/servers/sql-server.ts'
import type { Store } from '../strategies/strategy.ts'
import { type Addresses, there } from './addresses.ts'
import type { Meter } from './meter.ts'
import type { OpenStock } from './stock.ts'

export type SqlValue = string | number | null
export type Row = Readonly<Record<string, unknown>>

export interface Answer {
  readonly rows: readonly Row[]
  /** How many rows the statement found or changed. */
  readonly changed: number
}

export interface Connection {
  query(text: string, values?: readonly SqlValue[]): Promise<Answer>
}

export interface Sql extends Connection {
  /** Takes a connection out of the pool, waiting for one to be free, until `work` is done. */
  using<T>(work: (connection: Connection) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export function connectSql(store: Store, addresses: Addresses, meter: Meter, connections: number): Promise<Sql> {
  if (store === 'mariadb') return connectMariadb(there(addresses.mariadb, 'MariaDB'), meter, connections)
  if (store === 'postgres') return connectPostgres(there(addresses.postgres, 'PostgreSQL'), meter, connections)
  throw new TypeError(`${store} does not speak SQL over a connection`)
}

/** In one transaction; rolled back when `work` fails. */
export function transaction<T>(sql: Sql, work: (connection: Connection) => Promise<T>): Promise<T> {
  return sql.using(async (connection) => {
    await connection.query('begin')
    try {
      const result = await work(connection)
      await connection.query('commit')
      return result
    } catch (error) {
      // The connection may be what failed.
      await connection.query('rollback').catch(() => {})
      throw error
    }
  })
}

/** Sells what `connection` sees, in whatever transaction it is in. */
export async function writeBack(connection: Connection, item: string, left: number): Promise<void> {
  await connection.query('update stock set left_over = ? where item = ?', [left, item])
  await sign(connection, item)
}

/** Writes a receipt. */
export async function sign(connection: Connection, item: string): Promise<void> {
  await connection.query('insert into receipt (item, pid) values (?, ?)', [item, process.pid])
}

export function numberOf({ rows: [row] }: Answer, column: string): number {
  const value = Number(row?.[column] ?? Number.NaN)
  if (Number.isNaN(value)) throw new TypeError(`no number in column ${column}`)
  return value
}

async function connectMariadb(address: SqlAddress, meter: Meter, connections: number): Promise<Sql> {
  const pool = createPool({ ...address, connectionLimit: connections })
  const speaking = (to: Pick<PoolConnection, 'query'>): Connection => ({
    async query(text, values = []) {
      meter.sent()
      const [result] = await to.query(text, [...values])
      if (Array.isArray(result)) return { rows: result as Row[], changed: result.length }
      return { rows: [], changed: (result as ResultSetHeader).affectedRows }
    },
  })
  return {
    ...speaking(pool as unknown as Pick<PoolConnection, 'query'>),
    async using(work) {
      const connection = await pool.getConnection()
      try {
        return await work(speaking(connection))
      } finally {
        connection.release()
      }
    },
    close: () => pool.end(),
  }
}

async function connectPostgres(address: SqlAddress, meter: Meter, connections: number): Promise<Sql> {
  const pool = new pg.Pool({ ...address, max: connections })
  // An idle connection that is lost would end the process.
  pool.on('error', () => {})
  const speaking = (to: Pick<pg.Pool, 'query'> | Pick<pg.PoolClient, 'query'>): Connection => ({
    async query(text, values = []) {
      meter.sent()
      let number = 0
      const { rows, rowCount } = await to.query(
        text.replaceAll('?', () => `$${++number}`),
        [...values],
      )
      return { rows: rows as Row[], changed: rowCount ?? 0 }
    },
  })
  return {
    ...speaking(pool),
    async using(work) {
      const client = await pool.connect()
      try {
        return await work(speaking(client))
      } finally {
        client.release()
      }
    },
    close: () => pool.end(),
  }
}

const TABLES: readonly string[] = [
  'create table if not exists stock (item varchar(80) primary key, left_over int not null, version int not null default 0)',
  'create table if not exists receipt (item varchar(80) not null, pid int not null)',
]

export function openSqlStock(store: 'mariadb' | 'postgres'): OpenStock {
  return async (item, addresses, meter) => {
    const sql = await connectSql(store, addresses, meter, 10)
    const left = async (): Promise<number> =>
      numberOf(await sql.query('select left_over from stock where item = ?', [item]), 'left_over')
    return {
      async fill(pieces) {
        for (const table of TABLES) await sql.query(table)
        await sql.query('insert into stock (item, left_over) values (?, ?)', [item, pieces])
      },
      left,
      writeBack: (pieces) => transaction(sql, (connection) => writeBack(connection, item, pieces)),
      books: async () => ({
        left: await left(),
        sold: numberOf(await sql.query('select count(*) as sold from receipt where item = ?', [item]), 'sold'),
      }),
      close: () => sql.close(),
    }
  }
}
