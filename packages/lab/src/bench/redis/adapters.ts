/** Everybody who takes part, in the order of their turns. */
import type { Adapter } from './adapter.ts'
import { oursFair, oursIoredis, oursNodeRedis } from './adapters/ours.ts'
import { rawIoredis, rawNodeRedis } from './adapters/raw.ts'
import { semaphoreIoredis } from './adapters/redis-semaphore.ts'
import { redlock5 } from './adapters/redlock.ts'
import { universalIoredis, universalNodeRedis } from './adapters/redlock-universal.ts'
import { sesamecare } from './adapters/sesamecare.ts'
import { simpleNodeRedis } from './adapters/simple-redis-mutex.ts'

export const RAW: readonly Adapter[] = [rawIoredis, rawNodeRedis]
export const OURS: readonly Adapter[] = [oursIoredis, oursNodeRedis]
export const FAIR: Adapter = oursFair
export const PEERS: readonly Adapter[] = [
  redlock5,
  sesamecare,
  universalIoredis,
  semaphoreIoredis,
  universalNodeRedis,
  simpleNodeRedis,
]

const ALL: ReadonlyMap<string, Adapter> = new Map(
  [...RAW, ...OURS, FAIR, ...PEERS].map((adapter) => [adapter.name, adapter]),
)

/** @throws {RangeError} */
export function adapterNamed(name: string): Adapter {
  const adapter = ALL.get(name)
  if (adapter === undefined) throw new RangeError(`no adapter is called ${JSON.stringify(name)}`)
  return adapter
}
