/** No lock: each row has a version, and a write counts only if the version is still the one that was read. */

import type { Shop } from '../shop/shop.ts'
import { numberOf, type Sql, sign, transaction } from '../shop/sql.ts'
import type { Sale, Strategy } from './strategy.ts'

const shared = { step: 5, store: 'postgres', made: 'plain client', verdict: 'right' } as const
const FILE = 'version-column.ts'
const ATTEMPTS_MAX = 500
const PAUSE_MS = { first: 2, max: 100 }

export const versionColumn: Strategy = {
  ...shared,
  name: 'version-column',
  title: 'A version column, with growing, jittered pauses between attempts',
  fixes:
    'The wait while others pay: nobody holds anything. Also a number that was read from a replica or cache and is old.',
  leaves: 'On a row that many want, most payments are in vain.',
  source: { file: FILE, line: 'where item = ? and version = ?' },
  async open(shop) {
    const sql = await shop.sql()
    return async () => {
      let pauseMs = PAUSE_MS.first
      for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
        const sale = await tryOnce(shop, sql)
        if (sale !== null) return sale
        await shop.pause(pauseMs * (0.5 + Math.random()))
        pauseMs = Math.min(pauseMs * 2, PAUSE_MS.max)
      }
      return 'busy'
    }
  },
}

export const versionRushing: Strategy = {
  ...shared,
  name: 'version-rushing',
  title: 'A version column, tried again at once and for ever',
  fixes: 'Nothing: it is the one before without its patience.',
  leaves: 'The more come, the more is in vain; and nobody ever gives up.',
  source: { file: FILE, line: 'for (;;)' },
  async open(shop) {
    const sql = await shop.sql()
    return async () => {
      for (;;) {
        const sale = await tryOnce(shop, sql)
        if (sale !== null) return sale
      }
    }
  },
}

/** Null: somebody else has written meanwhile. */
async function tryOnce(shop: Shop, sql: Sql): Promise<Sale | null> {
  const read = await sql.query('select left_over, version from stock where item = ?', [shop.item])
  const [left, version] = [numberOf(read, 'left_over'), numberOf(read, 'version')]
  await shop.at('read the stock')
  if (left <= 0) return 'sold out'
  await shop.pay()
  await shop.at('paid')
  const sold = await transaction(sql, async (connection) => {
    const update = 'update stock set left_over = ?, version = version + 1 where item = ? and version = ?'
    const { changed } = await connection.query(update, [left - 1, shop.item, version])
    if (changed > 0) await sign(connection, shop.item)
    return changed > 0
  })
  if (sold) return 'sold'
  shop.meter.wasted += 1
  return null
}
