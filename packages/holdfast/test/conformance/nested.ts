/** Nesting by hand, and takes that their own call chain makes impossible. */
import assert from 'node:assert/strict'
import type { Lease } from '../../src/index.ts'
import type { Chapter, Facts } from './fact.ts'
import { brief, numbers, Room, refusal, rejection, soon, turns } from './waiting.ts'

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

  async 'a reader that asks to write is refused at once, and told to take the write lock from the start'(world) {
    const locks = world.make()
    const line = locks.rwlock('thing')
    await line.read().run(async () => {
      const error = await refusal('DEADLOCK', soon('at once', line.write().acquire()))
      assert.match(error.message, /Take the write lock from the start/)
      assert.doesNotMatch(error.message, /reentrant|within/)
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

export const nestingChapters: readonly Chapter[] = [
  { title: 'within', needs: ['permits'], facts: within },
  { title: 'deadlocks', needs: ['permits'], facts: deadlocks },
]
