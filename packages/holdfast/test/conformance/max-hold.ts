/** The hard end of a lease: it comes whatever the holder does, and each task of a process has its own. */
import assert from 'node:assert/strict'
import { isHoldfastError } from '../../src/index.ts'
import type { Chapter, Facts } from './fact.ts'
import { type AnyLease, type Exclusive, laid } from './kind.ts'
import { brief, briefMs, gate, nowMs, pause, refusal, rejection, soon, until } from './waiting.ts'

/** After the end: a look at the store, a turn of the loop, and a machine that does other things too. */
const LOOK_MS = 2500

export function maxHold(kind: Exclusive): Chapter {
  return {
    title: `${kind.title}: maxHold`,
    needs: kind.needs ?? [],
    facts: { ...end(kind), ...handOver(kind), ...sections(kind) },
  }
}

function aborted(held: AnyLease): Promise<unknown> {
  return new Promise((resolve) => held.signal.addEventListener('abort', () => resolve(held.signal.reason)))
}

function end(kind: Exclusive): Facts {
  return {
    async 'a lease ends with its maxHold, is told why, and a neighbour is served then'(world) {
      const thing = await laid(kind, world)
      const startedMs = nowMs()
      const held = await thing.of(world.make()).acquire({ maxHold: brief(200) })
      const told = aborted(held)
      const next = thing.of(world.make()).acquire()
      const reason = await soon('the loss is told', told, LOOK_MS)
      assert.ok(isHoldfastError(reason, 'LEASE_LOST'))
      assert.equal(reason.reason, 'max-hold')
      assert.equal(reason.settled, null)
      assert.equal(held.isHeld(), false)
      assert.throws(() => held.assertHeld(), { name: 'LeaseLostError', reason: 'max-hold' })
      await refusal('LEASE_LOST', held.confirm())
      assert.equal((await soon('the neighbour is served', next, LOOK_MS)).isHeld(), true)
      const tookMs = nowMs() - startedMs
      assert.ok(tookMs > briefMs(200) * 0.8 && tookMs < briefMs(200 + LOOK_MS), `${tookMs} ms`)
      assert.equal(await held.release(), false)
    },

    async 'the next task of the same object is served when the maxHold of the first is over'(world) {
      const thing = await laid(kind, world)
      const locks = world.make()
      const startedMs = nowMs()
      await world.hold(thing.of(locks).acquire({ maxHold: brief(50) }))
      const next = await soon('the next task', thing.of(locks).acquire(), LOOK_MS)
      assert.ok(nowMs() - startedMs > briefMs(50) * 0.8)
      await pause(briefMs(100))
      await next.confirm()
    },

    async 'a wait in line does not count towards maxHold'(world) {
      const thing = await laid(kind, world)
      const first = await thing.of(world.make()).acquire()
      const waiting = [world.make(), world.make()].map((locks) => thing.of(locks).acquire({ maxHold: '2s' }))
      await pause(700)
      await first.release()
      const second = await Promise.race(waiting)
      assert.ok(second.validForMs() > 1350, `${second.validForMs()} ms`)
      await Promise.all(waiting.map(async (take) => (await take).release()))
    },

    async 'the default maxHold of the object ends what does not say otherwise'(world) {
      const thing = await laid(kind, world)
      const locks = world.make({ ttl: '10s', defaults: { maxHold: '2s' } })
      const held = await thing.of(locks).acquire()
      assert.ok(held.validForMs() <= 2000)
      await held.release()
      const longer = await thing.of(locks).acquire({ maxHold: '1h' })
      assert.ok(longer.validForMs() > 2000)
    },
  }
}

function handOver(kind: Exclusive): Facts {
  return {
    async 'a task with a short maxHold that takes over from one with a long one, and hangs, ends in time'(world) {
      const thing = await laid(kind, world)
      const locks = world.make()
      const first = await thing.of(locks).acquire({ maxHold: '1h' })
      const second = thing.of(locks).acquire({ maxHold: brief(300) })
      const neighbour = world.make()
      const startedMs = nowMs()
      await first.release()
      const hanging = await second
      const served = await soon('the neighbour', thing.of(neighbour).acquire(), LOOK_MS)
      assert.ok(nowMs() - startedMs > briefMs(300) * 0.7)
      assert.equal(hanging.isHeld(), false)
      assert.equal(served.isHeld(), true)
    },

    async 'a task without maxHold that takes over from one with a short one keeps the lock'(world) {
      const thing = await laid(kind, world)
      const locks = world.make()
      const first = await thing.of(locks).acquire({ maxHold: brief(100) })
      const second = thing.of(locks).acquire()
      await first.release()
      const kept = await second
      await pause(briefMs(200))
      assert.equal(kept.isHeld(), true)
      await kept.confirm()
      assert.equal(await thing.of(world.make()).tryAcquire(), null)
    },

    async 'tasks of one object that take turns each have their own end'(world) {
      const thing = await laid(kind, world)
      const locks = world.make({ ttl: '10s' })
      const ends = ['5s', '1h', '3s', '3s', '4s'] as const
      const valid = await Promise.all(
        ends.map((own) => thing.of(locks).run((held) => held.validForMs(), { maxHold: own })),
      )
      const none = await thing.of(locks).run((held) => held.validForMs())
      const within = (ms: number | undefined, most: number): boolean =>
        ms !== undefined && ms <= most && ms > most * 0.76
      const [five, hour, three, third, four] = valid
      assert.ok(within(five, 5000) && within(three, 3000) && within(third, 3000) && within(four, 4000), valid.join(' '))
      assert.ok((hour ?? 0) > 8000 && none > 8000)
    },
  }
}

function sections(kind: Exclusive): Facts {
  return {
    async 'a section that outlives its lock rejects with what it did all the same'(world) {
      const thing = await laid(kind, world)
      const lock = thing.of(world.make())
      const late = lock.run(
        async (held) => {
          await until('it is lost', () => !held.isHeld())
          return 'too late'
        },
        { maxHold: brief(0) },
      )
      const error = await refusal('LEASE_LOST', late)
      assert.equal(error.reason, 'max-hold')
      assert.deepEqual(error.settled, { status: 'fulfilled', value: 'too late' })
      const own = new Error('its own')
      const failed = lock.run(
        async (held) => {
          await until('it is lost', () => !held.isHeld())
          throw own
        },
        { maxHold: brief(0) },
      )
      assert.deepEqual((await refusal('LEASE_LOST', failed)).settled, { status: 'rejected', reason: own })
    },

    async 'a section that rejects with the reason of its signal is rejected with that very reason'(world) {
      const thing = await laid(kind, world)
      let reason: unknown
      const section = thing.of(world.make()).run(
        async (held) => {
          reason = await aborted(held)
          throw reason
        },
        { maxHold: brief(0) },
      )
      assert.equal(await rejection(section), reason)
      assert.ok(isHoldfastError(reason, 'LEASE_LOST'))
    },

    async 'a section is not left alone: run settles only when its function has'(world) {
      const thing = await laid(kind, world)
      const [begun, ended] = [gate(), gate()]
      const locks = world.make()
      let over = false
      const section = thing.of(locks).run(
        async () => {
          begun.open()
          await ended.passed
          over = true
        },
        { maxHold: brief(0) },
      )
      const outcome = rejection(section).then((error) => ({ error, over }))
      await soon('the section', begun.passed)
      // Meanwhile the lock is another's.
      const next = await soon('the next', thing.of(locks).acquire(), LOOK_MS)
      ended.open()
      assert.equal((await outcome).over, true)
      assert.equal(next.isHeld(), true)
    },
  }
}
