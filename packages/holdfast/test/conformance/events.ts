/** What is published on the diagnostics channels, and with which payload. */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { EventByChannel } from '../../src/index.ts'
import type { Chapter, Facts, World } from './fact.ts'
import { brief, pause, refusal, rejection, soon, turns, until } from './waiting.ts'

/** What this world's namespace publishes on a channel from now on. */
function heard<C extends keyof EventByChannel>(world: World, channel: C): EventByChannel[C][] {
  const events: EventByChannel[C][] = []
  const listen = (message: unknown): void => {
    const event = message as EventByChannel[C]
    if (event.namespace === world.namespace) events.push(event)
  }
  subscribe(channel, listen)
  world.after(() => unsubscribe(channel, listen))
  return events
}

const takes: Facts = {
  async 'each take is told once, with its outcome, its wait and whether it was local'(world) {
    const events = heard(world, 'holdfast:take')
    const locks = world.make()
    const first = await locks.mutex('thing', { label: 'night shift' }).acquire()
    const second = locks.mutex('thing').acquire()
    await turns(2)
    await pause(20)
    await first.release()
    const held = await second
    await locks.mutex('thing').tryAcquire()
    await refusal('WAIT_TIMEOUT', locks.mutex('thing').acquire({ wait: brief(20) }))
    const controller = new AbortController()
    const aborted = rejection(locks.mutex('thing').acquire({ signal: controller.signal }))
    controller.abort()
    await aborted
    const waiting = refusal('CLOSED', locks.mutex('thing').acquire())
    await locks.close()
    await waiting
    assert.deepEqual(
      events.map(({ outcome }) => outcome),
      ['granted', 'granted', 'busy', 'timeout', 'aborted', 'closed'],
    )
    const [one, two, , timeout] = events
    assert.deepEqual(one, {
      namespace: world.namespace,
      name: 'thing',
      kind: 'lock',
      label: 'night shift',
      outcome: 'granted',
      waitedMs: one?.waitedMs,
      local: false,
      fence: first.fence,
    })
    assert.equal(two?.local, true)
    assert.equal(two?.fence, held.fence)
    assert.equal(two?.label, null)
    assert.ok((two?.waitedMs ?? 0) >= 18)
    assert.ok((timeout?.waitedMs ?? 0) >= 18)
    assert.equal(timeout?.fence, null)
  },

  async 'an outage and a refusal are outcomes of their own'(world) {
    const events = heard(world, 'holdfast:take')
    const { locks, cable } = world.cabled()
    await locks.ready()
    cable.cut('refusing')
    await rejection(locks.mutex('thing').acquire({ wait: brief(30) }))
    await rejection(locks.mutex('thing').tryAcquire())
    cable.heal()
    await rejection(world.make({ maxTtl: '5m' }).mutex('thing').acquire())
    assert.deepEqual(
      events.map(({ outcome }) => outcome),
      ['outage', 'outage', 'refused'],
    )
  },

  async 'kinds are told apart, and a nested take is local'(world) {
    const events = heard(world, 'holdfast:take')
    const locks = world.make()
    await locks.semaphore('pool', { capacity: 1 }).run(() => {})
    await locks.election('chair').run(() => {})
    const again = locks.mutex('thing', { reentrant: true })
    await again.run(() => again.run(() => {}))
    assert.deepEqual(
      events.map(({ kind, local }) => [kind, local]),
      [
        ['semaphore', false],
        ['election', false],
        ['lock', false],
        ['lock', true],
      ],
    )
  },
}

const ends: Facts = {
  async 'a release is told with how long the lease was held'(world) {
    const events = heard(world, 'holdfast:release')
    const lost = heard(world, 'holdfast:lost')
    const held = await world.make().mutex('thing').acquire({ label: 'night shift' })
    await pause(30)
    await held.release()
    await held.release()
    assert.equal(events.length, 1)
    const [event] = events
    assert.ok((event?.heldMs ?? 0) >= 28 && (event?.heldMs ?? 0) < 3000)
    assert.deepEqual(event, {
      namespace: world.namespace,
      name: 'thing',
      kind: 'lock',
      label: 'night shift',
      heldMs: event?.heldMs,
      fence: held.fence,
    })
    assert.equal(lost.length, 0)
  },

  async 'each loss is told once, with its reason'(world) {
    const events = heard(world, 'holdfast:lost')
    const released = heard(world, 'holdfast:release')
    const locks = world.make({ ttl: world.subject.ttl })
    const ended = await locks.mutex('one').acquire({ maxHold: '30ms' })
    await until('it ends', () => events.length === 1)
    assert.equal(ended.isHeld(), false)
    await world.hold(locks.mutex('two').acquire())
    await world.make().forceRelease('two')
    await until('it is revoked', () => events.length === 2)
    await world.hold(locks.mutex('three').acquire())
    await locks.close()
    assert.deepEqual(
      events.map(({ name, reason }) => [name, reason]),
      [
        ['one', 'max-hold'],
        ['two', 'revoked'],
        ['three', 'closed'],
      ],
    )
    assert.equal(released.length, 0)
  },

  async 'a lease held over warnAfter is told, again at each doubling'(world) {
    const events = heard(world, 'holdfast:held-long')
    const locks = world.make({ warnAfter: '60ms' })
    const held = await locks.mutex('thing').acquire({ label: 'slow' })
    const short = await locks.mutex('short').acquire()
    await short.release()
    await until('three reports', () => events.length >= 3)
    await held.release()
    const count = events.length
    const ages = events.map(({ heldMs }) => heldMs)
    for (const [index, least] of [60, 120, 240].entries()) assert.ok((ages[index] ?? 0) >= least, ages.join(' '))
    assert.deepEqual(events[0], {
      namespace: world.namespace,
      name: 'thing',
      kind: 'lock',
      label: 'slow',
      heldMs: ages[0],
      fence: held.fence,
      id: held.id,
    })
    await pause(150)
    assert.equal(events.length, count)
  },
}

const sessions: Facts = {
  async 'a session is told when it opens, when the link is suspended and resumed, and when it is lost'(world) {
    const events = heard(world, 'holdfast:session')
    const states = (): string[] => events.map(({ state }) => state).filter((state) => state !== 'heartbeat')
    const { locks, cable } = world.cabled({ ttl: world.subject.ttl })
    const held = await locks.mutex('thing').acquire()
    assert.deepEqual(states(), ['opened'])
    cable.cut('refusing')
    await rejection(held.confirm())
    cable.heal()
    await held.confirm()
    assert.deepEqual(states(), ['opened', 'suspended', 'resumed'])
    assert.ok((events.find(({ state }) => state === 'suspended')?.detail ?? '').length > 0)
    cable.cut('refusing')
    await until('it is lost', () => states().includes('lost'), 2500)
    assert.equal(held.isHeld(), false)
  },

  async 'a lost session says how many waiters lost their place'(world) {
    const events = heard(world, 'holdfast:session')
    const other = world.make()
    const names = ['a', 'b', 'c']
    const blocking = await Promise.all(names.map((name) => other.mutex(name).acquire()))
    const { locks, cable } = world.cabled({ ttl: world.subject.ttl })
    const waits = names.map((name) => locks.mutex(name).acquire({ wait: '20s' }))
    await until('they wait', async () => (await other.inspect('c'))[0]?.waiters.length === 1)
    cable.cut('refusing')
    const placesLost = (): number => events.reduce((sum, event) => sum + event.placesLost, 0)
    await until('all have lost it', () => placesLost() === 3, 2500)
    cable.heal()
    for (const held of blocking) await held.release()
    await soon('they are served all the same', Promise.all(waits), 3000)
  },

  async 'an idle session that ends is no loss'(world) {
    const events = heard(world, 'holdfast:session')
    const lost = heard(world, 'holdfast:lost')
    const locks = world.make({ ttl: world.subject.ttl })
    await locks.mutex('thing').run(() => {})
    await until('it ends', () => locks.status().session === 'none', world.subject.ttlMs * 1.5)
    await locks.mutex('thing').run(() => {})
    await locks.close()
    const states = events.map(({ state }) => state)
    assert.equal(states.includes('lost'), false)
    assert.equal(states.filter((state) => state === 'opened').length, 2)
    assert.equal(lost.length, 0)
  },

  async 'who beats is told, and why'(world) {
    const events = heard(world, 'holdfast:session')
    const locks = world.make({ heartbeat: 'main' })
    await world.hold(locks.mutex('thing').acquire())
    await turns(2)
    const told = events.find(({ state }) => state === 'heartbeat')
    assert.equal(told?.heartbeat, 'main')
    assert.equal(told?.detail, locks.status().heartbeatReason)
  },
}

const hints: Facts = {
  async 'a waiter that found its turn by asking says that it was not told'(world) {
    const events = heard(world, 'holdfast:hint-missed')
    const held = await world.make().mutex('thing').acquire()
    const { locks, cable } = world.cabled({ ttl: world.subject.ttl })
    cable.mute = true
    const waiting = locks.mutex('thing').acquire({ label: 'deaf' })
    await until('it waits', async () => (await locks.inspect('thing'))[0]?.waiters.length === 1)
    // Until it listens it does not count on being told.
    await pause(100)
    await held.release()
    await soon('its turn', waiting, world.subject.ttlMs + 500)
    const [event] = events
    assert.equal(events.length, 1)
    assert.ok((event?.waitedMs ?? 0) > 0)
    assert.deepEqual(event, {
      namespace: world.namespace,
      name: 'thing',
      kind: 'lock',
      label: 'deaf',
      waitedMs: event?.waitedMs,
    })
  },

  async 'a waiter that was told says nothing'(world) {
    const events = heard(world, 'holdfast:hint-missed')
    const held = await world.make().mutex('thing').acquire()
    const locks = world.make()
    const waiting = locks.mutex('thing').acquire()
    await until('it waits', async () => (await locks.inspect('thing'))[0]?.waiters.length === 1)
    await pause(30)
    await held.release()
    await waiting
    assert.deepEqual(events, [])
  },
}

export const eventChapters: readonly Chapter[] = [
  { title: 'events of takes', needs: ['permits', 'order'], facts: takes },
  { title: 'events of leases', needs: ['claims'], facts: ends },
  { title: 'events of sessions', needs: ['order'], facts: sessions },
  { title: 'events of hints', needs: ['order'], facts: hints },
]
