/** A primary dies before its replicas know of the lock; and a quorum loses one of its nodes. */
import { SentinelSet } from '../../../../scripts/servers/sentinel-set.ts'
import { there } from '../shop/addresses.ts'
import { Meter } from '../shop/meter.ts'
import { connectRedis } from '../shop/redis.ts'
import type { Scene } from './scene.ts'

const PATIENCE_MS = 15_000

export const primaryDies: Scene = {
  name: 'primary-dies',
  title: 'The primary dies before its replicas know of the lock',
  until: 'the primary dies before it replicated',
  cases: [
    { strategy: 'one-primary', expect: 'breaks' },
    { strategy: 'fenced-primary', expect: 'holds' },
  ],
  async play(stage) {
    // Of its own: it is not the same afterwards.
    await using set = await SentinelSet.start()
    const sentinel = { name: set.name, sentinels: set.addresses }
    const other = { addresses: { sentinel }, terms: { waitMs: PATIENCE_MS } }
    const shops = await Promise.all([stage.process(other), stage.process(other)])
    const [a, b] = await Promise.all(shops.map((shop, number) => stage.customer('AB'.charAt(number), shop)))
    if (a === undefined || b === undefined) throw new Error('two processes make two customers')
    const primary = await set.primary()
    const replicas = set.servers.filter((server) => server !== primary)
    for (const replica of replicas) replica.pause()
    await primary.ask('CLIENT', 'KILL', 'TYPE', 'replica')
    stage.says('the replicas hear nothing any more')
    await a.to('paid')
    await primary.kill()
    for (const replica of replicas) replica.resume()
    stage.says('the primary dies')
    await set.promotedAfter(primary)
    stage.says('a replica takes its place')
    await b.end(PATIENCE_MS)
    await a.end(PATIENCE_MS)
    const lost = await stage.miscount()
    return {
      broken: lost > 0,
      says:
        lost > 0
          ? 'The new primary knew of no lock: B sold, and A wrote over it.'
          : 'B got the lost lock, and the write of A was refused.',
    }
  },
}

export const nodeDies: Scene = {
  name: 'node-dies',
  title: 'One of three nodes says nothing any more',
  until: 'a node is lost',
  cases: [{ strategy: 'quorum-of-three', expect: 'holds' }],
  async play(stage) {
    const [a, b, c] = await stage.three()
    await a.end()
    // While the namespace is younger than the largest ttl all nodes are needed.
    await stage.pass(1_500)
    await b.to('read the stock')
    const pid = await pidOf(there(stage.addresses.quorum, 'quorum')[0] ?? '')
    process.kill(pid, 'SIGSTOP')
    try {
      stage.says('one node stands still')
      await c.towards('holds the lock', 500)
      const shared = stage.mostAtOnce('B', 'C') > 1
      await b.end()
      await c.end()
      const lost = await stage.miscount()
      const { sold } = await stage.books()
      if (sold < 3) return { broken: true, says: `Only ${sold} of three could buy.` }
      return {
        broken: shared || lost > 0,
        says: shared ? 'Two held it at once.' : 'B kept the lock, and C got it after B.',
      }
    } finally {
      process.kill(pid, 'SIGCONT')
    }
  },
}

/** A server of this run tells its own. */
async function pidOf(url: string): Promise<number> {
  const redis = await connectRedis(url, new Meter())
  try {
    return Number(/^process_id:(\d+)/m.exec(await redis.info('server'))?.[1])
  } finally {
    redis.disconnect()
  }
}
