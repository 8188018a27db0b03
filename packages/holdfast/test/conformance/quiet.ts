/** What an object leaves behind in its process: no timer, no listener, no unreleased lock. Each fact has the process alone. */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { getEventListeners } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Holdfast, LeakEvent, Lease } from '../../src/index.ts'
import type { Chapter, Facts, World } from './fact.ts'
import { brief, nowMs, pause, refusal, rejection, soon, turns, until } from './waiting.ts'

function collector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

function resources(): string[] {
  return process
    .getActiveResourcesInfo()
    .filter((name) => !/^(Immediate|CloseReq|FSReqCallback|FSReqPromise)$/.test(name))
    .sort()
}

/** What there is more of than before. */
function beyond(before: readonly string[]): string[] {
  const left = [...before]
  return resources().filter((name) => {
    const at = left.indexOf(name)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

/** Uses all that an object has, so that whatever could be left behind had its chance. */
async function useAll(locks: Holdfast, signal: AbortSignal): Promise<void> {
  await locks.mutex('thing').run(() => {}, { signal, maxHold: '1h' })
  const held = await locks.rwlock('book').write().acquire({ signal })
  const waiting = refusal(
    'WAIT_TIMEOUT',
    locks
      .rwlock('book')
      .read()
      .acquire({ signal, wait: brief(20) }),
  )
  await waiting
  await (await held.downgrade()).confirm({ signal })
  await locks.semaphore('pool', { capacity: 2 }).tryAcquire({ signal, maxHold: '1h' })
  await locks.all([locks.mutex('a'), locks.mutex('b')]).run(() => turns(1), { signal })
  await locks.latch('done', 1).countDown('a')
  await locks.latch('done', 1).wait({ signal })
  await refusal('WAIT_TIMEOUT', locks.barrier('gate', 2).pass({ signal, wait: brief(20) }))
  for await (const _ of locks.cell('note').watch({ signal })) break
  for await (const _ of locks.election('chair').observe({ signal })) break
  for await (const _ of locks.list({ signal }));
  await locks.mutex('left').acquire({ detached: true, maxHold: '1s', signal })
}

function stall(ms: number): void {
  const endMs = nowMs() + ms
  while (nowMs() < endMs);
}

const traces: Facts = {
  async 'no timer, handle or request is left when an object is closed'(world) {
    const { signal } = new AbortController()
    // Once before the count, for what is loaded once a process.
    const first = world.make()
    await useAll(first, signal)
    await first.close()
    await pause(50)
    const before = resources()
    const locks = world.make()
    await useAll(locks, signal)
    await locks.close()
    await until('all is as before', () => beyond(before).length === 0).catch(() => {})
    assert.deepEqual(beyond(before), [])
  },

  async 'no listener is left on a signal, whether its take was granted, ended, aborted or refused'(world) {
    const { signal } = new AbortController()
    const locks = world.make()
    await useAll(locks, signal)
    assert.equal(await locks.mutex('left').tryAcquire({ signal }), null)
    const waiting = refusal('CLOSED', locks.mutex('left').acquire({ signal }))
    await turns(2)
    assert.equal(getEventListeners(signal, 'abort').length, 1)
    await locks.close()
    await waiting
    assert.equal(getEventListeners(signal, 'abort').length, 0)
  },

  async 'listeners do not pile up on a signal that outlives many takes'(world) {
    const { signal } = new AbortController()
    const locks = world.make()
    for (let left = 30; left > 0; left--) await locks.mutex('thing').run(() => {}, { signal })
    const warnings: Error[] = []
    const onWarning = (warning: Error): void => void warnings.push(warning)
    process.on('warning', onWarning)
    world.after(() => process.off('warning', onWarning))
    await Promise.all(Array.from({ length: 30 }, () => locks.mutex('thing').run(() => turns(1))))
    assert.equal(getEventListeners(signal, 'abort').length, 0)
    assert.deepEqual(warnings, [])
  },

  async 'a process listens to nothing more than before'(world) {
    const count = (): number => process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)
    const before = count()
    const locks = world.make()
    await useAll(locks, new AbortController().signal)
    // The heartbeat thread, if there is one, is let go at the end of the process, once for all objects.
    assert.ok(count() <= before + 1)
    await locks.close()
    await until('it listens to nothing more', () => count() === before)
  },
}

async function forget(locks: Holdfast, name: string): Promise<void> {
  await locks.mutex(name).acquire({ label: 'forgetful' })
}

function leaks(world: World): LeakEvent[] {
  const events: LeakEvent[] = []
  const listen = (message: unknown): void => {
    const event = message as LeakEvent
    if (event.namespace === world.namespace) events.push(event)
  }
  subscribe('holdfast:leak', listen)
  world.after(() => unsubscribe('holdfast:leak', listen))
  return events
}

const forgotten: Facts = {
  async 'a lease that was collected unreleased is given back and told, one that is kept is not'(world) {
    const gc = collector()
    const events = leaks(world)
    const locks = world.make()
    await forget(locks, 'forgotten')
    const kept = await locks.mutex('kept').acquire()
    await pause(1100)
    await until('it is told', async () => {
      gc()
      await turns(2)
      return events.length > 0
    })
    assert.equal(events.length, 1)
    const [event] = events
    assert.equal(event?.name, 'forgotten')
    assert.equal(event?.label, 'forgetful')
    assert.ok((event?.heldMs ?? 0) > 900)
    assert.ok((event?.fence ?? 0n) > 0n)
    await soon('it is free', world.make().mutex('forgotten').acquire())
    assert.equal(kept.isHeld(), true)
  },

  async 'a released lease, a lost one and a detached one are no leak'(world) {
    const gc = collector()
    const events = leaks(world)
    const locks = world.make()
    await (async (): Promise<void> => {
      await (await locks.mutex('released').acquire()).release()
      await locks.mutex('lost').acquire({ maxHold: '50ms' })
      await locks.mutex('detached').acquire({ detached: true, maxHold: '1h' })
      await locks.mutex('section').run(() => turns(1))
    })()
    await pause(1200)
    for (let left = 5; left > 0; left--) {
      gc()
      await turns(3)
    }
    assert.deepEqual(events, [])
    assert.equal(await world.make().mutex('detached').tryAcquire(), null)
  },
}

const stalls: Facts = {
  async 'a lease says that it was lost in the first instruction after a stall longer than its ttl'(world) {
    const { ttl } = world.subject
    const locks = world.make({ ttl, heartbeat: 'main' })
    const held = await locks.mutex('thing').acquire()
    stall(world.subject.ttlMs + 20)
    assert.equal(held.isHeld(), false)
    assert.equal(held.signal.aborted, true)
    assert.throws(() => held.assertHeld(), { code: 'LEASE_LOST', reason: 'stalled' })
    assert.equal(held.validForMs(), 0)
    await rejection(held.confirm())
    const again = await soon('the object goes on', locks.mutex('thing').acquire())
    assert.ok(again.fence > held.fence)
  },

  async 'a stall shorter than the ttl is survived, and told if it made a beat late'(world) {
    const { ttl } = world.subject
    const held = await world.make({ ttl, heartbeat: 'main' }).mutex('thing').acquire()
    stall(world.subject.ttlMs * 0.4)
    assert.equal(held.isHeld(), true)
    await until('it is renewed', () => held.validForMs() > world.subject.ttlMs * 0.75)
    await held.confirm()
  },

  async 'a lease says at the very moment that its maxHold is over, without a timer having run'(world) {
    for (const take of [{ maxHold: '60ms' }, { maxHold: '60ms', fair: true }] as const) {
      const held = await world.make().mutex('thing').acquire(take)
      stall(80)
      assert.equal(held.isHeld(), false)
      assert.equal(held.signal.aborted, true)
    }
  },

  async 'a free lock that lingers is had by a try also when what is known of it is old'(world) {
    const locks = world.make({ front: { linger: '20s' } })
    await locks.mutex('thing').run(() => {})
    stall(80)
    assert.notEqual(await locks.mutex('thing').tryAcquire(), null)
  },

  async 'what waits in the process is not granted a lock whose session died in a stall'(world) {
    const { ttl } = world.subject
    const locks = world.make({ ttl, heartbeat: 'main' })
    const held: Lease = await locks.mutex('thing').acquire()
    const next = locks.mutex('thing').acquire()
    await turns(2)
    stall(world.subject.ttlMs + 20)
    await held.release()
    const lease = await soon('the next', next, 3000)
    await lease.confirm()
    assert.ok(lease.fence >> 10n > held.fence >> 10n, 'it stands in the line anew')
  },
}

export const quietChapters: readonly Chapter[] = [
  { title: 'traces', needs: ['cells', 'permits', 'detached'], alone: true, facts: traces },
  { title: 'leaks', needs: ['detached'], alone: true, facts: forgotten },
  { title: 'stalls', needs: ['order'], alone: true, facts: stalls },
]
