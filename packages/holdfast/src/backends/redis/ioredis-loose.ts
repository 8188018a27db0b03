/** An ioredis client of ours keeps no process alive: neither its connections do, nor its next attempts to connect. */
import type { Ioredis } from './ioredis.ts'

export function loosen(client: Ioredis): void {
  // Without a listener it would write its errors to the console.
  client.on('error', () => {})
  client.on('connect', () => client.stream?.unref?.())
  client.on('reconnecting', () => (client as { reconnectTimeout?: NodeJS.Timeout | null }).reconnectTimeout?.unref())
  client.on('+node', (node) => loosen(node as Ioredis))
  client.stream?.unref?.()
}
