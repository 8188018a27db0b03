/** Detached leases: they outlive whoever took them, end by their own time, and are released by id from anywhere. */
import assert from 'node:assert/strict'
import type { Chapter, Facts } from './fact.ts'
import { brief, nowMs, pause, refusal, rejection, soon, until } from './waiting.ts'

const facts: Facts = {
  async 'a detached lease outlives the object that took it, and ends with its maxHold'(world) {
    const locks = world.make({ ttl: world.subject.ttl })
    const startedMs = nowMs()
    const maxHoldMs = world.subject.ttlMs + 400
    const held = await locks.mutex('job').acquire({ detached: true, maxHold: `${maxHoldMs}ms`, label: 'left behind' })
    await locks.close()
    const neighbour = world.make()
    assert.equal(await neighbour.mutex('job').tryAcquire(), null)
    const [line] = await neighbour.inspect('job')
    assert.equal(line?.holders[0]?.id, held.id)
    assert.equal(line?.holders[0]?.label, 'left behind')
    await soon('it ends', neighbour.mutex('job').acquire(), maxHoldMs + 800)
    const tookMs = nowMs() - startedMs
    assert.ok(tookMs > maxHoldMs - 50, `${tookMs} ms`)
  },

  async 'it is released by its id from another object'(world) {
    const locks = world.make()
    const held = await locks.mutex('job').acquire({ detached: true, maxHold: '1h' })
    const neighbour = world.make()
    const waiting = neighbour.mutex('job').acquire()
    await until('it waits', async () => (await neighbour.inspect('job'))[0]?.waiters.length === 1)
    await locks.close()
    assert.equal(await world.make().mutex('job').release(held.id), true)
    const next = await soon('the waiter', waiting)
    assert.equal(await neighbour.mutex('job').release(held.id), false)
    await next.confirm()
  },

  async 'it may be released by the lease itself'(world) {
    const locks = world.make()
    const held = await locks.mutex('job').acquire({ detached: true, maxHold: '1h' })
    assert.equal(held.isHeld(), true)
    await held.confirm()
    assert.equal(await held.release(), true)
    assert.notEqual(await world.make().mutex('job').tryAcquire(), null)
  },

  async 'it is beaten by nobody: no request is sent for it while it is held'(world) {
    const { locks, cable } = world.cabled({ ttl: world.subject.ttl })
    const held = await locks.mutex('job').acquire({ detached: true, maxHold: '1h' })
    await pause(50)
    const before = cable.count()
    await pause(world.subject.ttlMs + 200)
    assert.equal(cable.count(), before)
    assert.equal(held.isHeld(), true)
    await held.confirm()
  },

  async 'it waits in line as others do, kept alive while it waits'(world) {
    const { ttl } = world.subject
    const first = await world.make().mutex('job').acquire()
    const locks = world.make({ ttl })
    const waiting = locks.mutex('job').acquire({ detached: true, maxHold: '1h' })
    await pause(world.subject.ttlMs + 300)
    const seen = world.make()
    assert.equal((await seen.inspect('job'))[0]?.waiters.length, 1)
    await first.release()
    const held = await soon('its turn', waiting)
    assert.ok(held.validForMs() > 3_000_000)
  },

  async 'a detached take that gave up leaves nothing in the line'(world) {
    await world.hold(world.make().mutex('job').acquire())
    const locks = world.make()
    await refusal('WAIT_TIMEOUT', locks.mutex('job').acquire({ detached: true, maxHold: '1h', wait: brief(40) }))
    assert.equal(await locks.mutex('job').tryAcquire({ detached: true, maxHold: '1h' }), null)
    const seen = world.make()
    await until('nobody waits', async () => (await seen.inspect('job'))[0]?.waiters.length === 0)
  },

  async 'close does not wait for it, and releases what is not detached'(world) {
    const locks = world.make()
    await world.hold(locks.mutex('job').acquire({ detached: true, maxHold: '1h' }))
    const other = await locks.mutex('other').acquire()
    setTimeout(() => void other.release(), 40)
    await soon('close', locks.close({ drain: '20s' }))
    const neighbour = world.make()
    assert.equal(await neighbour.mutex('job').tryAcquire(), null)
    assert.notEqual(await neighbour.mutex('other').tryAcquire(), null)
  },

  async 'a section may be detached: it is released when the section is over'(world) {
    const locks = world.make()
    const id = await locks.mutex('job').run((held) => held.id, { detached: true, maxHold: '1h' })
    assert.equal(await locks.mutex('job').release(id), false)
    assert.notEqual(await world.make().mutex('job').tryAcquire(), null)
  },

  async 'permits and readers may be detached too'(world) {
    const locks = world.make()
    const permit = await locks.semaphore('pool', { capacity: 1 }).acquire({ detached: true, maxHold: '1h' })
    const reader = await locks.rwlock('book').read().acquire({ detached: true, maxHold: '1h' })
    await locks.close()
    const neighbour = world.make()
    assert.equal(await neighbour.semaphore('pool', { capacity: 1 }).tryAcquire(), null)
    assert.equal(await neighbour.rwlock('book').write().tryAcquire(), null)
    assert.equal(await neighbour.semaphore('pool', { capacity: 1 }).release(permit.id), true)
    assert.equal(await neighbour.rwlock('book').read().release(reader.id), true)
    assert.notEqual(await neighbour.rwlock('book').write().tryAcquire(), null)
  },

  async 'an operator may end it by force'(world) {
    const locks = world.make()
    const held = await locks.mutex('job').acquire({ detached: true, maxHold: '1h' })
    assert.equal(await world.make().forceRelease('job', held.id), 1)
    await refusal('LEASE_LOST', held.confirm())
    assert.equal(held.isHeld(), false)
  },

  async 'without a maxHold it is refused, and so is an id that is none'(world) {
    const lock = world.make().mutex('job')
    const error = await rejection(lock.acquire({ detached: true }))
    assert.ok(error instanceof TypeError)
    assert.match(error.message, /maxHold/)
    for (const id of ['', 'x', '../x', 'a'.repeat(10_000)])
      assert.ok((await rejection(lock.release(id))) instanceof TypeError)
    assert.equal(await lock.release('0123456789abcdef.00000000'), false)
  },
}

export const detachedChapter: Chapter = { title: 'detached', needs: ['detached', 'permits'], facts }
