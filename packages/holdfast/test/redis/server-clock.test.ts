/**
 * A Redis server whose wall clock is set while locks are held. Sessions are counted by that clock, so a step forward is
 * a loss: what must hold then is that the holder is told, and that its late write is refused.
 */
import { expect, test } from 'vitest'
import { RedisServer, until } from '../../../../scripts/servers/index.ts'
import { memoryGuard } from '../../src/guards/index.ts'
import { holdfast, type LeaseLostError } from '../../src/index.ts'

const TTL_MS = 3_000
const BEAT_MS = TTL_MS / 3
/** An answer, and a busy machine. */
const SLACK_MS = 600

test('when the clock is set forward the holder is told within a beat, and its late write is refused', async () => {
  await using server = await RedisServer.start({ name: 'forward', clockOffsetMs: 0 })
  await using locks = holdfast(server.url, { namespace: 'clock', ttl: `${TTL_MS}ms` })
  await using other = holdfast(server.url, { namespace: 'clock', ttl: `${TTL_MS}ms` })
  const guard = memoryGuard()
  const old = await locks.mutex('door').acquire()
  await guard.enter(undefined, old)
  server.setClockOffset(60_000)
  const steppedMs = performance.now()
  const next = await other.mutex('door').acquire({ wait: '1s' })
  await guard.enter(undefined, next)
  await expect(guard.enter(undefined, old)).rejects.toMatchObject({ code: 'STALE_FENCE', fence: next.fence })
  await until('the holder is told', () => old.signal.aborted, { limitMs: BEAT_MS + SLACK_MS })
  expect(performance.now() - steppedMs).toBeLessThan(BEAT_MS + SLACK_MS)
  expect((old.signal.reason as LeaseLostError).reason).toBe('forgotten')
  expect(next.isHeld()).toBe(true)
})

test('a step forward that is shorter than two thirds of the ttl ends nothing', async () => {
  await using server = await RedisServer.start({ name: 'slightly', clockOffsetMs: 0 })
  await using locks = holdfast(server.url, { namespace: 'clock', ttl: `${TTL_MS}ms` })
  await using other = holdfast(server.url, { namespace: 'clock', ttl: `${TTL_MS}ms` })
  const lease = await locks.mutex('door').acquire()
  server.setClockOffset((TTL_MS * 2) / 3 - SLACK_MS)
  expect(await other.mutex('door').tryAcquire({ wait: '2s' })).toBeNull()
  await lease.confirm()
  expect(await lease.release()).toBe(true)
})

test('when the clock is set back fences rise all the same, and what is held is held on', async () => {
  await using server = await RedisServer.start({ name: 'back', clockOffsetMs: 0 })
  await using locks = holdfast(server.url, { namespace: 'clock', ttl: `${TTL_MS}ms` })
  const held = await locks.mutex('held').acquire()
  const before = await locks.mutex('door').run(({ fence }) => fence)
  server.setClockOffset(-3_600_000)
  await using stranger = holdfast(server.url, { namespace: 'clock', ttl: `${TTL_MS}ms` })
  expect((await stranger.mutex('door').run(({ fence }) => fence)) > before).toBe(true)
  await held.confirm()
  expect(await stranger.mutex('held').tryAcquire()).toBeNull()
  expect(await held.release()).toBe(true)
})
