/**
 * Clients of our own, for an address, with whichever of the two libraries is installed. They are set so that nothing is
 * queued or sent twice, that a server which hangs is left, and that an idle connection keeps no process alive.
 */
import type { Clock } from '../../clock.ts'
import { BackendRefusedError } from '../../errors.ts'
import { loadPeer } from '../peer.ts'
import type { Address, Host } from '../redis-address.ts'
import { type Ioredis, IoredisWire } from './ioredis.ts'
import { type NodeRedis, NodeRedisWire } from './node-redis.ts'
import { SILENT_MS } from './silence.ts'
import type { Wire } from './wire.ts'

const CONNECT_MS = 2000
/** How often a cluster may send a request elsewhere, and how long it is put off where the keys are in two places. */
const REDIRECTIONS_MAX = 5
const TRY_AGAIN_MS = 5
const PAUSE_MS = { first: 50, max: 1000 }

export type Driver = 'ioredis' | 'redis'

/** @throws {BackendRefusedError} neither library is installed */
export function wireTo(address: Address, clock: Clock, drivers: readonly Driver[] = ['ioredis', 'redis']): Wire {
  const failures: unknown[] = []
  for (const driver of drivers) {
    const library = loadPeer(driver, failures)
    if (library === null) continue
    if (driver === 'ioredis') return new IoredisWire(madeWithIoredis(library as IoredisLibrary, address), true, clock)
    const make = (): NodeRedis => madeWithNodeRedis(library as NodeRedisLibrary, address)
    return new NodeRedisWire(make(), address.kind === 'server' ? 'client' : address.kind, make, clock)
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
  }
  const alone = { ...connection, lazyConnect: true, enableOfflineQueue: false, retryStrategy: pauseMs }
  if (kind === 'server') return loose(new Redis({ ...alone, ...hosts[0] }))
  if (kind === 'sentinel') {
    const sentinels = { sentinels: hosts, name, sentinelRetryStrategy: pauseMs, ...sentinelLoginOf(address) }
    const tls = address.tls === false ? {} : { sentinelTLS: tlsOf(address.tls), enableTLSForSentinelMode: true }
    return loose(new Redis({ ...alone, ...sentinels, ...tls }))
  }
  const cluster = new Cluster(hosts, {
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
  cluster.on('+node', (node) => loose(node as Ioredis))
  return loose(cluster)
}

function sentinelLoginOf({ sentinelUsername, sentinelPassword }: Address): object {
  return {
    ...(sentinelUsername === null ? {} : { sentinelUsername }),
    ...(sentinelPassword === null ? {} : { sentinelPassword }),
  }
}

/** Neither its connection nor its next try to connect keeps the process alive. */
function loose(client: Ioredis): Ioredis {
  client.on('error', () => {})
  client.on('connect', () => client.stream?.unref?.())
  client.on('reconnecting', () => (client as { reconnectTimeout?: NodeJS.Timeout | null }).reconnectTimeout?.unref())
  return client
}

interface NodeRedisLibrary {
  createClient(options: object): NodeRedis
  createCluster(options: object): NodeRedis
  createSentinel(options: object): NodeRedis
}

function madeWithNodeRedis(library: NodeRedisLibrary, address: Address): NodeRedis {
  const { kind, hosts, db, name, sentinelUsername, sentinelPassword } = address
  const tls = address.tls === false ? {} : { tls: true, ...tlsOf(address.tls) }
  const common = { ...loginOf(address), maintNotifications: 'disabled' }
  if (kind === 'server') {
    // A client that has lost its connection is replaced, since the pauses of its own would keep the process alive.
    const socket = { ...tls, ...hosts[0], connectTimeout: CONNECT_MS, reconnectStrategy: false }
    return library.createClient({ ...common, database: db, socket, disableOfflineQueue: true })
  }
  const socket = { ...tls, connectTimeout: CONNECT_MS, reconnectStrategy: pauseMs }
  const node = { ...common, socket, disableOfflineQueue: true }
  if (kind === 'cluster') {
    const rootNodes = hosts.map((host) => ({ socket: { ...tls, ...host } }))
    return library.createCluster({ rootNodes, defaults: node, minimizeConnections: true })
  }
  const sentinel = { username: sentinelUsername ?? undefined, password: sentinelPassword ?? undefined, socket: tls }
  return library.createSentinel({
    name,
    sentinelRootNodes: hosts,
    nodeClientOptions: { ...node, database: db },
    sentinelClientOptions: sentinel,
  })
}

function loginOf({ username, password }: Address): object {
  return { ...(username === null ? {} : { username }), ...(password === null ? {} : { password }) }
}

function tlsOf(tls: Address['tls']): object {
  return typeof tls === 'object' ? tls : {}
}

/** @param times how often it has failed in a row */
function pauseMs(times: number): number {
  return Math.min(PAUSE_MS.first * 2 ** Math.min(times, 10), PAUSE_MS.max)
}
