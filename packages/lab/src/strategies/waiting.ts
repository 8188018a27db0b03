/** Five ways to wait for one and the same lock: without a pause, by recursion, with a growing pause, until told, and until told or a pause is over. */
import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { nowMs } from '../sale/moment.ts'
import { type Release, sellUnder } from '../shop/selling.ts'
import type { Shop } from '../shop/shop.ts'
import { redisLock } from './redis-lock.ts'
import type { Buy, Strategy } from './strategy.ts'

const shared = { step: 31, store: 'redis', made: 'plain client' } as const
const FILE = 'waiting.ts'
const BACKOFF_MS = { first: 2, max: 50 }
/** How often one that waits to be told looks all the same. */
const LOOK_MS = 500

const RELEASE_AND_TELL = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
return redis.call('PUBLISH', KEYS[1], '')`

export const spinning: Strategy = {
  ...shared,
  name: 'spinning',
  title: 'Waiting: again at once',
  verdict: 'right',
  fixes: 'The short wait: nobody sees the lock earlier.',
  leaves: 'Thousands of commands in vain, which make the holder itself slower.',
  source: { file: FILE, line: 'await turn() // as often as the server answers' },
  open: (shop) =>
    open(shop, async (attempt) => {
      const untilMs = nowMs() + shop.terms.waitMs
      while (nowMs() < untilMs) {
        const release = await attempt()
        if (release !== null) return release
        await turn() // as often as the server answers
      }
      return null
    }),
}

export const recursing: Strategy = {
  ...shared,
  name: 'recursing',
  title: 'Waiting: the take calls itself',
  verdict: 'right',
  fixes: 'Nothing: it reads well.',
  leaves: 'Each attempt keeps all before it in memory, and where calls do not wait the stack ends.',
  source: { file: FILE, line: 'return again(deep + 1)' },
  open: (shop) =>
    open(shop, (attempt) => {
      const untilMs = nowMs() + shop.terms.waitMs
      const again = async (deep: number): Promise<Release | null> => {
        shop.meter.peak('calls deep', deep)
        const release = await attempt()
        if (release !== null || nowMs() > untilMs) return release
        await shop.pause(shop.terms.retryMs)
        return again(deep + 1)
      }
      return again(1)
    }),
}

export const backingOff: Strategy = {
  ...shared,
  name: 'backing-off',
  title: 'Waiting: a loop with growing, jittered pauses',
  verdict: 'right',
  fixes: 'The commands in vain: mostly.',
  leaves: 'The lock is free while everybody sleeps, and whoever came last is as likely to be next.',
  source: { file: FILE, line: 'pauseMs = Math.min(pauseMs * 2, BACKOFF_MS.max)' },
  open: (shop) =>
    open(shop, async (attempt) => {
      const untilMs = nowMs() + shop.terms.waitMs
      for (let pauseMs = BACKOFF_MS.first; nowMs() < untilMs; ) {
        const release = await attempt()
        if (release !== null) return release
        await shop.pause(pauseMs * (0.5 + Math.random()))
        pauseMs = Math.min(pauseMs * 2, BACKOFF_MS.max)
      }
      return null
    }),
}

export const toldOnly: Strategy = {
  ...shared,
  name: 'told-only',
  title: 'Waiting: until the release is published',
  verdict: 'right until',
  fixes: 'The sleep over a free lock: who waits is woken at the release, and asks nothing before.',
  leaves:
    'A message is sent once: who misses it waits for ever, and a holder who dies sends none. It wakes everybody, and all but one ask in vain.',
  source: { file: FILE, line: 'openTold(shop, (told) => told)' },
  open: (shop) => openTold(shop, (told) => told),
}

export const toldOrLooking: Strategy = {
  ...shared,
  name: 'told-or-looking',
  title: 'Waiting: until it is published, and a look now and then',
  verdict: 'right',
  fixes: 'The lost message: it costs one pause.',
  leaves: 'Everybody is told of every release, and all but one come in vain.',
  source: { file: FILE, line: 'Promise.race([told, shop.pause(LOOK_MS)])' },
  open: (shop) => openTold(shop, (told) => Promise.race([told, shop.pause(LOOK_MS)])),
}

type Attempt = () => Promise<Release | null>

async function open(shop: Shop, wait: (attempt: Attempt) => Promise<Release | null>): Promise<Buy> {
  const { redis, key } = await redisLock(shop)
  const attempt: Attempt = async () => {
    const owner = randomUUID()
    if ((await redis.set(key, owner, 'PX', shop.terms.ttlMs, 'NX')) !== null) {
      return () => redis.eval(RELEASE_AND_TELL, 1, key, owner)
    }
    shop.meter.wasted += 1
    return null
  }
  return sellUnder(shop, () => wait(attempt))
}

async function openTold(shop: Shop, until: (told: Promise<void>) => Promise<void>): Promise<Buy> {
  const releases = await listen(shop)
  return open(shop, async (attempt) => {
    const untilMs = nowMs() + shop.terms.waitMs
    while (nowMs() < untilMs) {
      // Listens before it looks: a release between the two would not be heard of.
      const told = releases.next()
      const release = await attempt()
      if (release !== null) return release
      await shop.at('listens')
      await until(told)
    }
    return null
  })
}

/** Tells every task of this process of every release. */
async function listen(shop: Shop): Promise<{ next(): Promise<void> }> {
  const subscriber: Redis = (await shop.redis()).duplicate({ retryStrategy: () => 1_000 })
  subscriber.on('error', () => {})
  await subscriber.connect()
  await subscriber.subscribe(`${shop.item}:lock`)
  let waiting: (() => void)[] = []
  subscriber.on('message', () => {
    const told = waiting
    waiting = []
    for (const tell of told) tell()
  })
  return { next: () => new Promise((tell) => waiting.push(tell)) }
}
