/** Taking something that excludes: who is let in, in which order, and what the four verbs answer. */
import assert from 'node:assert/strict'
import type { Chapter, Facts } from './fact.ts'
import { type Exclusive, LABEL, laid } from './kind.ts'
import {
  brief,
  briefMs,
  gate,
  nowMs,
  numbers,
  pause,
  Room,
  refusal,
  rejection,
  soon,
  stillWaits,
  turns,
  until,
  watch,
} from './waiting.ts'

export function taking(kind: Exclusive): Chapter {
  return {
    title: `${kind.title}: taking`,
    needs: kind.needs ?? [],
    facts: { ...exclusion(kind), ...verbs(kind), ...tries(kind) },
  }
}

function exclusion(kind: Exclusive): Facts {
  return {
    async 'tasks of one object are never inside together, and go in in the order in which they asked'(world) {
      const thing = await laid(kind, world)
      const lock = thing.of(world.make())
      const room = new Room()
      await Promise.all(numbers(40).map((number) => lock.run(() => room.visit(number))))
      assert.equal(room.most, 1)
      assert.deepEqual(room.visits, numbers(40))
    },

    async 'tasks of three neighbours are never inside together, and all get in'(world) {
      const thing = await laid(kind, world)
      const room = new Room()
      const tasks = numbers(3).flatMap(() => {
        const lock = thing.of(world.make())
        return numbers(15).map((number) => lock.run(() => room.visit(number)))
      })
      await Promise.all(tasks)
      assert.equal(room.most, 1)
      assert.equal(room.visits.length, 45)
    },

    async 'leases exclude as sections do'(world) {
      const thing = await laid(kind, world)
      const room = new Room()
      const locks = [world.make(), world.make()]
      const take = async (number: number): Promise<void> => {
        const lease = await thing.of(locks[number % 2] ?? world.make()).acquire()
        await room.visit(number)
        await lease.release()
      }
      await Promise.all(numbers(20).map(take))
      assert.equal(room.most, 1)
    },

    async 'a neighbour that waits is served when the holder releases'(world) {
      const thing = await laid(kind, world)
      const held = await thing.of(world.make()).acquire()
      const waiting = thing.of(world.make()).acquire()
      const seen = watch(waiting)
      await turns(10)
      stillWaits(seen)
      await held.release()
      assert.equal((await soon('the neighbour is served', waiting)).isHeld(), true)
    },

    async 'different names do not wait for each other'(world) {
      const thing = await laid(kind, world)
      const locks = world.make()
      await world.hold(thing.of(locks).acquire())
      const other = await kind.of(locks, 'another', { wait: 0 }).acquire()
      assert.equal(other.isHeld(), true)
    },
  }
}

function verbs(kind: Exclusive): Facts {
  return {
    async 'run gives what the function gave, be it a value or a promise'(world) {
      const lock = (await laid(kind, world)).of(world.make())
      assert.equal(await lock.run(() => 7), 7)
      assert.equal(await lock.run(async () => 'later'), 'later')
    },

    async 'run holds the lock while the function runs and no longer'(world) {
      const lock = (await laid(kind, world)).of(world.make())
      const lease = await lock.run(async (inside) => {
        assert.equal(inside.isHeld(), true)
        await turns()
        assert.equal(inside.isHeld(), true)
        return inside
      })
      assert.equal(lease.isHeld(), false)
    },

    async 'run rethrows what the function threw, unchanged, and the lock is free again'(world) {
      const thing = await laid(kind, world)
      const lock = thing.of(world.make())
      const reason = { not: 'an Error' }
      assert.equal(await rejection(lock.run(() => Promise.reject(reason))), reason)
      const thrown = new Error('thrown at once')
      const atOnce = lock.run(() => {
        throw thrown
      })
      assert.equal(await rejection(atOnce), thrown)
      assert.notEqual(await thing.of(world.make()).tryAcquire(), null)
    },

    async 'tryRun gives the value when the lock is free'(world) {
      const lock = (await laid(kind, world)).of(world.make())
      assert.deepEqual(await lock.tryRun(() => 5), { ran: true, value: 5 })
    },

    async 'a take is refused at once when the function is none'(world) {
      const lock = (await laid(kind, world)).of(world.make())
      const notOne = 'x' as unknown as () => void
      assert.ok((await rejection(lock.run(notOne))) instanceof TypeError)
      assert.ok((await rejection(lock.tryRun(notOne))) instanceof TypeError)
    },

    async 'acquire with a wait of 0 takes what is free, and is told at once of a holder'(world) {
      const thing = await laid(kind, world)
      const lease = await thing.of(world.make()).acquire({ wait: 0, label: LABEL })
      const error = await refusal('WAIT_TIMEOUT', thing.of(world.make()).acquire({ wait: 0 }))
      assert.equal(error.holder?.label, LABEL)
      assert.equal(error.holder?.pid, process.pid)
      await lease.release()
    },

    async 'waitedMs tells how long the take stood in line'(world) {
      const thing = await laid(kind, world)
      const lock = thing.of(world.make())
      const first = await lock.acquire()
      const askedMs = nowMs()
      const second = lock.acquire()
      setTimeout(() => void first.release(), 60)
      const { waitedMs } = await second
      assert.ok(waitedMs >= 55 && waitedMs <= nowMs() - askedMs + 1, `${waitedMs} ms`)
    },

    async 'options of the call win over those of the description, and those over the object'(world) {
      const thing = await laid(kind, world)
      await world.hold(thing.of(world.make()).acquire())
      const [short, long] = [world.make({ defaults: { wait: brief(40) } }), world.make({ defaults: { wait: '1h' } })]
      await Promise.all([short.ready(), long.ready()])
      const takes = [
        thing.of(short).acquire(),
        thing.of(long, { wait: brief(40) }).acquire(),
        thing.of(short, { wait: '1h' }).acquire({ wait: brief(40) }),
      ]
      await Promise.all(takes.map((take) => refusal('WAIT_TIMEOUT', soon('the shorter wait counts', take))))
      const longer = [thing.of(short, { wait: '5s' }).acquire(), thing.of(short).acquire({ wait: '5s' })]
      const over = Promise.allSettled(longer)
      await pause(60)
      assert.equal(short.status().waiting, 2)
      await short.close()
      await over
    },

    async 'an option that is undefined counts as not given'(world) {
      const thing = await laid(kind, world)
      const locks = await world.ready({ defaults: { wait: brief(50), maxHold: '1h' } })
      const given = Object.fromEntries([
        ['wait', undefined],
        ['maxHold', undefined],
      ])
      const lease = await thing.of(locks).acquire(given)
      const startedMs = nowMs()
      await refusal('WAIT_TIMEOUT', soon('the default wait', thing.of(locks, given).acquire(given)))
      assert.ok(nowMs() - startedMs >= briefMs(50) - 5)
      await lease.release()
    },
  }
}

function tries(kind: Exclusive): Facts {
  return {
    async 'tryAcquire gives null while the lock is held, here and elsewhere, and a lease when it is free'(world) {
      const thing = await laid(kind, world)
      const [here, elsewhere] = [world.make(), world.make()]
      const held = await thing.of(here).tryAcquire()
      assert.equal(held?.isHeld(), true)
      assert.equal(await thing.of(here).tryAcquire(), null)
      assert.equal(await thing.of(elsewhere).tryAcquire(), null)
      await held?.release()
      assert.notEqual(await thing.of(elsewhere).tryAcquire(), null)
      assert.equal(await thing.of(here).tryAcquire(), null)
    },

    async 'tryRun does not call the function while the lock is held, and names the holder'(world) {
      const thing = await laid(kind, world)
      const here = world.make()
      await world.hold(thing.of(here).acquire({ label: LABEL }))
      for (const locks of [here, world.make()]) {
        const told = await thing.of(locks).tryRun(() => assert.fail('it was called'))
        assert.ok(!told.ran)
        assert.equal(told.holder?.label, LABEL)
        assert.equal(told.holder?.pid, process.pid)
        assert.ok((told.holder?.host ?? '').length > 0)
        assert.ok(Math.abs(Date.now() - Number(told.holder?.since)) < 10_000)
      }
    },

    async 'tryRun names the holder also while others of the same object wait'(world) {
      const thing = await laid(kind, world)
      const here = world.make()
      const held = await thing.of(here).acquire({ label: LABEL })
      const waiting = thing.of(here).acquire()
      await turns()
      const told = await thing.of(here).tryRun(() => assert.fail('it was called'))
      assert.ok(!told.ran)
      assert.equal(told.holder?.label, LABEL)
      await held.release()
      await (await waiting).release()
    },

    async 'a try does not overtake those who wait'(world) {
      const thing = await laid(kind, world)
      const here = world.make()
      const held = await thing.of(here).acquire()
      const waiting = thing.of(here).acquire()
      await turns()
      const [, tried] = await Promise.all([held.release(), thing.of(here).tryAcquire()])
      assert.equal(tried, null)
      await (await waiting).release()
    },

    async 'a try with a wait is null, or not run, when the wait is over'(world) {
      const thing = await laid(kind, world)
      await world.hold(thing.of(world.make()).acquire({ label: LABEL }))
      const lock = thing.of(await world.ready())
      const startedMs = nowMs()
      assert.equal(await lock.tryAcquire({ wait: brief(50) }), null)
      const told = await lock.tryRun(() => assert.fail('it was called'), { wait: brief(50) })
      assert.ok(nowMs() - startedMs >= 2 * briefMs(50) - 5)
      assert.ok(!told.ran)
      assert.equal(told.holder?.label, LABEL)
    },

    async 'a try with a wait takes the lock when it becomes free in time'(world) {
      const thing = await laid(kind, world)
      const held = await thing.of(world.make()).acquire()
      const tried = thing.of(world.make()).tryRun(() => 'in', { wait: '3s' })
      setTimeout(() => void held.release(), 30)
      assert.deepEqual(await tried, { ran: true, value: 'in' })
    },

    async 'what the function throws is no refusal of a try, even if it is a WaitTimeoutError'(world) {
      const thing = await laid(kind, world)
      const locks = world.make()
      await world.hold(locks.mutex('other').acquire())
      const lock = thing.of(world.make())
      const error = await refusal(
        'WAIT_TIMEOUT',
        lock.tryRun(() => locks.outside(() => locks.mutex('other').acquire({ wait: 0 }))),
      )
      assert.match(error.message, /"other"/)
    },

    async 'a lock that a section of ours holds is free for a try as soon as the section is over'(world) {
      const thing = await laid(kind, world)
      const lock = thing.of(world.make())
      const { passed, open } = gate()
      const section = lock.run(() => passed)
      await until('the section holds it', async () => (await lock.tryAcquire()) === null)
      open()
      await section
      assert.notEqual(await lock.tryAcquire(), null)
    },
  }
}
