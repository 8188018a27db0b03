/**
 * The stores that a run can use: files of SQLite always, and the servers that were asked for, started on loopback in
 * the folder of the run. What Debian has and this machine lacks is installed, or named.
 */
import { startMariadb } from '../../../../scripts/servers/mariadb-server.ts'
import { startPostgres } from '../../../../scripts/servers/postgres-server.ts'
import { requirePrograms } from '../../../../scripts/servers/programs.ts'
import { RedisServer } from '../../../../scripts/servers/redis-server.ts'
import { SentinelSet } from '../../../../scripts/servers/sentinel-set.ts'
import type { SqlAddress, SqlServer } from '../../../../scripts/servers/sql-server.ts'
import type { Addresses } from '../shop/addresses.ts'
import type { Store } from '../strategies/strategy.ts'

export type ServerName = Exclude<Store, 'sqlite'>

export interface Servers {
  readonly addresses: Addresses
  /** Whether strategies of this store can run. */
  has(store: Store): boolean
  stop(): Promise<void>
}

const PROGRAMS: Readonly<Record<ServerName, readonly string[]>> = {
  redis: ['redis-server'],
  quorum: ['redis-server'],
  sentinel: ['redis-server', 'redis-sentinel'],
  mariadb: ['mariadbd'],
  postgres: ['postgres'],
}

export const SERVER_NAMES = Object.keys(PROGRAMS) as readonly ServerName[]

const QUORUM_NODES = 3

export async function startServers(names: readonly ServerName[], folder: string): Promise<Servers> {
  const wanted = new Set(names)
  // The stock of those that lock elsewhere lies in this one.
  if (wanted.has('quorum') || wanted.has('sentinel')) wanted.add('redis')
  requirePrograms([...new Set([...wanted].flatMap((name) => PROGRAMS[name]))])
  const stops: (() => Promise<void>)[] = []
  const redis = async (name: string): Promise<string> => {
    const server = await RedisServer.start({ name })
    stops.push(() => server.stop())
    return server.url
  }
  const sentinel = async (): Promise<Addresses['sentinel']> => {
    const set = await SentinelSet.start()
    stops.push(() => set.stop())
    return { name: set.name, sentinels: set.addresses }
  }
  const sql = async (start: () => Promise<SqlServer>): Promise<SqlAddress> => {
    const server = await start()
    stops.push(() => server.stop())
    return server.address
  }
  const nodes = Array.from({ length: QUORUM_NODES }, (_, number) => `node-${number + 1}`)
  const when = <T>(name: ServerName, start: () => Promise<T>): Promise<T | null> =>
    wanted.has(name) ? start() : Promise.resolve(null)
  const [one, several, watched, mariadb, postgres] = await Promise.all([
    when('redis', () => redis('stock')),
    when('quorum', () => Promise.all(nodes.map(redis))),
    when('sentinel', sentinel),
    when('mariadb', () => sql(startMariadb)),
    when('postgres', () => sql(startPostgres)),
  ])
  const addresses = { folder, redis: one, quorum: several, sentinel: watched, mariadb, postgres }
  return {
    addresses,
    has: (store) => store === 'sqlite' || addresses[store] !== null,
    stop: async () => void (await Promise.all(stops.map((stop) => stop()))),
  }
}
