/** Where the stores of a run are. A store without an address is not there. */
import type { SqlAddress } from '../../../../scripts/servers/sql-server.ts'

export interface Addresses {
  /** For the files of SQLite. */
  readonly folder: string
  readonly redis: string | null
  /** Independent primaries. */
  readonly quorum: readonly string[] | null
  readonly sentinel: SentinelAddress | null
  readonly mariadb: SqlAddress | null
  readonly postgres: SqlAddress | null
}

export interface SentinelAddress {
  readonly name: string
  readonly sentinels: readonly { readonly host: string; readonly port: number }[]
}

export function there<T>(address: T | null, store: string): T {
  if (address === null) throw new Error(`there is no ${store} in this run`)
  return address
}
