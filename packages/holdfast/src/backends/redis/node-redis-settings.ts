/** What is dangerous in the settings of a node-redis client that was handed in. Nothing of it is changed. */
import type { NodeRedis, NodeRedisKind } from './node-redis.ts'

interface Options {
  readonly socket?: { readonly reconnectStrategy?: unknown; readonly socketTimeout?: unknown }
}

export function nodeRedisWarnings(client: NodeRedis, kind: NodeRedisKind): readonly string[] {
  const { socket } = optionsOf(client, kind)
  const found: string[] = []
  if (socket?.reconnectStrategy === false) {
    found.push('redis has reconnectStrategy false: after the first lost connection it stays closed')
  }
  if (socket?.socketTimeout !== undefined && socket.reconnectStrategy === undefined) {
    found.push('redis has a socketTimeout and no reconnectStrategy: once nothing was said for so long, it stays closed')
  }
  return found
}

/** Of a cluster those of its connections; those of a Sentinel's client are hidden. */
function optionsOf(client: NodeRedis, kind: NodeRedisKind): Options {
  if (kind === 'cluster') return (client as { _options?: { defaults?: Options } })._options?.defaults ?? {}
  return (client as { options?: Options }).options ?? {}
}
