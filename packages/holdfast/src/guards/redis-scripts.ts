/**
 * The two methods that the guard needs of a Redis client, whichever it is. Nothing waits for a connection here: what
 * lies in a client's queue and takes effect later is checked against the fences of that moment.
 */
import { show } from '../duration.ts'

/** A text, or bytes. */
export type RedisValue = string | Uint8Array

/** `Redis` and `Cluster` of ioredis 5 or 6. */
export interface IoredisScripts {
  evalsha(...args: never[]): unknown
  eval(...args: never[]): unknown
}

/** What `createClient`, `createCluster` and `createSentinel` of redis 5 or 6 give. */
export interface NodeRedisScripts {
  evalSha(...args: never[]): unknown
  eval(...args: never[]): unknown
}

export type RedisScripts = IoredisScripts | NodeRedisScripts

/** As they are called; each client's own types say it in a way that fits no other. */
interface Ioredis {
  readonly options?: { readonly keyPrefix?: unknown }
  evalsha(sha: string, keys: number, ...args: RedisValue[]): Promise<unknown>
  eval(text: string, keys: number, ...args: RedisValue[]): Promise<unknown>
}
interface NodeRedis {
  evalSha(sha: string, options: { readonly keys: string[]; readonly arguments: RedisValue[] }): Promise<unknown>
  eval(text: string, options: { readonly keys: string[]; readonly arguments: RedisValue[] }): Promise<unknown>
}

/** The one way in which both are used. */
export interface Runner {
  /** What the client puts before each key. */
  readonly prefix: string
  run(script: { readonly text: string; readonly sha: string }, keys: string[], args: RedisValue[]): Promise<unknown>
}

/** @throws {TypeError} it is no client that can run scripts */
export function runnerOf(client: unknown): Runner {
  if (has(client, 'evalsha', 'eval')) return ioredisRunner(client as Ioredis)
  if (has(client, 'evalSha', 'eval')) return nodeRedisRunner(client as NodeRedis)
  throw new TypeError(`client must be a client of ioredis or redis, not ${show(client)}`)
}

function has(client: unknown, ...methods: readonly string[]): boolean {
  if (typeof client !== 'object' || client === null) return false
  return methods.every((method) => typeof (client as Readonly<Record<string, unknown>>)[method] === 'function')
}

function ioredisRunner(client: Ioredis): Runner {
  const keyPrefix = client.options?.keyPrefix
  return {
    prefix: typeof keyPrefix === 'string' ? keyPrefix : '',
    run: ({ text, sha }, keys, args) =>
      known(
        () => client.evalsha(sha, keys.length, ...keys, ...args),
        () => client.eval(text, keys.length, ...keys, ...args),
      ),
  }
}

function nodeRedisRunner(client: NodeRedis): Runner {
  return {
    prefix: '',
    run: ({ text, sha }, keys, args) =>
      known(
        () => client.evalSha(sha, { keys, arguments: args }),
        () => client.eval(text, { keys, arguments: args }),
      ),
  }
}

/** By digest, and with the text where the server does not know it: the keys lead both to the same one. */
async function known(byDigest: () => Promise<unknown>, withText: () => Promise<unknown>): Promise<unknown> {
  try {
    return await byDigest()
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
    return withText()
  }
}
