/** A module of the application's that makes a client of whatever kind, here and in the heartbeat's thread. */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { BackendRefusedError } from '../../errors.ts'
import { isIoredis } from './ioredis.ts'
import { nodeRedisKind } from './node-redis.ts'

/** @throws {BackendRefusedError} there is no such module, or it makes no client */
export async function clientOf(module: string): Promise<unknown> {
  const make = await makerOf(module)
  const client: unknown = await make()
  if (isIoredis(client) || nodeRedisKind(client) !== null) return client
  throw new BackendRefusedError(`the default export of ${module} must make a client of ioredis or redis`)
}

interface Loaded {
  readonly default?: unknown
}

async function load(module: string): Promise<Loaded> {
  try {
    return (await import(module)) as Loaded
  } catch (error) {
    // As CommonJS this very file has no `import`, but a `require` that knows paths and no URLs.
    if ((error as { code?: unknown }).code !== 'MODULE_NOT_FOUND') throw error
    const loaded = createRequire(module)(fileURLToPath(module)) as Loaded
    return typeof loaded === 'function' ? { default: loaded } : loaded
  }
}

async function makerOf(module: string): Promise<() => unknown> {
  let loaded: Loaded
  try {
    loaded = await load(module)
  } catch (error) {
    throw new BackendRefusedError(`the module ${module} cannot be loaded: ${String(error)}`, { cause: error })
  }
  // What was written as CommonJS is wrapped once more.
  const outer = loaded.default
  const inner = typeof outer === 'object' && outer !== null ? (outer as { readonly default?: unknown }).default : outer
  if (typeof inner !== 'function') throw new BackendRefusedError(`${module} must have a function as its default export`)
  return inner as () => unknown
}
