/**
 * Clients of node-redis for an address. One that has lost its connection is to be replaced by another one of these: its
 * own pauses would keep the process alive, and under Sentinel the next one may lead elsewhere.
 */
import { type Clock, within } from '../../clock.ts'
import { BackendUnavailableError } from '../../errors.ts'
import type { Address, Host } from '../redis-address.ts'
import type { NodeRedis } from './node-redis.ts'
import type { MakeNodeRedis } from './node-redis-renewal.ts'
import { CONNECT_MS, loginOf, pauseMs, tlsOf } from './settings.ts'

export interface NodeRedisLibrary {
  createClient(options: object): NodeRedis & { sendCommand(command: readonly string[]): Promise<unknown> }
  createCluster(options: object): NodeRedis
}

export function nodeRedisMaker(library: NodeRedisLibrary, address: Address, clock: Clock): MakeNodeRedis {
  const tls = address.tls === false ? {} : { tls: true, ...tlsOf(address.tls) }
  const socket = { ...tls, connectTimeout: CONNECT_MS, reconnectStrategy: false }
  const common = { ...loginOf(address), maintNotifications: 'disabled', disableOfflineQueue: true }
  const client = (host: Host): NodeRedis =>
    library.createClient({ ...common, database: address.db, socket: { ...socket, ...host } })
  const [first] = address.hosts
  if (address.kind === 'server' && first !== undefined) return () => client(first)
  if (address.kind === 'sentinel') return async () => client(await primaryOf(library, address, socket, clock))
  return () =>
    library.createCluster({
      rootNodes: address.hosts.map((host) => ({ socket: { ...tls, ...host } })),
      // A server that is gone comes back by itself, or the cluster says who has taken its place.
      defaults: { ...common, socket: { ...socket, reconnectStrategy: pauseMs } },
      minimizeConnections: true,
    })
}

/** Who the first sentinel that answers says is the primary. */
async function primaryOf(
  library: NodeRedisLibrary,
  { hosts, name, sentinelUsername, sentinelPassword }: Address,
  socket: object,
  clock: Clock,
): Promise<Host> {
  const login = loginOf({ username: sentinelUsername, password: sentinelPassword })
  let failure: unknown = null
  for (const host of hosts) {
    const sentinel = library.createClient({ ...login, socket: { ...socket, ...host } })
    sentinel.on('error', () => {})
    const asked = sentinel
      .connect()
      .then(() => sentinel.sendCommand(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name ?? '']))
    const outcome = await within(clock, CONNECT_MS, asked)
    if (sentinel.isOpen) sentinel.destroy()
    if (outcome.kind === 'value' && Array.isArray(outcome.value)) {
      const [primary, port] = outcome.value as readonly unknown[]
      return { host: String(primary), port: Number(port) }
    }
    if (outcome.kind === 'error') failure = outcome.error
  }
  throw new BackendUnavailableError('no sentinel knows the primary', { cause: failure })
}
