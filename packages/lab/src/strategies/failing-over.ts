/** What happens to a lock when its server is lost: one primary with replicas, the same with fences, and a quorum. */

import { randomUUID } from 'node:crypto'
import { holdfast } from 'holdfast'
import { redisGuard } from 'holdfast/guard'
import { quorum } from 'holdfast/quorum'
import { redis } from 'holdfast/redis'
import { there } from '../shop/addresses.ts'
import { sellUnder } from '../shop/selling.ts'
import { fencedBuy } from './fencing.ts'
import { leased, opened, optionsOf, ttlMsOf } from './own-locks.ts'
import { DELETE_IF_MINE } from './owner-checked-delete.ts'
import type { Strategy } from './strategy.ts'

const FILE = 'failing-over.ts'
/** A lock that outlives the failover, so that its loss is what shows. */
const LONG_TTL_MS = 20_000

export const onePrimary: Strategy = {
  name: 'one-primary',
  step: 18,
  title: 'SET NX PX on a primary with replicas, behind Sentinel',
  store: 'sentinel',
  made: 'plain client',
  verdict: 'right until',
  fixes: 'The server that dies: another one takes its place.',
  leaves: 'The primary answers before its replicas know: the next one may never have heard of the lock.',
  source: { file: FILE, line: "await redis.set(key, owner, 'PX', LONG_TTL_MS, 'NX').catch(" },
  async open(shop) {
    const redis = await shop.sentinel()
    const key = `${shop.item}:lock`
    return sellUnder(shop, () =>
      shop.retried(async () => {
        const owner = randomUUID()
        // While nobody answers nobody can take it.
        const taken = await redis.set(key, owner, 'PX', LONG_TTL_MS, 'NX').catch(() => null)
        return taken === null ? null : () => redis.eval(DELETE_IF_MINE, 1, key, owner)
      }),
    )
  },
}

export const fencedPrimary: Strategy = {
  name: 'fenced-primary',
  step: 18,
  title: 'Holdfast behind Sentinel, and a shelf that knows the highest fence',
  store: 'sentinel',
  made: 'Holdfast',
  verdict: 'right',
  fixes: 'The lock that was lost with its primary: two may hold it for a while, and only the newer one can write.',
  leaves: 'What cannot check a fence.',
  source: { file: FILE, line: 'redis(await shop.sentinel())' },
  async open(shop) {
    const options = optionsOf(shop, { ttl: `${LONG_TTL_MS}ms` })
    const locks = await opened(holdfast(redis(await shop.sentinel()), options))
    const lock = locks.mutex('stock', { wait: `${shop.terms.waitMs}ms` })
    return fencedBuy(shop, redisGuard(await shop.redis(), `${shop.item}:left`), () => lock.acquire())
  },
}

export const quorumOfThree: Strategy = {
  name: 'quorum-of-three',
  step: 18,
  title: 'Holdfast: a quorum of three primaries that know nothing of each other',
  store: 'quorum',
  made: 'Holdfast',
  verdict: 'right',
  fixes: 'The lock that was lost with its primary: a majority has it, or nobody has.',
  leaves: 'Three servers, a round trip to each, and no order among those who wait.',
  source: { file: FILE, line: 'quorum(nodes)' },
  async open(shop) {
    const urls = there(shop.plan.addresses.quorum, 'quorum')
    const nodes = await Promise.all(urls.map(async (url) => redis(await shop.redis(url))))
    // A namespace that is younger than the largest ttl needs every node.
    const options = optionsOf(shop, { maxTtl: `${ttlMsOf(shop)}ms` })
    const locks = await opened(holdfast(quorum(nodes), options))
    const lock = locks.mutex('stock', { wait: `${shop.terms.waitMs}ms` })
    return sellUnder(shop, leased(lock))
  },
}
