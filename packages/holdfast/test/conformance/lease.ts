/** The lease of something that excludes: what it says of itself, and how it ends. */
import assert from 'node:assert/strict'
import type { Chapter, Facts } from './fact.ts'
import { type Exclusive, laid } from './kind.ts'
import { pause, refusal, rejection, turns } from './waiting.ts'

export function lease(kind: Exclusive): Chapter {
  return {
    title: `${kind.title}: the lease`,
    needs: kind.needs ?? [],
    facts: { ...word(kind), ...ending(kind) },
  }
}

function word(kind: Exclusive): Facts {
  return {
    async 'a held lease says so, and says nothing of the kind once it was released'(world) {
      const lock = (await laid(kind, world)).of(world.make({ ttl: '10s' }))
      const held = await lock.acquire()
      assert.equal(held.name, 'thing')
      assert.ok(held.id.length > 0)
      assert.equal(held.isHeld(), true)
      held.assertHeld()
      held.assertHeld('5s')
      assert.ok(held.validForMs() > 5000 && held.validForMs() <= 9900, `${held.validForMs()} ms`)
      await held.release()
      assert.equal(held.isHeld(), false)
      assert.equal(held.validForMs(), 0)
      assert.throws(() => held.assertHeld(), { name: 'NotHeldError', code: 'NOT_HELD' })
    },

    async 'assertHeld refuses when less is left than was asked for'(world) {
      const lock = (await laid(kind, world)).of(world.make({ ttl: '10s' }))
      const held = await lock.acquire()
      assert.throws(() => held.assertHeld('11s'), { name: 'NotHeldError', message: /11s/ })
      held.assertHeld('1s')
    },

    async 'assertHeld refuses a length of time without its unit, also when the lock is not held'(world) {
      const lock = (await laid(kind, world)).of(world.make())
      const held = await lock.acquire()
      const bare = 5 as unknown as '5s'
      assert.throws(() => held.assertHeld(bare), { name: 'TypeError', message: /atLeast/ })
      assert.throws(() => held.assertHeld('-5s'), { name: 'RangeError', message: /atLeast.*-5s/ })
      await held.release()
      assert.throws(() => held.assertHeld(bare), { name: 'TypeError' })
    },

    async 'a lease with a maxHold is valid no longer than that'(world) {
      const lock = (await laid(kind, world)).of(world.make({ ttl: '10s' }))
      const held = await lock.acquire({ maxHold: '2s' })
      assert.ok(held.validForMs() > 1500 && held.validForMs() <= 2000, `${held.validForMs()} ms`)
      assert.throws(() => held.assertHeld('3s'), { name: 'NotHeldError' })
    },

    async 'a lease has at least a third of its ttl left when it is handed out, however long its take waited'(world) {
      const thing = await laid(kind, world)
      const first = await thing.of(world.make()).acquire()
      const waits = [world.make({ ttl: '3s' }), world.make({ ttl: '3s' })].map((locks) => thing.of(locks).acquire())
      await pause(900)
      await first.release()
      for (let left = waits.length; left > 0; left--) {
        const next = await Promise.race(waits.map(async (take, index) => ({ index, lease: await take })))
        assert.ok(next.lease.validForMs() > 900, `${next.lease.validForMs()} ms`)
        await next.lease.release()
        waits.splice(next.index, 1)
      }
    },

    async 'confirm asks the store, and throws when the lease has ended'(world) {
      const thing = await laid(kind, world)
      const { locks, cable } = world.cabled()
      const held = await thing.of(locks).acquire()
      const before = cable.count()
      await held.confirm()
      assert.ok(cable.count() > before)
      await held.release()
      await refusal('NOT_HELD', held.confirm())
    },

    async 'confirm heeds its signal'(world) {
      const thing = await laid(kind, world)
      const { locks, cable } = world.cabled()
      const held = await thing.of(locks).acquire()
      const reason = new Error('enough')
      assert.equal(await rejection(held.confirm({ signal: AbortSignal.abort(reason) })), reason)
      cable.cut('silent')
      const controller = new AbortController()
      const confirmed = held.confirm({ signal: controller.signal })
      controller.abort(reason)
      assert.equal(await rejection(confirmed), reason)
      cable.heal()
    },

    async 'a lease can be written as JSON'(world) {
      const lock = (await laid(kind, world)).of(world.make())
      const held = await lock.acquire()
      const written = JSON.parse(JSON.stringify(held)) as Record<string, unknown>
      assert.equal(written.name, held.name)
      assert.equal(written.id, held.id)
      assert.equal(written.held, true)
      assert.ok(Number(written.validForMs) > 0)
    },

    async 'each lease has an id of its own, also after a hand-over'(world) {
      const lock = (await laid(kind, world)).of(world.make())
      const ids = await Promise.all([1, 2, 3, 4].map(() => lock.run(({ id }) => id)))
      assert.equal(new Set(ids).size, 4)
    },
  }
}

function ending(kind: Exclusive): Facts {
  return {
    async 'release answers true when the lease was held, and does not abort its signal'(world) {
      const lock = (await laid(kind, world)).of(world.make())
      const held = await lock.acquire()
      const { signal } = held
      assert.equal(await held.release(), true)
      await turns()
      assert.equal(signal.aborted, false)
      assert.equal(held.signal.aborted, false)
    },

    async 'releasing twice is harmless, also for the next holder, here and elsewhere'(world) {
      const thing = await laid(kind, world)
      const [here, there] = [world.make(), world.make()]
      for (const next of [here, there]) {
        const first = await thing.of(here).acquire()
        const waiting = thing.of(next).acquire()
        await Promise.all([first.release(), first.release()])
        const second = await waiting
        await first.release()
        await second.confirm()
        assert.equal(second.isHeld(), true)
        assert.equal(await thing.of(there).tryAcquire(), null)
        await second.release()
      }
    },

    async 'a release resolves when the store has confirmed it, so that a neighbour finds the lock free'(world) {
      const thing = await laid(kind, world)
      const [here, there] = [world.make(), world.make()]
      for (let left = 5; left > 0; left--) {
        const held = await thing.of(here).acquire()
        await held.release()
        const taken = await thing.of(there).tryAcquire()
        assert.notEqual(taken, null)
        await taken?.release()
      }
    },

    async 'a lease is released at the end of its block'(world) {
      const lock = (await laid(kind, world)).of(world.make())
      const seen = await lock.acquire()
      await seen[Symbol.asyncDispose]()
      assert.equal(seen.isHeld(), false)
      const inBlock = async (): Promise<boolean> => {
        await using held = await lock.acquire()
        return held.isHeld()
      }
      assert.equal(await inBlock(), true)
      assert.notEqual(await lock.tryAcquire(), null)
    },

    async 'null from a try may stand in a disposing declaration'(world) {
      const thing = await laid(kind, world)
      await world.hold(thing.of(world.make()).acquire())
      const inBlock = async (): Promise<boolean> => {
        await using held = await thing.of(world.make()).tryAcquire()
        return held === null
      }
      assert.equal(await inBlock(), true)
    },

    async 'a release inside the section is no loss'(world) {
      const lock = (await laid(kind, world)).of(world.make())
      assert.equal(
        await lock.run(async (held) => {
          await held.release()
          return 'done'
        }),
        'done',
      )
    },
  }
}
