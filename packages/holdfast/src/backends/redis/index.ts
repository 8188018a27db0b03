/**
 * `redis(client)`: locks on a Redis or Valkey server, on a primary that Sentinel watches, or on a cluster, over a client
 * that is open already. Redis 7.0 is the floor.
 */
import { asBackend, type Backend } from '../../backend.ts'
import { show } from '../../duration.ts'
import { type Ioredis, IoredisWire, isIoredis } from './ioredis.ts'
import { RedisLedger } from './ledger.ts'

export type { Backend } from '../../backend.ts'

export type RedisClient = Ioredis

export function redis(client: RedisClient): Backend {
  if (!isIoredis(client)) throw new TypeError(`client must be a client of ioredis or redis, not ${show(client)}`)
  return asBackend({
    kind: 'redis',
    ttlMsMin: 0,
    worker: null,
    async connect(setup) {
      const wire = new IoredisWire(client, false)
      await wire.ready()
      const ledger = new RedisLedger(wire, setup, null)
      try {
        await ledger.connect()
      } catch (error) {
        await ledger.close()
        throw error
      }
      return ledger
    },
  })
}
