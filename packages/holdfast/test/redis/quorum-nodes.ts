/**
 * Servers of a test's own that are the nodes of a quorum. A namespace that was there for a minute can be had at once:
 * it is made at all nodes, and what holds its grants back is taken away by hand, for the conformance suite uses a new
 * namespace for each fact and half of it would meet nodes that are too young to be counted one by one.
 */
import { type RedisAccess, RedisServer } from '../../../../scripts/servers/index.ts'
import { type Backend, portOf } from '../../src/backend.ts'
import { quorum } from '../../src/backends/quorum/index.ts'
import { redis } from '../../src/backends/redis/index.ts'
import { keysOf } from '../../src/backends/redis/keys.ts'
import { systemClock } from '../../src/clock.ts'
import { systemRandom } from '../../src/random.ts'

const MAX_TTL_MS = 60_000

export type Way = (server: RedisServer) => string | Promise<string>

export class QuorumNodes implements AsyncDisposable {
  readonly servers: readonly RedisServer[]

  constructor(servers: readonly RedisServer[]) {
    this.servers = servers
  }

  static async start(count: number, args: readonly string[] = []): Promise<QuorumNodes> {
    const names = Array.from({ length: count }, (_, index) => `node-${index + 1}`)
    return new QuorumNodes(await Promise.all(names.map((name) => RedisServer.start({ name, args }))))
  }

  /** Connections of its own to each node, or to what stands before it. */
  backend(urls: readonly string[] = this.servers.map(({ url }) => url)): Backend {
    return quorum(urls.map((url) => redis(url)))
  }

  /** Makes namespaces as they are a while after their birth. */
  async age(namespaces: readonly string[]): Promise<void> {
    await Promise.all(this.servers.map((server) => ageAt(server, namespaces)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.servers) if (server.running) server.resume()
    await Promise.all(this.servers.map((server) => server[Symbol.asyncDispose]()))
  }
}

async function ageAt(server: RedisServer, namespaces: readonly string[]): Promise<void> {
  for (const namespace of namespaces) {
    const setup = { namespace, maxTtlMs: MAX_TTL_MS, quarantine: true, voter: true, onHint: () => {} }
    const ledger = await portOf(redis(server.url)).connect({ ...setup, clock: systemClock, random: systemRandom })
    const draft = { ttlMs: 1000, host: 'test', pid: process.pid, seenBefore: true, minSeq: 0 }
    const buckets = Array.from({ length: ledger.buckets }, (_, bucket) => bucket)
    await Promise.all(
      buckets.map(async (bucket) => {
        const id = systemRandom.id()
        await ledger.open({ ...draft, bucket, id })
        await ledger.end({ bucket, id })
      }),
    )
    await ledger.close()
  }
  await grown(server, namespaces)
}

async function grown(access: RedisAccess, namespaces: readonly string[]): Promise<void> {
  const heads = namespaces.flatMap((namespace) => keysOf(namespace).buckets.map(({ keys: [head] }) => head))
  const script = `for _, head in ipairs(KEYS) do redis.call('HSET', head, 'grace', '0') end`
  await access.ask('EVAL', script, heads.length, ...heads)
}
