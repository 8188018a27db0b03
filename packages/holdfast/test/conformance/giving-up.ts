/** Waiting that ends without the lock: time is over, a signal aborts. Nothing of the waiter stays in the line. */
import assert from 'node:assert/strict'
import type { Holdfast, LineView } from '../../src/index.ts'
import { type Chapter, type Facts, needing } from './fact.ts'
import { type Exclusive, LABEL, laid } from './kind.ts'
import {
  brief,
  briefMs,
  nowMs,
  numbers,
  pause,
  refusal,
  rejection,
  soon,
  stillWaits,
  turns,
  until,
  watch,
} from './waiting.ts'

export function givingUp(kind: Exclusive): Chapter {
  return {
    title: `${kind.title}: giving up`,
    needs: kind.needs ?? [],
    facts: { ...timeouts(kind), ...aborts(kind), ...remains(kind) },
  }
}

async function lineOf(locks: Holdfast, name: string): Promise<LineView | undefined> {
  return (await locks.inspect(name)).find((line) => line.holders.length + line.waiters.length > 0)
}

function timeouts(kind: Exclusive): Facts {
  return {
    async 'a take that is not served within its wait fails then, and names the holder: here'(world) {
      const thing = await laid(kind, world)
      const locks = await world.ready()
      await world.hold(thing.of(locks).acquire({ label: LABEL }))
      const startedMs = nowMs()
      const error = await refusal('WAIT_TIMEOUT', thing.of(locks).acquire({ wait: brief(60) }))
      const tookMs = nowMs() - startedMs
      assert.ok(tookMs >= briefMs(60) - 2 && tookMs < briefMs(2500), `${tookMs} ms`)
      assert.ok(error.waitedMs >= briefMs(60) - 2 && error.waitedMs <= tookMs + 1, `${error.waitedMs} ms`)
      assert.equal(error.holder?.label, LABEL)
      assert.match(error.message, /"thing"/)
      assert.match(error.message, new RegExp(LABEL))
    },

    async 'a take that is not served within its wait fails then, and names the holder: elsewhere'(world) {
      const thing = await laid(kind, world)
      await world.hold(thing.of(world.make()).acquire({ label: LABEL }))
      const locks = world.make()
      await locks.ready()
      const error = await refusal('WAIT_TIMEOUT', thing.of(locks).acquire({ wait: brief(60) }))
      assert.equal(error.holder?.label, LABEL)
      assert.equal(error.holder?.pid, process.pid)
      const run = thing.of(locks).run(() => assert.fail('it was called'), { wait: brief(60) })
      assert.equal((await refusal('WAIT_TIMEOUT', run)).holder?.label, LABEL)
    },

    async 'a take whose time is over does not hold up those behind it'(world) {
      const thing = await laid(kind, world)
      const [here, there] = [await world.ready(), await world.ready()]
      const held = await thing.of(here).acquire()
      const impatient = [here, there].map((locks) =>
        refusal('WAIT_TIMEOUT', thing.of(locks).acquire({ wait: brief(30) })),
      )
      const patient = [here, there].map((locks) => thing.of(locks).run(() => 'in'))
      await Promise.all(impatient)
      await held.release()
      assert.deepEqual(await soon('the patient are served', Promise.all(patient)), ['in', 'in'])
    },

    async 'a waiter that is not told finds its turn by itself, a beat later'(world) {
      const thing = await laid(kind, world)
      const held = await thing.of(world.make()).acquire()
      const { locks, cable } = world.cabled({ ttl: '3s' })
      cable.mute = true
      const waiting = thing.of(locks).acquire()
      const seen = watch(waiting)
      await until('it waits', () => cable.count('enter') > 0)
      await pause(50)
      stillWaits(seen)
      await held.release()
      // A third of the ttl, and a machine that does other things too.
      await soon('its turn', waiting, 2000)
    },

    async 'a wait may be for ever'(world) {
      const thing = await laid(kind, world)
      const held = await thing.of(world.make()).acquire()
      const waiting = thing.of(world.make({ defaults: { wait: brief(20) } })).acquire({ wait: 'forever' })
      const seen = watch(waiting)
      await pause(80)
      stillWaits(seen)
      await held.release()
      await waiting
    },
  }
}

function aborts(kind: Exclusive): Facts {
  return {
    async 'an abort while waiting rejects at once with the very reason, here and elsewhere'(world) {
      const thing = await laid(kind, world)
      const here = world.make()
      const held = await thing.of(here).acquire()
      for (const locks of [here, world.make()]) {
        const reason = { not: 'an Error' }
        for (const verb of ['acquire', 'tryAcquire', 'run', 'tryRun'] as const) {
          const controller = new AbortController()
          const options = { signal: controller.signal, wait: '5s' } as const
          const lock = thing.of(locks)
          const fn = (): void => assert.fail('it was called')
          const take = verb.endsWith('un') ? lock[verb as 'run'](fn, options) : lock[verb as 'acquire'](options)
          const seen = watch(take)
          await turns(5)
          stillWaits(seen)
          controller.abort(reason)
          assert.equal(await soon(`${verb} ends`, rejection(take)), reason)
        }
      }
      assert.equal(held.isHeld(), true)
    },

    async 'an abort without a reason rejects with the AbortError of the signal'(world) {
      const thing = await laid(kind, world)
      const locks = world.make()
      await world.hold(thing.of(locks).acquire())
      const controller = new AbortController()
      const take = thing.of(locks).acquire({ signal: controller.signal })
      controller.abort()
      assert.equal(await rejection(take), controller.signal.reason)
    },

    async 'a signal that has aborted before is heeded before the store is asked'(world) {
      const thing = await laid(kind, world)
      const { locks, cable } = world.cabled()
      const reason = new Error('too late')
      const signal = AbortSignal.abort(reason)
      assert.equal(await rejection(thing.of(locks).acquire({ signal })), reason)
      assert.equal(await rejection(thing.of(locks).tryAcquire({ signal })), reason)
      assert.equal(await rejection(thing.of(locks).run(() => 1, { signal })), reason)
      assert.equal(cable.count(), 0)
    },

    async 'a signal ends the waiting only: after the grant it means nothing to the lease'(world) {
      const thing = await laid(kind, world)
      const controller = new AbortController()
      const lease = await thing.of(world.make()).acquire({ signal: controller.signal })
      controller.abort(new Error('after the grant'))
      await turns()
      assert.equal(lease.isHeld(), true)
      assert.equal(lease.signal.aborted, false)
      assert.equal(await lease.release(), true)
    },

    async 'an abort in the very turn of the release wakes the next in line all the same'(world) {
      const thing = await laid(kind, world)
      const [here, there] = [world.make(), world.make()]
      for (const offset of numbers(8)) {
        const held = await thing.of(here).acquire()
        const controller = new AbortController()
        const aborted = [here, there].map((locks) => thing.of(locks).acquire({ signal: controller.signal }))
        const next = [here, there].map((locks) => thing.of(locks).run(() => 'in'))
        await turns(4)
        const released = held.release()
        for (let left = offset; left > 0; left--) await Promise.resolve()
        controller.abort(new Error('no more'))
        for (const outcome of await Promise.allSettled(aborted)) {
          if (outcome.status === 'fulfilled') await outcome.value.release()
        }
        await released
        assert.deepEqual(await soon('the next are served', Promise.all(next)), ['in', 'in'])
      }
    },
  }
}

function remains(kind: Exclusive): Facts {
  return {
    'a waiter that gave up is gone from the line, whether by time or by signal': needing(['order'], async (world) => {
      const thing = await laid(kind, world)
      const here = await world.ready()
      const neighbours = [here, await world.ready(), await world.ready()]
      await world.hold(thing.of(here).acquire())
      const controller = new AbortController()
      const { signal } = controller
      const takes = neighbours.flatMap((locks) => [
        thing.of(locks).acquire({ wait: brief(300) }),
        thing.of(locks).acquire({ signal }),
      ])
      const over = Promise.allSettled(takes)
      await until('they wait', async () => ((await lineOf(here, thing.name))?.waiters.length ?? 0) >= 2)
      controller.abort()
      await over
      await until('nobody waits', async () => (await lineOf(here, thing.name))?.waiters.length === 0)
      assert.equal((await lineOf(here, thing.name))?.holders.length, kind.taken + 1)
      for (const locks of neighbours) assert.equal(locks.status().waiting, 0)
    }),

    async 'a take that is aborted while it is being sent leaves nothing behind'(world) {
      const thing = await laid(kind, world)
      const { locks } = world.cabled()
      const reason = new Error('aborted')
      for (const offset of numbers(30)) {
        const controller = new AbortController()
        const take = thing.of(locks).acquire({ signal: controller.signal })
        const outcome = take.then(
          (lease) => lease.release(),
          (error: unknown) => assert.equal(error, reason),
        )
        for (let left = offset; left > 0; left--) await Promise.resolve()
        controller.abort(reason)
        await outcome
      }
      const seen = world.make()
      const gone = async (): Promise<boolean> => {
        const line = await lineOf(seen, thing.name)
        return (line?.holders.length ?? 0) === kind.taken && (line?.waiters.length ?? 0) === 0
      }
      await until('the line is as before', gone)
      assert.equal(locks.status().held, 0)
    },
  }
}
