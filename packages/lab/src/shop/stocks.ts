/** How the stock of an item is opened in each store. */
import type { Store } from '../strategies/strategy.ts'
import { openRedisStock } from './redis.ts'
import { openSqlStock } from './sql.ts'
import { openSqliteStock } from './sqlite.ts'
import type { OpenStock } from './stock.ts'

/** Where only the lock needs a quorum or a Sentinel, the stock lies in the one Redis that does not fail. */
export const openStock: Readonly<Record<Store, OpenStock>> = {
  sqlite: openSqliteStock,
  redis: openRedisStock,
  quorum: openRedisStock,
  sentinel: openRedisStock,
  mariadb: openSqlStock('mariadb'),
  postgres: openSqlStock('postgres'),
}
