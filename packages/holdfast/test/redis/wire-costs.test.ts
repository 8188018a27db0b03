/**
 * What calls cost on the wire, counted by the server. The table of docs/performance.md is held against what is counted
 * here, row by row.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RedisServer, until } from '../../../../scripts/servers/index.ts'
import { redis } from '../../src/backends/redis/index.ts'
import { BUCKETS, bucketOf } from '../../src/backends/redis/keys.ts'
import { scripts } from '../../src/backends/redis/script.ts'
import { type Holdfast, type HoldfastOptions, holdfast, type Lease } from '../../src/index.ts'
import { CommandLog, type Entry } from './command-log.ts'

const DOCUMENT = new URL('../../../../docs/performance.md', import.meta.url)
const SCRIPTS: ReadonlyMap<string, string> = new Map(Object.values(scripts).map(({ sha, name }) => [sha, name]))
const WRITES: ReadonlySet<string> = new Set([
  'hset',
  'hdel',
  'zadd',
  'zrem',
  'set',
  'del',
  'pexpireat',
  'persist',
  'sadd',
])

/** How many locks are held at once; 100,000 take a minute. */
const HELD = Number(process.env.HOLDFAST_HELD ?? 10_000)
/** A beat is sent a little before its time. */
const BEAT_LEAST = (ttlMs: number): number => ttlMs * 0.29

/** One row of the table: what was sent, and what the scripts did. */
interface Cost {
  readonly sent: string
  readonly reads: number
  readonly writes: number
  readonly published: number
}

/** What a client sent: scripts by their name. */
function nameOf({ words }: Entry): string {
  const [command = '', sha = ''] = words
  return command === 'evalsha' || command === 'eval' ? (SCRIPTS.get(sha) ?? command) : command
}

function costOf(entries: readonly Entry[]): Cost {
  const inside = entries.filter((entry) => entry.inside).map(({ words }) => words[0] ?? '')
  const sent = entries.filter((entry) => !entry.inside).map(nameOf)
  const published = inside.filter((command) => command === 'publish').length
  const writes = inside.filter((command) => WRITES.has(command)).length
  return { sent: sent.join(' + ') || 'nothing', reads: inside.length - writes - published, writes, published }
}

let server: RedisServer
let log: CommandLog
beforeAll(async () => {
  server = await RedisServer.start({ name: 'counted' })
  log = await CommandLog.start(server)
})
afterAll(async () => {
  log[Symbol.dispose]()
  await server.stop()
})

let namespaces = 0

interface Stage {
  /** Both have used the server before, and the bucket of `thing` is open for both. */
  readonly locks: Holdfast
  readonly other: Holdfast
  /** Another one with the same ways. */
  make(options?: Partial<HoldfastOptions>): Holdfast
}

/** Runs what is counted between two looks at the log. */
async function counted(prepare: (stage: Stage) => Promise<() => Promise<unknown>>): Promise<Cost> {
  const namespace = `costs-${namespaces++}`
  const made: Holdfast[] = []
  const make = (options: Partial<HoldfastOptions> = {}): Holdfast => {
    const one = holdfast(redis(server.url), { namespace, ttl: '60s', ...options })
    made.push(one)
    return one
  }
  try {
    const [locks, other] = [make(), make()]
    for (const one of [locks, other]) await one.mutex('thing').run(() => {})
    const act = await prepare({ locks, other, make })
    await log.taken()
    await act()
    return costOf(await log.taken())
  } finally {
    await Promise.all(made.map((one) => one.close()))
  }
}

/** Waits at the server, and not in front of it. */
const standing = (locks: Holdfast): Promise<unknown> =>
  until('it waits', async () => (await locks.inspect('thing')).some(({ waiters }) => waiters.length > 0))

const CALLS: Readonly<Record<string, (stage: Stage) => Promise<() => Promise<unknown>>>> = {
  'take of a free lock': async ({ locks }) => {
    return () => locks.mutex('thing').acquire()
  },
  'release, nobody waits': async ({ locks }) => {
    const lease = await locks.mutex('thing').acquire()
    return () => lease.release()
  },
  'first take in a bucket, also after an idle ttl': async ({ make }) => {
    const fresh = make()
    await fresh.ready()
    return () => fresh.mutex('other').acquire()
  },
  'take with `maxHold`': async ({ locks }) => {
    return () => locks.mutex('thing').acquire({ maxHold: '1h' })
  },
  'take with a label': async ({ locks }) => {
    return () => locks.mutex('thing').acquire({ label: 'x' })
  },
  'take of a semaphore with a place left': async ({ locks, other }) => {
    await other.semaphore('thing', { capacity: 2 }).acquire()
    await locks.semaphore('thing', { capacity: 2 }).run(() => {})
    return () => locks.semaphore('thing', { capacity: 2 }).acquire()
  },
  'try that is refused': async ({ locks, other }) => {
    await other.mutex('thing').acquire()
    return () => locks.mutex('thing').tryAcquire()
  },
  'ten sections of one name in one process, one after the other': async ({ locks }) => {
    return () => Promise.all(Array.from({ length: 10 }, () => locks.mutex('thing').run(() => {})))
  },
  'take that waits': async ({ locks, other }) => {
    await (await standingOnce(locks, other)).release()
    await other.mutex('thing').acquire()
    return async () => {
      locks
        .mutex('thing')
        .acquire()
        .catch(() => {})
      await pause(100)
    }
  },
  'hand-over between processes: release, hint, look': async ({ locks, other }) => {
    await (await standingOnce(locks, other)).release()
    const lease = await other.mutex('thing').acquire()
    const next = locks.mutex('thing').acquire()
    await standing(other)
    return async () => {
      await lease.release()
      await next
    }
  },
  '`confirm`': async ({ locks }) => {
    const lease = await locks.mutex('thing').acquire()
    return () => lease.confirm()
  },
  '`downgrade`': async ({ locks }) => {
    const lease = await locks.rwlock('thing').write().acquire()
    return () => lease.downgrade()
  },
  '`forceRelease` of a claim': async ({ locks, other }) => {
    const { id } = await other.mutex('thing').acquire()
    return () => locks.forceRelease('thing', id)
  },
  'cell: `get`': async ({ locks }) => {
    await locks.cell('note').set('x')
    return () => locks.cell('note').get()
  },
  'cell: `set`': async ({ locks }) => {
    await locks.cell('note').set('x')
    return () => locks.cell('note').set('y')
  },
  '64 free locks of one bucket, taken in one turn': async ({ locks }) => {
    const names = namesBeside('thing', 64)
    return () => Promise.all(names.map((name) => locks.mutex(name).acquire()))
  },
  'beat of a bucket with one claim': async ({ make }) => {
    const brief = make({ ttl: '3s' })
    await brief.mutex('brief').acquire()
    // One beat is due in a third of the ttl.
    return () => pause(1_200)
  },
  '`close`, for each bucket that was used of late': async ({ make }) => {
    const fresh = make()
    await fresh.mutex('thing').acquire()
    return () => fresh.close()
  },
}

/** Names in the same bucket as another one. */
function namesBeside(name: string, count: number): readonly string[] {
  const names: string[] = []
  for (let number = 0; names.length < count; number++) {
    if (bucketOf(`lock:many-${number}`) === bucketOf(`lock:${name}`)) names.push(`many-${number}`)
  }
  return names
}

/** Has waited once, so that it listens already. */
async function standingOnce(locks: Holdfast, other: Holdfast): Promise<Lease> {
  const lease = await other.mutex('thing').acquire()
  const next = locks.mutex('thing').acquire()
  await standing(other)
  await lease.release()
  return next
}

describe('the table of wire costs', () => {
  const rows = readFileSync(DOCUMENT, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '))
  const rowOf = (call: string, { sent, reads, writes, published }: Cost): string =>
    `| ${call} | ${sent} | ${reads} | ${writes} | ${published} |`

  test.each(Object.entries(CALLS))('is true of: %s', async (call, prepare) => {
    // Once before, so that the server knows the scripts.
    await counted(prepare)
    const row = rowOf(call, await counted(prepare))
    expect(row).toBe(rows.find((line) => line.startsWith(`| ${call} |`)) ?? 'in the table')
  })
})

describe('what is promised of counts', () => {
  test('one at a time on a live session, take and release are two commands and publish nothing', async () => {
    const sections = 50
    const cost = await counted(async ({ locks }) => async () => {
      for (let left = sections; left > 0; left--) await locks.mutex('thing').run(() => {})
    })
    expect(cost.sent.split(' + ')).toEqual(Array.from({ length: sections }, () => ['enter', 'leave']).flat())
    expect(cost.published).toBe(0)
  })

  test('after an idle ttl one command more opens the session anew', async () => {
    const cost = await counted(async ({ make }) => {
      const brief = make({ ttl: '1s' })
      await brief.mutex('thing').run(() => {})
      await pause(1_100)
      return () => brief.mutex('thing').run(() => {})
    })
    expect(cost).toMatchObject({ sent: 'open + enter + leave', published: 0 })
  })

  test(`${HELD} held locks cost at most one command for each bucket and beat`, async () => {
    const ttlMs = HELD > 10_000 ? 30_000 : 6_000
    await using own = await RedisServer.start({ name: 'held' })
    await using locks = holdfast(redis(own.url), { namespace: 'held', ttl: `${ttlMs}ms` })
    const leases: Lease[] = []
    for (let at = 0; at < HELD; at += 1_000) {
      const some = Array.from({ length: 1_000 }, (_, index) => locks.mutex(`held-${at + index}`).acquire())
      leases.push(...(await Promise.all(some)))
    }
    await own.ask('CONFIG', 'RESETSTAT')
    const startMs = performance.now()
    await pause(2 * (ttlMs / 3))
    const beats = (performance.now() - startMs) / BEAT_LEAST(ttlMs)
    const { evalsha = 0, ...others } = await own.commandCounts()
    expect(evalsha).toBeGreaterThanOrEqual(BUCKETS)
    expect(evalsha).toBeLessThanOrEqual(BUCKETS * Math.ceil(beats))
    expect(others.publish ?? 0).toBe(0)
    expect(leases.filter((lease) => !lease.isHeld())).toEqual([])
  })
})
