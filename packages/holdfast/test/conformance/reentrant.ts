/** A call chain that takes what it holds already: shared with its parent, refused, or on its own. */
import assert from 'node:assert/strict'
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
    const fences: bigint[] = []
    await lock.run(({ fence }) => {
      fences.push(fence)
      children.push(lock.run(() => passed.then(() => room.visit(1))))
      children.push(
        lock.run((orphan) => {
          fences.push(orphan.fence)
          return room.visit(3)
        }),
      )
      // A stranger that asked after it, but stood in the line before the orphan came there.
      children.push(locks.outside(() => lock.run(() => room.visit(2))))
    })
    const neighbour = world.make()
    assert.equal(await neighbour.mutex('thing').tryAcquire(), null)
    open()
    await soon('the children', Promise.all(children))
    assert.equal(room.most, 1)
    assert.deepEqual(room.visits, [1, 2, 3])
    assert.ok((fences[1] ?? 0n) > (fences[0] ?? 0n), 'the orphan is a holder of its own')
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

export const reentryChapters: readonly Chapter[] = [
  { title: 're-entry', facts: sharing },
  { title: 'strangers', facts: strangers },
]
