/** What the resource sees of the fences: whoever was passed by another is refused, however it lost its lock. */
import assert from 'node:assert/strict'
import { memoryGuard } from '../../src/guards/index.ts'
import type { Lease, PermitLease } from '../../src/index.ts'
import type { Chapter, Facts } from './fact.ts'
import { refusal, rejection, soon, until } from './waiting.ts'

const facts: Facts = {
  async 'a late write of a holder whose time is over is refused, and told the fence that refused it'(world) {
    const guard = memoryGuard()
    const locks = world.make()
    const late = await locks.mutex('row').acquire({ maxHold: '40ms' })
    await guard.enter(undefined, late)
    const next = await soon('the next', locks.mutex('row').acquire())
    await guard.enter(undefined, late)
    await guard.enter(undefined, next)
    const error = await refusal('STALE_FENCE', guard.enter(undefined, late))
    assert.equal(error.fence, next.fence)
    await guard.enter(undefined, next)
  },

  async 'a holder that was released by force cannot write after the next has begun, told or not'(world) {
    const guard = memoryGuard()
    const { locks, cable } = world.cabled()
    const revoked = await locks.mutex('row').acquire()
    cable.cut('silent')
    assert.equal(await world.make().forceRelease('row'), 1)
    const next = await soon('the next', world.make().mutex('row').acquire())
    assert.equal(revoked.isHeld(), true)
    await guard.enter(undefined, next)
    await refusal('STALE_FENCE', guard.enter(undefined, revoked))
    cable.heal()
  },

  async 'tasks of one object that take turns pass each other in the guard too'(world) {
    const guard = memoryGuard()
    const locks = world.make()
    const leases: Lease[] = []
    for (let left = 3; left > 0; left--) {
      await locks.mutex('row').run(async (held) => {
        await guard.enter(undefined, held)
        leases.push(held)
      })
    }
    for (const held of leases.slice(0, 2)) await refusal('STALE_FENCE', guard.enter(undefined, held))
  },

  async 'readers let each other in, a writer behind them shuts them out, a downgrade counts as a reader'(world) {
    const guard = memoryGuard()
    const [here, there] = [world.make(), world.make()]
    const readers = [await here.rwlock('row').read().acquire(), await there.rwlock('row').read().acquire()]
    for (const reader of readers) await guard.enter(undefined, reader)
    for (const reader of readers) await guard.enter(undefined, reader)
    for (const reader of readers) await reader.release()
    const writer = await here.rwlock('row').write().acquire()
    await guard.enter(undefined, writer)
    for (const reader of readers) await refusal('STALE_FENCE', guard.enter(undefined, reader))
    const became = await writer.downgrade()
    const beside = await there.rwlock('row').read().acquire()
    await guard.enter(undefined, beside)
    await guard.enter(undefined, became)
  },

  async 'a slot has a fence for the guard, a permit without one has not'(world) {
    const guard = memoryGuard()
    const pool = world.make().semaphore('pool', { capacity: 1 })
    const first = await pool.acquire({ slot: true, maxHold: '40ms' })
    await until('it is over', () => !first.isHeld())
    const second = await soon('the next', pool.acquire({ slot: true }))
    await guard.enter(undefined, second)
    await refusal('STALE_FENCE', guard.enter(undefined, first))
    const plain: PermitLease = await world.make().semaphore('other', { capacity: 1 }).acquire()
    assert.ok((await rejection(guard.enter(undefined, plain))) instanceof TypeError)
  },
}

export const guardChapter: Chapter = { title: 'guards', needs: ['permits', 'claims'], facts }
