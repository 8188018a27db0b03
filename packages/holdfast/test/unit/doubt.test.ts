/**
 * A lease whose clocks have moved apart: in doubt, which is not lost. The store has a clock of its own here, so that it
 * can side with either.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterEach, describe, expect, test } from 'vitest'
import { memory } from '../../src/backends/memory/index.ts'
import { HoldfastObject } from '../../src/holdfast.ts'
import type { HoldfastOptions, WarningEvent } from '../../src/index.ts'
import { systemRandom } from '../../src/random.ts'
import { StillClock, settle } from './still-clock.ts'

const TTL_MS = 10_000
const options: HoldfastOptions = { namespace: 'doubt', ttl: '10s', heartbeat: 'main' }
const endings: (() => unknown)[] = []

afterEach(async () => {
  for (const ending of endings.splice(0).reverse()) await ending()
})

/** A lease of an object with a clock of its own; the store goes by that of a neighbour. */
async function made() {
  const backend = memory()
  const [store, clock] = [new StillClock(), new StillClock()]
  const first = new HoldfastObject(backend, options, { clock: store, random: systemRandom })
  await first.mutex('other').acquire()
  const locks = new HoldfastObject(backend, options, { clock, random: systemRandom })
  endings.push(
    () => first.close(),
    () => locks.close(),
  )
  const lease = await locks.mutex('thing').acquire()
  const { signal } = lease
  return { store, clock, locks, lease, signal }
}

function warnings(): WarningEvent[] {
  const events: WarningEvent[] = []
  const listen = (message: unknown): void => void events.push(message as WarningEvent)
  subscribe('holdfast:warning', listen)
  endings.push(() => unsubscribe('holdfast:warning', listen))
  return events
}

const apart = [
  ['a machine that slept', (clock: StillClock): void => clock.sleep(TTL_MS + 500)],
  ['a wall clock that was set forward', (clock: StillClock): void => clock.step(TTL_MS + 500)],
] as const

describe.each(apart)('%s', (_, move) => {
  test('leaves the lease in doubt: not held, not lost, nothing handed on', async () => {
    const { clock, locks, lease, signal } = await made()
    const next = locks.mutex('thing').acquire()
    move(clock)
    expect(lease.isHeld()).toBe(false)
    expect(() => lease.assertHeld()).toThrow(expect.objectContaining({ code: 'NOT_HELD' }))
    expect(lease.validForMs()).toBe(0)
    expect(signal.aborted).toBe(false)
    await settle()
    await lease.release()
    await next
  })

  test('is healed by a beat that the store confirms, which is sent at once', async () => {
    const { clock, lease, signal } = await made()
    move(clock)
    expect(lease.isHeld()).toBe(false)
    await settle()
    expect(lease.isHeld()).toBe(true)
    expect(lease.validForMs()).toBeGreaterThan(TTL_MS * 0.9)
    await lease.confirm()
    expect(signal.aborted).toBe(false)
  })

  test('is ended by a store that says that the session is over', async () => {
    const { store, clock, lease, signal } = await made()
    move(clock)
    store.stall(TTL_MS + 500)
    expect(lease.isHeld()).toBe(false)
    expect(signal.aborted).toBe(false)
    await settle()
    expect(signal.aborted).toBe(true)
    expect(() => lease.assertHeld()).toThrow(expect.objectContaining({ code: 'LEASE_LOST' }))
  })

  test('is told once as a warning', async () => {
    const events = warnings()
    const { clock, lease } = await made()
    move(clock)
    for (let left = 5; left > 0; left--) lease.isHeld()
    await settle()
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({ namespace: 'doubt', code: 'clocks-apart' })
  })
})

test('a lease in doubt may be confirmed, which asks the store', async () => {
  const { clock, lease } = await made()
  clock.sleep(TTL_MS + 500)
  expect(lease.isHeld()).toBe(false)
  await lease.confirm()
  expect(lease.isHeld()).toBe(true)
})

test('the monotonic clock alone loses the lease, in that very instruction', async () => {
  const { clock, lease, signal } = await made()
  clock.stall(TTL_MS)
  expect(lease.isHeld()).toBe(false)
  expect(signal.aborted).toBe(true)
  expect(() => lease.assertHeld()).toThrow(expect.objectContaining({ code: 'LEASE_LOST' }))
})

test('a maxHold ends by the monotonic clock, and is in doubt by the others', async () => {
  const { clock, locks } = await made()
  const lease = await locks.mutex('short').acquire({ maxHold: '3s' })
  const { signal } = lease
  clock.sleep(4000)
  expect(lease.isHeld()).toBe(false)
  expect(signal.aborted).toBe(false)
  clock.stall(3000)
  expect(lease.isHeld()).toBe(false)
  expect(signal.aborted).toBe(true)
})
