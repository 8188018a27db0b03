/** What is dangerous in the settings of an ioredis client that was handed in. Nothing of it is changed. */
import type { Ioredis } from './ioredis.ts'

interface Options {
  readonly sentinels?: unknown
  readonly failoverDetector?: unknown
  readonly socketTimeout?: unknown
  readonly retryStrategy?: unknown
  readonly clusterRetryStrategy?: unknown
  readonly redisOptions?: { readonly socketTimeout?: unknown }
}

export function ioredisWarnings(client: Ioredis): readonly string[] {
  const options = (client.options ?? {}) as Options
  const found: string[] = []
  const hangs = 'and a server that hangs without closing its connections is never left'
  if (Array.isArray(options.sentinels) && options.failoverDetector !== true && options.socketTimeout === undefined) {
    found.push(`ioredis has neither failoverDetector nor socketTimeout, ${hangs}, also after a failover`)
  }
  if (client.isCluster === true && options.redisOptions?.socketTimeout === undefined) {
    found.push(`ioredis has no redisOptions.socketTimeout, ${hangs}, also after a failover`)
  }
  const retry = client.isCluster === true ? 'clusterRetryStrategy' : 'retryStrategy'
  if (typeof options[retry] !== 'function') {
    found.push(`ioredis has no ${retry}: after the first lost connection it stays closed`)
  }
  return found
}
