/** A server that stops answering while its connections stay open: nobody waits longer than he said, and no claim is left. */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type RedisAccess, RedisServer, until } from '../../../../scripts/servers/index.ts'
import { redis } from '../../src/backends/redis/index.ts'
import { type Holdfast, holdfast, isHoldfastError } from '../../src/index.ts'

const TAKES = 100
const STOPPED_MS = 5_000
const SETTLED_MS = 700
const GONE_MS = 1_000

interface Settled {
  readonly afterMs: number
  readonly outcome: string
  readonly name: string
}

/** Half of them on names of their own, half on one. */
function take(locks: Holdfast, index: number): Promise<Settled> {
  const startMs = performance.now()
  const name = index % 2 === 0 ? `own-${index}` : 'shared'
  const outcome = (text: string): Settled => ({ afterMs: performance.now() - startMs, outcome: text, name })
  return locks
    .mutex(name)
    .acquire({ wait: '500ms' })
    .then(
      async (lease) => {
        const granted = outcome('granted')
        await lease.release()
        return granted
      },
      (error: unknown) => outcome(isHoldfastError(error, 'BACKEND_UNAVAILABLE') ? 'outage' : String(error)),
    )
}

/** A line has an entry in the book, a claim one in the index; of neither is anything left when nobody holds or waits. */
async function claimsLeft(server: RedisAccess): Promise<number> {
  const indexes = await server.keys('*:index')
  const counts = await Promise.all(indexes.map((key) => server.ask('ZCARD', key)))
  return counts.reduce<number>((sum, count) => sum + Number(count), 0)
}

/** Stopped for sure: on a busy machine the signal takes its time. */
async function stop(server: RedisServer): Promise<void> {
  server.pause()
  const state = (): string => readFileSync(`/proc/${server.pid}/stat`, 'utf8').replace(/^.*\) /, '')
  await until('the server is stopped', () => state().startsWith('T'), { everyMs: 1 })
}

// With a long life the store still heeds what was sent before the stop, with a short one sessions end meanwhile.
test.each(['3s', '15s', '60s'] as const)(
  'takes that meet a stopped server end in time and leave no claim behind, with a ttl of %s',
  async (ttl) => {
    await using server = await RedisServer.start({ name: 'stopped' })
    await using locks = holdfast(redis(server.url), { namespace: 'hung', ttl })
    await locks.mutex('shared').run(() => {})
    const before = Array.from({ length: TAKES / 4 }, (_, index) => take(locks, index))
    // In the middle of their way: some have been answered, some are on the wire.
    await pause(1)
    await stop(server)
    const stoppedMs = performance.now()
    const during: Promise<Settled>[] = []
    while (before.length + during.length < TAKES) {
      during.push(take(locks, before.length + during.length))
      if (during.length % 25 === 0) await pause(500)
    }
    const settled = await Promise.all([...before, ...during])
    expect(Math.max(...settled.map(({ afterMs }) => afterMs))).toBeLessThan(SETTLED_MS)
    expect(settled.filter(({ outcome }) => outcome !== 'granted' && outcome !== 'outage')).toEqual([])
    // A lease that this process holds already may be handed on for a moment without a word from the server.
    const remote = (await Promise.all(during)).filter(({ name }) => name !== 'shared')
    expect(remote.filter(({ outcome }) => outcome !== 'outage')).toEqual([])
    await pause(stoppedMs + STOPPED_MS - performance.now())
    server.resume()
    await pause(GONE_MS)
    expect(await claimsLeft(server)).toBe(0)
    await locks.mutex('shared').run(() => {}, { wait: '5s' })
  },
)
