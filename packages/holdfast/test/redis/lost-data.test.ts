/** A server that loses its data while locks are held: holders are told within a beat, and fences go on above the old ones. */
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { RedisServer, SentinelSet, until } from '../../../../scripts/servers/index.ts'
import { redis } from '../../src/backends/redis/index.ts'
import { type Backend, type Holdfast, type HoldfastOptions, holdfast, type Lease } from '../../src/index.ts'

const TTL_MS = 3_000
const BEAT_MS = TTL_MS / 3
/** A try to reach the server again, an answer, and a busy machine. */
const SLACK_MS = 600
/** The longest pause between two tries to connect. */
const RECONNECT_MS = 1_000
const BEHIND_MS = 10_000
const NAMES = Array.from({ length: 20 }, (_, index) => `held-${index}`)

/** Two processes, as it were, that take part from before the loss on. */
async function parties(
  backend: () => Backend,
  ttl: HoldfastOptions['ttl'] = `${TTL_MS}ms`,
): Promise<{
  readonly locks: Holdfast
  readonly other: Holdfast
  [Symbol.asyncDispose](): Promise<void>
}> {
  const options = { namespace: 'loss', ttl } as const
  const [locks, other] = [holdfast(backend(), options), holdfast(backend(), options)]
  return {
    locks,
    other,
    async [Symbol.asyncDispose]() {
      await Promise.all([locks.close(), other.close()])
    },
  }
}

const hold = (locks: Holdfast): Promise<Lease[]> => Promise.all(NAMES.map((name) => locks.mutex(name).acquire()))

/** When each lease was lost, and why. */
function losses(leases: readonly Lease[]): Promise<readonly { readonly atMs: number; readonly reason: string }[]> {
  return Promise.all(
    leases.map(
      ({ signal }) =>
        new Promise<{ readonly atMs: number; readonly reason: string }>((resolve) => {
          const tell = (): void => resolve({ atMs: performance.now(), reason: signal.reason.reason })
          signal.addEventListener('abort', tell, { once: true })
        }),
    ),
  )
}

/** All were told by then, and whoever takes each name next has a higher fence than anybody before. */
async function expectTold(
  leases: readonly Lease[],
  told: Awaited<ReturnType<typeof losses>>,
  untilMs: number,
): Promise<void> {
  expect(Math.max(...told.map(({ atMs }) => atMs))).toBeLessThan(untilMs)
  expect(told.filter(({ reason }) => reason !== 'expired' && reason !== 'forgotten')).toEqual([])
  expect(leases.filter((lease) => lease.isHeld())).toEqual([])
}

async function expectHigher(leases: readonly Lease[], takers: readonly Holdfast[]): Promise<void> {
  for (const lease of leases) {
    let highest = lease.fence
    for (const taker of takers) {
      const next = await taker.mutex(lease.name).acquire({ wait: '5s' })
      expect(next.fence > highest).toBe(true)
      highest = next.fence
      await next.release()
    }
  }
}

describe('after', () => {
  test('FLUSHALL holders are told within a beat, and fences rise', async () => {
    await using server = await RedisServer.start({ name: 'flushed' })
    await using both = await parties(() => redis(server.url))
    const leases = await hold(both.locks)
    await both.other.mutex('seen').run(() => {})
    const told = losses(leases)
    await pause(200)
    const lostMs = performance.now()
    await server.ask('FLUSHALL')
    await expectTold(leases, await told, lostMs + BEAT_MS + SLACK_MS)
    await expectHigher(leases, [both.other, both.locks])
  })

  test('a restart without persistence holders are told within a beat, and fences rise', async () => {
    await using server = await RedisServer.start({ name: 'restarted' })
    await using both = await parties(() => redis(server.url))
    const leases = await hold(both.locks)
    const told = losses(leases)
    await pause(200)
    await server.restart()
    const lostMs = performance.now()
    await expectTold(leases, await told, lostMs + BEAT_MS + SLACK_MS)
    await expectHigher(leases, [both.other, both.locks])
  })

  test('a restart that kept the data nothing is lost', async () => {
    await using server = await RedisServer.start({
      name: 'kept',
      args: ['--appendonly', 'yes', '--appendfsync', 'always'],
    })
    await using both = await parties(() => redis(server.url))
    const leases = await hold(both.locks)
    await pause(100)
    await server.restart()
    await pause(TTL_MS + 500)
    for (const lease of leases) await lease.confirm()
    expect(await both.other.mutex(NAMES[0] ?? '').tryAcquire()).toBeNull()
    await Promise.all(leases.map((lease) => lease.release()))
    await expectHigher(leases, [both.other])
  })
})

describe('a failover that loses takes, to a replica whose clock is 10 s behind', () => {
  const ttlMs = 9_000

  /** From here on the replica hears nothing from its primary, not even what is on its way. */
  async function part(primary: RedisServer, replica: RedisServer): Promise<void> {
    await primary.ask('WAIT', 1, 2_000)
    await replica.ask('CONFIG', 'SET', 'masteruser', 'nobody', 'masterauth', 'nothing')
    await primary.ask('CLIENT', 'KILL', 'TYPE', 'replica')
    await until('they are parted', async () => (await primary.info('replication')).connected_slaves === '0')
  }

  test('tells their holders within a beat, keeps the others, and fences rise for who takes part', async () => {
    await using set = await SentinelSet.start({ replicas: 1, clockOffsetsMs: [0, -BEHIND_MS], downAfterMs: 500 })
    const backend = (): Backend => redis({ sentinels: set.addresses, name: set.name })
    await using both = await parties(backend, `${ttlMs}ms`)
    const [primary, replica] = set.servers
    if (primary === undefined || replica === undefined) throw new Error('there are two servers')
    const kept = await Promise.all(['kept-1', 'kept-2'].map((name) => both.locks.mutex(name).acquire()))
    await both.other.mutex('seen').run(() => {})
    await part(primary, replica)
    const leases = await hold(both.locks)
    const told = losses(leases)
    await primary.kill()
    expect(await set.promotedAfter(primary)).toBe(replica)
    const lostMs = performance.now()
    await expectTold(leases, await told, lostMs + ttlMs / 3 + RECONNECT_MS + SLACK_MS)
    for (const lease of kept) {
      await lease.confirm()
      expect(await both.other.mutex(lease.name).tryAcquire()).toBeNull()
    }
    // The lost buckets were younger than their clock was ahead: who saw their numbers keeps them rising.
    await expectHigher(leases, [both.locks, both.other])
    await Promise.all(kept.map((lease) => lease.release()))
    await expectHigher(kept, [both.other])
  })
})
