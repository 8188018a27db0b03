/**
 * The client libraries, one connection each. Their settings are those they come with, except what a lock library must
 * ask for itself: node-redis gives every command a timer of its own, and what is measured here is not that timer.
 */
import { Redis } from 'ioredis'
import { createClient, type RedisClientType } from 'redis'

export type ClientName = 'ioredis' | 'node-redis'
export async function openIoredis(url: string): Promise<Redis> {
  const client = new Redis(url, { lazyConnect: true })
  // Without a listener each failed connection would be written to the terminal.
  client.on('error', () => {})
  await client.connect()
  return client
}

export async function openNodeRedis(url: string): Promise<RedisClientType> {
  const client = createClient({ url, commandOptions: { timeout: 0 } })
  // Without a listener a cut would end the process.
  client.on('error', () => {})
  return client.connect()
}
