/**
 * `redis(…)`: locks on a Redis or Valkey server, on a primary that Sentinel watches, or on a cluster; over a client that
 * is there already, or one of our own. Redis 7.0 is the floor.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { asBackend, type Backend } from '../../backend.ts'
import type { Clock } from '../../clock.ts'
import { show } from '../../duration.ts'
import type { WorkerRecipe } from '../../port.ts'
import { type Address, MODULE_SCHEME, moduleOf, parseRedisUrl, redisUrlOf } from '../redis-address.ts'
import { ledgerOver } from './connecting.ts'
import { wireTo } from './factory.ts'
import { IoredisWire, isIoredis } from './ioredis.ts'
import { clientOf } from './module.ts'
import { type NodeRedis, NodeRedisWire, nodeRedisKind } from './node-redis.ts'
import { addressOf, type RedisCluster, type RedisConnect, type RedisSentinels, type RedisUrl } from './options.ts'
import type { Wire } from './wire.ts'

export type { Backend } from '../../backend.ts'
export type { RedisCluster, RedisConnect, RedisHost, RedisSentinels, RedisUrl } from './options.ts'

/** A client of ioredis 5 or 6: `new Redis()` or `new Cluster()`. */
export interface IoredisClient {
  readonly status: string
  evalsha(...args: never[]): unknown
  duplicate(...args: never[]): unknown
  subscribe(...args: never[]): unknown
}

/** A client of node-redis 5 or 6, from `createClient`, `createCluster` or `createSentinel`. */
export interface NodeRedisClient {
  readonly isOpen: boolean
  evalSha(...args: never[]): unknown
  withCommandOptions(...args: never[]): unknown
  connect(...args: never[]): unknown
}

export type RedisClient = IoredisClient | NodeRedisClient

export interface RedisOptions {
  /** So many replicas must have a take before it is granted; 0 by default. */
  readonly replicas?: number
}

const REPLICAS_MAX = 100
const MODULE = `${MODULE_SCHEME}:`

/**
 * A store in Redis or Valkey 7.0 or later.
 *
 * A client that is handed in stays its owner's: none of its settings change, no command is defined on it, its listeners
 * are left alone and it is never closed. What listens, and what waits for replicas, is a duplicate of it. Only from a URL,
 * options or a `connect` module can the heartbeat have a thread of its own.
 *
 * What is *not* promised: that a lock outlives a failover to a replica that has not heard of it; `replicas` narrows that
 * gap and does not close it. The fence orders what is written.
 *
 * @throws {TypeError} neither a client nor a URL nor options @throws {RangeError} a URL or an option that cannot be
 */
export function redis(
  client: RedisClient | RedisUrl | RedisSentinels | RedisCluster | RedisConnect | string,
  options: RedisOptions = {},
): Backend {
  const source = sourceOf(client)
  const replicas = replicasOf(options)
  const warned = new Set<string>()
  return asBackend({
    kind: 'redis',
    ttlMsMin: 0,
    votes: true,
    worker: source.worker === null ? null : workerFor(source.worker),
    connect: async (setup) => ledgerOver(await source.wire(setup.clock), setup, replicas, warned),
  })
}

interface Source {
  /** What a thread gives to `redis()` to come to the same store; null: it cannot. */
  readonly worker: string | null
  wire(clock: Clock): Wire | Promise<Wire>
}

function sourceOf(given: unknown): Source {
  if (typeof given === 'string') {
    const [before, after = ''] = [given.slice(0, MODULE.length), given.slice(MODULE.length)]
    return before === MODULE ? moduleSource('client', after) : addressSource(parseRedisUrl('client', given))
  }
  if (isIoredis(given)) return { worker: null, wire: (clock) => new IoredisWire(given, false, clock) }
  const kind = nodeRedisKind(given)
  if (kind !== null) return { worker: null, wire: (clock) => new NodeRedisWire(given as NodeRedis, kind, null, clock) }
  if (typeof given === 'object' && given !== null) {
    if ('connect' in given && Object.keys(given).length === 1) return moduleSource('connect', given.connect)
    const address = addressOf(given)
    if (address !== null) return addressSource(address)
  }
  throw new TypeError(
    `client must be a client of ioredis or redis, a URL, or options with url, sentinels, cluster or connect, not ${show(given)}`,
  )
}

function addressSource(address: Address): Source {
  return { worker: redisUrlOf(address), wire: (clock) => wireTo(address, clock) }
}

function moduleSource(option: string, connect: unknown): Source {
  const module = moduleOf(option, connect)
  const make = (): Promise<unknown> => clientOf(module)
  return {
    worker: MODULE + module,
    async wire(clock) {
      const client = await make()
      const kind = nodeRedisKind(client)
      return kind === null || isIoredis(client)
        ? new IoredisWire(client as never, true, clock)
        : new NodeRedisWire(client as NodeRedis, kind, make as () => Promise<NodeRedis>, clock)
    },
  }
}

function replicasOf(options: unknown): number {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new TypeError(`options must be an object, not ${show(options)}`)
  }
  for (const option of Object.keys(options)) {
    if (option !== 'replicas') throw new TypeError(`${show(option)} is no option here; there is replicas`)
  }
  const { replicas = 0 } = options as { readonly replicas?: unknown }
  if (typeof replicas !== 'number') throw new TypeError(`replicas must be a whole number, not ${show(replicas)}`)
  if (!Number.isInteger(replicas) || replicas < 0 || replicas > REPLICAS_MAX) {
    throw new RangeError(`replicas must be a whole number from 0 to ${REPLICAS_MAX}, not ${show(replicas)}`)
  }
  return replicas
}

/** A thread imports the built entry beside this very piece of the build; from sources, or bundled, there is none. */
function workerFor(target: string): WorkerRecipe | null {
  const here: unknown = import.meta.url
  if (typeof here !== 'string' || here.endsWith('.ts')) return null
  const entry = new URL('./redis.mjs', here)
  return existsSync(fileURLToPath(entry)) ? { module: entry.href, name: 'redis', target } : null
}
