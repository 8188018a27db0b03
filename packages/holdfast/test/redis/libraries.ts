/** Both client libraries in both versions: what each calls a client of one server, of Sentinel's primary, of a cluster. */
import * as ioredis6 from 'ioredis'
import * as ioredis5 from 'ioredis5'
import * as redis6 from 'redis'
import * as redis5 from 'redis5'
import type { GivenServers } from '../../../../scripts/servers/given.ts'
import type { RedisClient } from '../../src/backends/redis/index.ts'

/** A client, connected, as its user would make it. */
export interface Made {
  readonly client: RedisClient
  /** How many listeners it has, of any event. */
  listeners(): number
  end(): unknown
}

export interface Library {
  readonly name: string
  readonly family: 'ioredis' | 'redis'
  alone(port: number, options?: object): Promise<Made>
  sentinel(given: Pick<GivenServers, 'sentinel'>, options?: object): Promise<Made>
  cluster(given: Pick<GivenServers, 'cluster'>, options?: object): Promise<Made>
}

const HOST = '127.0.0.1'

interface Emitter {
  eventNames(): readonly (string | symbol)[]
  listenerCount(name: string | symbol): number
}

function listenersOf(client: Emitter): number {
  return client.eventNames().reduce((sum, name) => sum + client.listenerCount(name), 0)
}

type IoredisLibrary = Pick<typeof ioredis6, 'Redis' | 'Cluster'>

function ioredis(name: string, { Redis, Cluster }: IoredisLibrary): Library {
  const made = async (client: ioredis6.Redis | ioredis6.Cluster): Promise<Made> => {
    client.on('error', () => {})
    await new Promise((resolve) => client.once('ready', resolve))
    // A cluster's connections come with the first command that needs them.
    if (client.isCluster) await Promise.all((client as ioredis6.Cluster).nodes('all').map((node) => node.ping()))
    return { client, listeners: () => listenersOf(client), end: () => client.disconnect() }
  }
  const usual = { maxRetriesPerRequest: 0, socketTimeout: 10_000 }
  return {
    name,
    family: 'ioredis',
    alone: (port, options) => made(new Redis({ host: HOST, port, ...usual, ...options })),
    sentinel: ({ sentinel }, options) =>
      made(new Redis({ sentinels: [...sentinel.sentinels], name: sentinel.name, ...usual, ...options })),
    cluster: ({ cluster }, options) => made(new Cluster([...cluster], { redisOptions: usual, ...options })),
  }
}

/** What the versions have in common, for the rest of their types differ. */
interface NodeRedis extends Emitter {
  connect(): Promise<unknown>
  destroy(): unknown
  on(event: string, listener: () => void): unknown
}

function nodeRedis(name: string, library: unknown): Library {
  const { createClient, createCluster, createSentinel } = library as Record<string, (options: object) => NodeRedis>
  const made = async (client: NodeRedis | undefined): Promise<Made> => {
    if (client === undefined) throw new Error(`${name} makes no such client`)
    client.on('error', () => {})
    await client.connect()
    return {
      client: client as unknown as RedisClient,
      listeners: () => listenersOf(client),
      end: () => client.destroy(),
    }
  }
  return {
    name,
    family: 'redis',
    alone: (port, options) => made(createClient?.({ socket: { host: HOST, port }, ...options })),
    sentinel: ({ sentinel }, options) =>
      made(createSentinel?.({ name: sentinel.name, sentinelRootNodes: sentinel.sentinels, ...options })),
    cluster: ({ cluster }, options) =>
      made(createCluster?.({ rootNodes: cluster.map((socket) => ({ socket })), ...options })),
  }
}

export const libraries: readonly Library[] = [
  ioredis('ioredis 6', ioredis6),
  ioredis('ioredis 5', ioredis5 as unknown as IoredisLibrary),
  nodeRedis('redis 6', redis6),
  nodeRedis('redis 5', redis5),
]

export function libraryNamed(name: string): Library {
  const found = libraries.find((library) => library.name === name)
  if (found === undefined) throw new Error(`no library is called ${name}`)
  return found
}
