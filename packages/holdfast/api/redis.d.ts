/** A store to lock in, from `memory()`, `sqlite(file)`, … */
interface Backend {
  readonly kind: string;
}

interface Login {
  /** The ACL user; without it the password is that of the default user. */
  readonly username?: string;
  readonly password?: string;
  /** True, or what Node's `tls.connect` takes, such as `{ ca }`. */
  readonly tls?: boolean | object;
}
/** One server, or whatever the URL says. */
interface RedisUrl {
  readonly url: string;
  readonly tls?: boolean | object;
}
/** The primary that Sentinel names. */
interface RedisSentinels extends Login {
  readonly sentinels: readonly RedisHost[];
  /** What Sentinel calls the primary. */
  readonly name: string;
  readonly db?: number;
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
}
/** A cluster, found by some of its servers. */
interface RedisCluster extends Login {
  readonly cluster: readonly RedisHost[];
}
interface RedisHost {
  readonly host: string;
  readonly port?: number;
}
/** A module whose default export makes a client, so that a thread can make one as well. */
interface RedisConnect {
  /** A `file:` URL, as `import.meta.resolve('./redis.mjs')` gives it, or an absolute path. */
  readonly connect: string;
}

/** A client of ioredis 5 or 6: `new Redis()` or `new Cluster()`. */
interface IoredisClient {
  readonly status: string;
  evalsha(...args: never[]): unknown;
  duplicate(...args: never[]): unknown;
  subscribe(...args: never[]): unknown;
}
/** A client of node-redis 5 or 6, from `createClient`, `createCluster` or `createSentinel`. */
interface NodeRedisClient {
  readonly isOpen: boolean;
  evalSha(...args: never[]): unknown;
  withCommandOptions(...args: never[]): unknown;
  connect(...args: never[]): unknown;
}
type RedisClient = IoredisClient | NodeRedisClient;
interface RedisOptions {
  /** So many replicas must have a take before it is granted; 0 by default. */
  readonly replicas?: number;
}
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
declare function redis(client: RedisClient | RedisUrl | RedisSentinels | RedisCluster | RedisConnect | string, options?: RedisOptions): Backend;

export { type Backend, IoredisClient, NodeRedisClient, RedisClient, type RedisCluster, type RedisConnect, type RedisHost, RedisOptions, type RedisSentinels, type RedisUrl, redis };
