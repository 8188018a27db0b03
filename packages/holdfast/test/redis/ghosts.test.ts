/** Requests that arrive when nobody waits for them any more: they take nothing, or what they take is given back. */
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FaultProxy, RedisServer, until } from '../../../../scripts/servers/index.ts'
import { redis } from '../../src/backends/redis/index.ts'
import { bucketOf, keysOf } from '../../src/backends/redis/keys.ts'
import { scripts } from '../../src/backends/redis/script.ts'
import { type Holdfast, holdfast } from '../../src/index.ts'

const NAMESPACE = 'ghosts'
const TTL_MS = 3_000
const BEAT_MS = TTL_MS / 3
/** How long after its sending a take may be heeded. */
const NOT_AFTER_MS = TTL_MS / 3
const SHORT = '300ms'

let server: RedisServer
let proxy: FaultProxy
let locks: Holdfast
let other: Holdfast
beforeEach(async () => {
  server = await RedisServer.start({ name: 'ghosts' })
  proxy = await FaultProxy.start(server)
  const options = { namespace: NAMESPACE, ttl: `${TTL_MS}ms` } as const
  locks = holdfast(redis(proxy.url), options)
  other = holdfast(redis(server.url), options)
  // The session and the scripts are known before anything goes wrong.
  for (const one of [locks, other]) await one.mutex('thing').run(() => {})
  await pause(100)
})
afterEach(async () => {
  await Promise.all([locks.close(), other.close()])
  await proxy.close()
  await server.stop()
})

const isEnter = ([, sha]: readonly string[]): boolean => sha === scripts.enter.sha
const isLeave = ([, sha]: readonly string[]): boolean => sha === scripts.leave.sha

/** Another name in the same bucket. */
function beside(name: string): string {
  for (let number = 0; ; number++) {
    if (bucketOf(`lock:beside-${number}`) === bucketOf(`lock:${name}`)) return `beside-${number}`
  }
}

/** Places in lines, and claims of sessions: of both there are none when nobody holds or waits. */
async function claims(): Promise<number> {
  const [, , index] = keysOf(NAMESPACE).buckets[bucketOf('lock:thing')]?.keys ?? []
  return Number(await server.ask('ZCARD', index ?? ''))
}

test('a take that arrives past its time takes nothing', async () => {
  let late = 0
  proxy.lateMs = NOT_AFTER_MS + 300
  proxy.onRequest = (request) => {
    if (!isEnter(request) || late > 0) return isEnter(request) ? 'lose' : 'pass'
    late++
    return 'late'
  }
  const failed = await locks
    .mutex('thing')
    .acquire({ wait: SHORT })
    .catch((error: unknown) => error)
  expect(failed).toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
  const seen: number[] = []
  const untilMs = performance.now() + proxy.lateMs + 300
  while (performance.now() < untilMs) {
    seen.push(await claims())
    await pause(5)
  }
  expect(late).toBe(1)
  expect(Math.max(...seen)).toBe(0)
})

test('a take that arrives in time but behind its own leave is left again', async () => {
  let late = 0
  proxy.lateMs = 700
  proxy.onRequest = (request) => {
    if (!isEnter(request)) return 'pass'
    return late++ === 0 ? 'late' : 'lose'
  }
  await expect(locks.mutex('thing').acquire({ wait: SHORT })).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
  await until('the late take has taken it', async () => (await claims()) > 0, { limitMs: 1_000, everyMs: 2 })
  await until('and is left', async () => (await claims()) === 0, { limitMs: NOT_AFTER_MS + 500 })
  // Long before its session could end.
  await (await other.mutex('thing').acquire({ wait: '1s' })).release()
})

test('a take that arrives twice is one', async () => {
  proxy.lateMs = 200
  proxy.onRequest = (request) => (isEnter(request) ? 'twice' : 'pass')
  const lease = await locks.mutex('thing').acquire()
  await pause(300)
  expect((await other.inspect('thing'))[0]?.holders).toHaveLength(1)
  expect((await other.inspect('thing'))[0]?.waiters).toHaveLength(0)
  proxy.onRequest = null
  await lease.release()
  expect(await claims()).toBe(0)
})

test('a take that is heard once more after its release is found by an audit, if not before, and left', async () => {
  proxy.lateMs = 500
  proxy.onRequest = (request) => (isEnter(request) ? 'twice' : 'pass')
  const lease = await locks.mutex('thing').acquire()
  await lease.release()
  proxy.onRequest = null
  // Something else is held, so that the session is beaten.
  const kept = await locks.mutex(beside('thing')).acquire()
  await until('it stands again, for nobody', async () => (await locks.inspect('thing')).length > 0, { everyMs: 2 })
  await until('it is left', async () => (await locks.inspect('thing')).length === 0, {
    limitMs: BEAT_MS + 500,
  })
  kept.assertHeld()
  await (await other.mutex('thing').acquire({ wait: '1s' })).release()
})

test('a release that is lost on its way is sent again, and one that comes twice takes nothing from the next holder', async () => {
  let losses = 3
  proxy.onRequest = (request) => (isLeave(request) && losses-- > 0 ? 'lose' : 'pass')
  const lease = await locks.mutex('thing').acquire()
  const next = other.mutex('thing').acquire({ wait: '10s' })
  await lease.release()
  const second = await next
  expect(losses).toBeLessThanOrEqual(0)
  proxy.lateMs = 200
  proxy.onRequest = (request) => (isLeave(request) ? 'twice' : 'pass')
  const third = locks.mutex('thing').acquire({ wait: '10s' })
  await second.release()
  const held = await third
  await held.release()
  const fourth = await other.mutex('thing').acquire()
  await pause(400)
  await fourth.confirm()
})
