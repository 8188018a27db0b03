/**
 * Clients of our own, for an address, with whichever of the two libraries is installed. They are set so that nothing is
 * queued or sent twice, that a server which hangs is left, and that an idle connection keeps no process alive.
 */
import type { Clock } from '../../clock.ts'
import { BackendRefusedError } from '../../errors.ts'
import { loadPeer } from '../peer.ts'
import type { Address, Host } from '../redis-address.ts'
import { type Ioredis, IoredisWire } from './ioredis.ts'
import { DISCONNECT_MS } from './ioredis-spare.ts'
import { NodeRedisWire } from './node-redis.ts'
import { type NodeRedisLibrary, nodeRedisMaker } from './node-redis-maker.ts'
import { CONNECT_MS, loginOf, pauseMs, SILENT_MS, tlsOf } from './settings.ts'
import type { Wire } from './wire.ts'

/** How often a cluster may send a request elsewhere, and how long it is put off where the keys are in two places. */
const REDIRECTIONS_MAX = 5
const TRY_AGAIN_MS = 5

export type Driver = 'ioredis' | 'redis'

/** @throws {BackendRefusedError} neither library is installed */
export async function wireTo(
  address: Address,
  clock: Clock,
  drivers: readonly Driver[] = ['ioredis', 'redis'],
): Promise<Wire> {
  const failures: unknown[] = []
  for (const driver of drivers) {
    const library = loadPeer(driver, failures)
    if (library === null) continue
    if (driver === 'ioredis') return new IoredisWire(madeWithIoredis(library as IoredisLibrary, address), true, clock)
    const make = nodeRedisMaker(library as NodeRedisLibrary, address, clock)
    const kind = { server: 'client', cluster: 'cluster', sentinel: 'primary' } as const
    return new NodeRedisWire(await make(), kind[address.kind], make, clock)
  }
  throw new BackendRefusedError('no client for Redis was found: install one with `npm install ioredis`', {
    cause: new AggregateError(failures),
  })
}

interface IoredisLibrary {
  readonly Redis: new (options: object) => Ioredis
  readonly Cluster: new (hosts: readonly Host[], options: object) => Ioredis
}

function madeWithIoredis({ Redis, Cluster }: IoredisLibrary, address: Address): Ioredis {
  const { kind, hosts, db, name } = address
  const login = { ...loginOf(address), ...(address.tls === false ? {} : { tls: tlsOf(address.tls) }) }
  const connection = {
    ...login,
    db,
    connectTimeout: CONNECT_MS,
    // Counts only while an answer is owed.
    socketTimeout: SILENT_MS,
    // What was on its way when a connection is lost is rejected then, and neither sent again nor left unanswered.
    maxRetriesPerRequest: 0,
    disconnectTimeout: DISCONNECT_MS,
  }
  const alone = { ...connection, lazyConnect: true, enableOfflineQueue: false, retryStrategy: pauseMs }
  if (kind === 'server') return new Redis({ ...alone, ...hosts[0] })
  if (kind === 'sentinel') {
    const sentinels = { sentinels: hosts, name, sentinelRetryStrategy: pauseMs, ...sentinelLoginOf(address) }
    const tls = address.tls === false ? {} : { sentinelTLS: tlsOf(address.tls), enableTLSForSentinelMode: true }
    return new Redis({ ...alone, ...sentinels, ...tls })
  }
  return new Cluster(hosts, {
    redisOptions: connection,
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: pauseMs,
    slotsRefreshTimeout: SILENT_MS,
    // A bucket in two places is a matter for who asked: a beat has another way.
    maxRedirections: REDIRECTIONS_MAX,
    retryDelayOnTryAgain: TRY_AGAIN_MS,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
  })
}

function sentinelLoginOf({ sentinelUsername, sentinelPassword }: Address): object {
  return {
    ...(sentinelUsername === null ? {} : { sentinelUsername }),
    ...(sentinelPassword === null ? {} : { sentinelPassword }),
  }
}
