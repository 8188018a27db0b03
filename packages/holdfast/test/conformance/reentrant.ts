/** A call chain that takes what it holds already: shared with its parent, refused, or on its own. */
import assert from 'node:assert/strict'
import type { Lease } from '../../src/index.ts'
import type { Chapter, Facts } from './fact.ts'
import { brief, gate, numbers, Room, refusal, rejection, soon, stillWaits, turns, until, watch } from './waiting.ts'

const sharing: Facts = {
  async 'a nested take of the same chain shares with its parent'(world) {
    const lock = world.make().mutex('thing', { reentrant: true })
    const depth = await lock.run(async (outer) => {
      return lock.run(async (inner) => {
        assert.equal(inner.fence, outer.fence)
        assert.notEqual(inner, outer)
        return lock.run(() => 3)
      })
    })
    assert.equal(depth, 3)
    assert.deepEqual(await lock.tryRun(() => 'free'), { ran: true, value: 'free' })
  },

  async 'twenty siblings that re-enter at once never overlap, and all get in'(world) {
    const locks = world.make()
    const lock = locks.mutex('thing', { reentrant: true })
    const room = new Room()
    await lock.run(() => Promise.all(numbers(20).map((number) => lock.run(() => room.visit(number)))))
    assert.equal(room.most, 1)
    assert.deepEqual(room.visits, numbers(20))
  },

  async 'siblings exclude each other at each depth'(world) {
    const lock = world.make().mutex('thing', { reentrant: true })
    const room = new Room()
    const deep = (level: number): Promise<void> =>
      level === 0
        ? lock.run(() => room.visit(0))
        : lock.run(async () => void (await Promise.all([deep(level - 1), deep(level - 1), deep(level - 1)])))
    await deep(3)
    assert.equal(room.most, 1)
    assert.equal(room.visits.length, 27)
  },

  async 'others are excluded until the outermost section is over'(world) {
    const locks = world.make()
    const lock = locks.mutex('thing', { reentrant: true })
    const neighbour = world.make().mutex('thing')
    await lock.run(async () => {
      await lock.run(() => turns(1))
      assert.equal(await neighbour.tryAcquire(), null)
      assert.equal(await locks.outside(() => lock.tryAcquire()), null)
    })
    assert.notEqual(await neighbour.tryAcquire(), null)
  },

  async 'a nested take ends no later than its parent, and a nested release leaves the parent alone'(world) {
    const lock = world.make({ ttl: '10s' }).mutex('thing', { reentrant: true })
    await lock.run(
      async (outer) => {
        const inner = await lock.acquire({ maxHold: '1h' })
        assert.ok(inner.validForMs() <= 2000)
        assert.equal(await inner.release(), true)
        assert.equal(inner.isHeld(), false)
        assert.equal(outer.isHeld(), true)
        await outer.confirm()
      },
      { maxHold: '2s' },
    )
  },

  async 'a nested try is refused while a sibling is inside, and names the holder'(world) {
    const lock = world.make().mutex('thing', { reentrant: true, label: 'parent' })
    const { passed, open } = gate()
    await lock.run(async () => {
      const first = lock.run(() => passed)
      await turns()
      assert.equal(await lock.tryAcquire(), null)
      const told = await lock.tryRun(() => assert.fail('it was called'))
      assert.ok(!told.ran)
      assert.equal(told.holder?.label, 'parent')
      await refusal('WAIT_TIMEOUT', lock.acquire({ wait: brief(20) }))
      open()
      await first
    })
  },

  async 'a nested take that is aborted makes room for its siblings'(world) {
    const lock = world.make().mutex('thing', { reentrant: true })
    const { passed, open } = gate()
    const controller = new AbortController()
    await lock.run(async () => {
      const first = lock.run(() => passed)
      const aborted = rejection(lock.acquire({ signal: controller.signal }))
      const third = lock.run(() => 'third')
      controller.abort('no more')
      assert.equal(await aborted, 'no more')
      open()
      await first
      assert.equal(await soon('the third', third), 'third')
    })
  },

  async 'when the parent is lost its nested leases are lost with it'(world) {
    const lock = world.make().mutex('thing', { reentrant: true })
    const section = lock.run(
      () =>
        lock.run(async (inner) => {
          await until('it is lost', () => !inner.isHeld())
          assert.equal(inner.signal.aborted, true)
          return 'late'
        }),
      { maxHold: '60ms' },
    )
    const error = await refusal('LEASE_LOST', section)
    assert.equal(error.settled?.status, 'rejected')
  },
}

const strangers: Facts = {
  async 'a child that was never awaited takes the lock normally after its parent has ended'(world) {
    const locks = world.make()
    const lock = locks.mutex('thing', { reentrant: true })
    const { passed, open } = gate()
    let child: Promise<unknown> = Promise.resolve()
    const room = new Room()
    await lock.run(() => {
      child = passed.then(() => lock.run(() => room.visit(1, 5)))
    })
    const other = lock.run(() => room.visit(2, 20))
    await turns()
    open()
    await Promise.all([child, other])
    assert.equal(room.most, 1)
    assert.deepEqual(room.visits, [2, 1])
  },

  async 'a child that waits for its sibling when their parent ends stands in line like anybody'(world) {
    const locks = world.make()
    const lock = locks.mutex('thing', { reentrant: true })
    const { passed, open } = gate()
    const room = new Room()
    const children: Promise<unknown>[] = []
    await lock.run(() => {
      children.push(lock.run(() => passed.then(() => room.visit(1))))
      children.push(lock.run(() => room.visit(2)))
    })
    const neighbour = world.make()
    assert.equal(await neighbour.mutex('thing').tryAcquire(), null)
    open()
    await soon('the children', Promise.all(children))
    assert.equal(room.most, 1)
    assert.notEqual(await neighbour.mutex('thing').tryAcquire(), null)
  },

  async 'a child that was granted and outlives its parent keeps others out until it ends'(world) {
    const locks = world.make()
    const lock = locks.mutex('thing', { reentrant: true })
    const { passed, open } = gate()
    let child: Promise<unknown> = Promise.resolve()
    await lock.run(async () => {
      const entered = gate()
      child = lock.run(() => {
        entered.open()
        return passed
      })
      await entered.passed
    })
    const next = locks.mutex('thing').acquire()
    const seen = watch(next)
    await turns(10)
    stillWaits(seen)
    assert.equal(await world.make().mutex('thing').tryAcquire(), null)
    open()
    await child
    await soon('the next', next)
  },

  async 'what is started outside the chain takes the lock normally at any time'(world) {
    const locks = world.make()
    const lock = locks.mutex('thing', { reentrant: true })
    const plain = locks.mutex('thing')
    const order: string[] = []
    let waiting: Promise<unknown> = Promise.resolve()
    await lock.run(async () => {
      waiting = locks.outside(() => plain.run(() => order.push('outside')))
      await turns(5)
      await lock.run(() => order.push('inside'))
    })
    await waiting
    assert.deepEqual(order, ['inside', 'outside'])
    assert.equal(
      locks.outside(() => 5),
      5,
    )
  },

  async 'a lease from acquire is in no chain: a take beside it waits, and only within re-enters'(world) {
    const locks = world.make()
    const lock = locks.mutex('thing', { reentrant: true })
    const held = await lock.acquire()
    assert.equal(await lock.tryAcquire(), null)
    const nested = await lock.acquire({ within: held, wait: 0 })
    assert.equal(nested.fence, held.fence)
    assert.equal(await lock.run((inner) => inner.fence, { within: held, wait: 0 }).catch(() => 'busy'), 'busy')
    await nested.release()
    assert.equal(await lock.run((inner) => inner.fence, { within: held }), held.fence)
    await held.release()
  },
}

const within: Facts = {
  async 'within nests also without reentrant, and outside of any chain'(world) {
    const locks = world.make()
    const held = await locks.mutex('thing').acquire()
    const room = new Room()
    const visits = numbers(10).map((number) => locks.mutex('thing').run(() => room.visit(number), { within: held }))
    await Promise.all(visits)
    assert.equal(room.most, 1)
    assert.equal(held.isHeld(), true)
  },

  async 'within wants a lease of the same name and object that is held'(world) {
    const [locks, neighbour] = [world.make(), world.make()]
    const held = await locks.mutex('thing').acquire()
    const other = await locks.mutex('other').acquire()
    assert.ok((await rejection(locks.mutex('thing').acquire({ within: other }))) instanceof TypeError)
    assert.ok((await rejection(neighbour.mutex('thing').acquire({ within: held }))) instanceof TypeError)
    assert.ok((await rejection(locks.mutex('thing').acquire({ within: {} as Lease }))) instanceof TypeError)
    await held.release()
    await refusal('NOT_HELD', locks.mutex('thing').acquire({ within: held }))
  },

  async 'a reader cannot be made a writer by within'(world) {
    const locks = world.make()
    const line = locks.rwlock('thing')
    const [one, two] = [await line.read().acquire(), await line.read().acquire()]
    await refusal('DEADLOCK', soon('at once', line.write().acquire({ within: one })))
    await refusal('DEADLOCK', soon('at once', locks.mutex('thing').acquire({ within: one })))
    assert.equal(two.isHeld(), true)
  },

  async 'a nested take cannot outlive the process: within and detached exclude each other'(world) {
    const locks = world.make()
    const held = await locks.mutex('thing').acquire()
    const take = locks.mutex('thing').acquire({ within: held, detached: true, maxHold: '1s' })
    assert.ok((await rejection(take)) instanceof TypeError)
  },

  async 'a nested take may weigh no more than what it is nested in'(world) {
    const locks = world.make()
    const pool = locks.semaphore('thing', { capacity: 5 })
    const one = await pool.acquire()
    await world.hold(pool.acquire({ permits: 4 }))
    const heavy = pool.acquire({ within: one as unknown as Lease, permits: 3, wait: brief(50) })
    const error = await rejection(heavy)
    assert.ok(error instanceof Error)
  },
}

const deadlocks: Facts = {
  async 'a mutex inside itself is refused at once, by every verb, and names the ways out'(world) {
    const locks = world.make()
    const lock = locks.mutex('thing')
    await lock.run(async () => {
      for (const verb of ['acquire', 'tryAcquire'] as const) {
        const error = await refusal('DEADLOCK', soon('at once', lock[verb]()))
        assert.match(error.message, /thing/)
        assert.match(error.message, /within/)
        assert.match(error.message, /outside/)
      }
      for (const verb of ['run', 'tryRun'] as const) {
        await refusal(
          'DEADLOCK',
          soon(
            'at once',
            lock[verb](() => assert.fail('it was called')),
            200,
          ),
        )
      }
    })
    assert.notEqual(await lock.tryAcquire(), null)
  },

  async 'a mutex inside itself is refused also from deep inside, and beside other locks'(world) {
    const locks = world.make()
    await locks.mutex('a').run(() =>
      locks.mutex('b').run(async () => {
        await turns(1)
        await refusal('DEADLOCK', locks.mutex('a').acquire())
        await refusal('DEADLOCK', locks.all([locks.mutex('c'), locks.mutex('b')]).acquire())
        await locks.mutex('c').run(() => {})
      }),
    )
  },

  async 'a reader that asks to write is refused at once'(world) {
    const locks = world.make()
    const line = locks.rwlock('thing')
    await line.read().run(async () => {
      await refusal('DEADLOCK', soon('at once', line.write().acquire()))
      await refusal('DEADLOCK', soon('at once', locks.mutex('thing', { reentrant: true }).acquire()))
      await refusal(
        'DEADLOCK',
        soon(
          'at once',
          line.write().tryRun(() => {}),
          200,
        ),
      )
    })
  },

  async 'permits that the chain itself holds are counted'(world) {
    const locks = world.make()
    const pool = locks.semaphore('thing', { capacity: 3 })
    await pool.run(
      async () => {
        await refusal('DEADLOCK', soon('at once', pool.acquire({ permits: 2 })))
        const last = await pool.acquire()
        // Held outside of the chain, so it may be given back: not this chain's doing.
        await refusal('WAIT_TIMEOUT', pool.acquire({ wait: brief(20) }))
        await last.release()
        await pool.run(() => refusal('DEADLOCK', pool.acquire()))
      },
      { permits: 2 },
    )
  },

  async 'a term of leadership that campaigns for itself is refused'(world) {
    const locks = world.make()
    const election = locks.election('thing')
    await election.run(async () => {
      await refusal('DEADLOCK', soon('at once', election.acquire()))
    })
  },

  async 'another object is another chain: its take waits for its time'(world) {
    const [one, two] = [world.make(), await world.ready()]
    await one.mutex('thing').run(() => refusal('WAIT_TIMEOUT', two.mutex('thing').acquire({ wait: brief(30) })))
  },

  async 'after the section the same chain may take the lock again'(world) {
    const locks = world.make()
    const lock = locks.mutex('thing')
    await locks.mutex('outer').run(async () => {
      await lock.run(() => {})
      await lock.run(() => {})
      const held = await lock.acquire()
      await held.release()
    })
  },
}

export const reentryChapters: readonly Chapter[] = [
  { title: 're-entry', facts: sharing },
  { title: 'strangers', facts: strangers },
  { title: 'within', needs: ['permits'], facts: within },
  { title: 'deadlocks', needs: ['permits'], facts: deadlocks },
]
