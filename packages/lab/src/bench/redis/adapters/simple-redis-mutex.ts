/**
 * simple-redis-mutex. Every waiter tries again when a release is published. It has no way to stop waiting that loses no
 * lock: a try that succeeds after `failAfter` is nobody's.
 */
import { lock } from 'simple-redis-mutex'
import { type Adapter, SCRIPTS, TTL_MS } from '../adapter.ts'
import { openNodeRedis } from '../clients.ts'

export const simpleNodeRedis: Adapter = {
  name: 'simple-redis-mutex@node-redis',
  client: 'node-redis',
  sends: [...SCRIPTS, 'set', 'incr'],
  async open(url) {
    const client = await openNodeRedis(url)
    return { take: (name) => lock(client, name, { timeout: TTL_MS }) }
  },
}
