/** Several locks at once, and a few locks for many keys. */
import assert from 'node:assert/strict'
import { isHoldfastError } from '../../src/index.ts'
import type { Chapter, Facts } from './fact.ts'
import { brief, briefMs, nowMs, numbers, pause, Room, refusal, rejection, soon, turns, until } from './waiting.ts'

const all: Facts = {
  async 'all of them are held inside, and free afterwards'(world) {
    const locks = world.make()
    const neighbour = world.make()
    const names = ['c', 'a', 'b']
    const value = await locks.all(names.map((name) => locks.mutex(name))).run(async (held) => {
      assert.equal(held.isHeld(), true)
      for (const name of names) assert.equal(await neighbour.mutex(name).tryAcquire(), null)
      return held.leases.map(({ name }) => name)
    })
    assert.deepEqual(value, names)
    for (const name of names) assert.notEqual(await neighbour.mutex(name).tryAcquire(), null)
  },

  async 'whoever asks in whichever order, nobody waits for each other in a circle'(world) {
    const objects = [world.make(), world.make(), world.make()]
    const rooms = new Map(['a', 'b', 'c'].map((name) => [name, new Room()]))
    const orders = [
      ['a', 'b'],
      ['b', 'a'],
      ['c', 'b'],
      ['b', 'c'],
      ['c', 'a'],
      ['a', 'c'],
      ['c', 'b', 'a'],
    ]
    const tasks = numbers(42).map((number) => {
      const locks = objects[number % 3] ?? world.make()
      const names = orders[number % orders.length] ?? []
      return locks
        .all(names.map((name) => locks.mutex(name)))
        .run(() => Promise.all(names.map((name) => rooms.get(name)?.visit(number))), { wait: '50s' })
    })
    await soon('all are through', Promise.all(tasks), 8000)
    assert.ok([...rooms.values()].every((room) => room.most === 1))
  },

  async 'they are taken in the byte order of their full names'(world) {
    const locks = world.make()
    const names = ['ｚ', 'é', 'z', 'Z', '😀', 'a']
    const sorted = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    const neighbour = world.make()
    for (const [index, name] of sorted.entries()) {
      const held = await neighbour.mutex(name).acquire()
      const controller = new AbortController()
      const { signal } = controller
      const take = rejection(locks.all(names.map((one) => locks.mutex(one))).acquire({ signal }))
      await until(
        'it waits for the one that is held',
        async () => (await neighbour.inspect(name))[0]?.waiters.length === 1,
      )
      for (const later of sorted.slice(index + 1)) assert.equal((await neighbour.inspect(later)).length, 0)
      for (const before of sorted.slice(0, index)) assert.equal((await neighbour.inspect(before))[0]?.holders.length, 1)
      controller.abort()
      await take
      await held.release()
      const free = async (): Promise<boolean> => (await neighbour.inspect(sorted[0] ?? '')).length === 0
      await until('the first is free again', free)
    }
  },

  async 'one that is not to be had leaves none held, for a wait as for a try'(world) {
    const locks = await world.ready()
    const neighbour = world.make()
    await world.hold(neighbour.mutex('b').acquire({ label: 'other' }))
    const both = locks.all([locks.mutex('a'), locks.mutex('b')])
    const startedMs = nowMs()
    const error = await refusal('WAIT_TIMEOUT', both.acquire({ wait: brief(100) }))
    assert.ok(nowMs() - startedMs < briefMs(2500))
    assert.equal(error.holder?.label, 'other')
    assert.equal(await both.tryAcquire(), null)
    const told = await both.tryRun(() => assert.fail('it was called'))
    assert.ok(!told.ran)
    assert.equal(told.holder?.label, 'other')
    await until('a is free', async () => (await neighbour.inspect('a')).length === 0)
    assert.equal(locks.status().held, 0)
  },

  async 'the wait is one for all of them'(world) {
    const locks = await world.ready()
    const neighbour = world.make()
    const first = await neighbour.mutex('a').acquire()
    await world.hold(neighbour.mutex('b').acquire())
    const startedMs = nowMs()
    const take = refusal('WAIT_TIMEOUT', locks.all([locks.mutex('a'), locks.mutex('b')]).acquire({ wait: brief(200) }))
    setTimeout(() => void first.release(), 120)
    await take
    const tookMs = nowMs() - startedMs
    assert.ok(tookMs >= 195 && tookMs < briefMs(2500), `${tookMs} ms`)
  },

  async 'an abort rejects with its reason and leaves none held'(world) {
    const locks = world.make()
    const neighbour = world.make()
    await world.hold(neighbour.mutex('b').acquire())
    const controller = new AbortController()
    const take = rejection(locks.all([locks.mutex('a'), locks.mutex('b')]).acquire({ signal: controller.signal }))
    await until('a is held', async () => (await neighbour.inspect('a')).length === 1)
    controller.abort('enough')
    assert.equal(await take, 'enough')
    await until('a is free', async () => (await neighbour.inspect('a')).length === 0)
  },

  async 'things of different kinds may be taken together, each lease with what it has'(world) {
    const locks = world.make()
    const things = [
      locks.semaphore('pool', { capacity: 2 }),
      locks.rwlock('book').read(),
      locks.mutex('pool'),
      locks.election('chair'),
    ]
    await using held = await locks.all(things).acquire({ label: 'together' })
    assert.deepEqual(
      held.leases.map((lease) => 'fence' in lease),
      [false, true, true, true],
    )
    assert.ok(held.leases.every((lease) => lease.isHeld()))
    const written = JSON.parse(JSON.stringify(held)) as { leases: unknown[] }
    assert.equal(written.leases.length, 4)
    const [line] = await locks.inspect('book')
    assert.equal(line?.holders[0]?.label, 'together')
  },

  async 'it is held while all are: one that is lost ends it'(world) {
    const locks = world.make({ ttl: world.subject.ttl })
    const section = locks.all([locks.mutex('a'), locks.mutex('b')]).run(async (held) => {
      assert.ok(held.validForMs() > 0)
      await held.confirm()
      assert.equal(await world.make().forceRelease('b'), 1)
      await until('it is lost', () => !held.isHeld(), 6000)
      assert.equal(held.signal.aborted, true)
      assert.ok(isHoldfastError(held.signal.reason, 'LEASE_LOST'))
      assert.throws(() => held.assertHeld(), { code: 'LEASE_LOST' })
      assert.equal(held.validForMs(), 0)
      return 'late'
    })
    const error = await refusal('LEASE_LOST', section)
    assert.deepEqual(error.settled, { status: 'fulfilled', value: 'late' })
    assert.notEqual(await world.make().mutex('a').tryAcquire(), null)
  },

  async 'release gives all of them back, and is harmless twice'(world) {
    const locks = world.make()
    const held = await locks.all([locks.mutex('a'), locks.mutex('b')]).acquire()
    assert.equal(await held.release(), true)
    assert.equal(held.isHeld(), false)
    const neighbour = world.make()
    const taken = await neighbour.mutex('a').tryAcquire()
    assert.notEqual(taken, null)
    await held.release()
    await taken?.confirm()
  },

  async 'the same thing twice, none, a stranger and a thing made by all are refused at once'(world) {
    const [locks, neighbour] = [world.make(), world.make()]
    const both = locks.all([locks.mutex('a'), locks.mutex('b')])
    assert.throws(() => locks.all([locks.mutex('a'), locks.mutex('a')]), { name: 'RangeError', message: /"a"/ })
    assert.throws(() => locks.all([locks.mutex('a'), locks.rwlock('a').read()]), { name: 'RangeError' })
    assert.throws(() => locks.all([]), { name: 'RangeError', message: /things/ })
    assert.throws(() => locks.all([neighbour.mutex('a')]), { name: 'TypeError', message: /things/ })
    assert.throws(() => locks.all([both]), { name: 'TypeError' })
    assert.throws(() => locks.all('ab' as unknown as []), { name: 'TypeError' })
    assert.ok((await rejection(both.acquire({ detached: true, maxHold: '1s' }))) instanceof TypeError)
  },

  async 'a maxHold given for all ends all'(world) {
    const locks = world.make()
    const held = await locks.all([locks.mutex('a'), locks.mutex('b')]).acquire({ maxHold: '100ms' })
    await until('it is over', () => !held.isHeld())
    for (const name of ['a', 'b']) {
      assert.notEqual(
        await soon(
          name,
          world
            .make()
            .mutex(name)
            .acquire({ wait: brief(1000) }),
        ),
        null,
      )
    }
  },

  async 'nested takes inside all of them re-enter or are refused as with one'(world) {
    const locks = world.make()
    const again = locks.mutex('a', { reentrant: true })
    await locks.all([again, locks.mutex('b')]).run(async () => {
      assert.equal(await again.run(() => 'in'), 'in')
      await refusal('DEADLOCK', locks.mutex('b').acquire())
    })
  },
}

const striped: Facts = {
  async 'a key has always the same stripe, in every object'(world) {
    const [here, there] = [world.make(), world.make()]
    for (const number of numbers(40)) {
      const key = `key ${number}`
      const name = here.striped('cart', 8).for(key).name
      assert.equal(there.striped('cart', 8).for(key).name, name)
    }
    await world.hold(here.striped('cart', 8).for('one').acquire())
    assert.equal(await there.striped('cart', 8).for('one').tryAcquire(), null)
  },

  async 'there are as many locks as stripes, and keys spread over them'(world) {
    const locks = world.make()
    const names = numbers(400).map((number) => locks.striped('cart', 8).for(`key ${number}`).name)
    const counts = new Map<string, number>()
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
    assert.equal(counts.size, 8)
    assert.ok(
      [...counts.values()].every((count) => count > 20),
      [...counts.values()].join(' '),
    )
  },

  async 'keys of one stripe exclude each other, keys of different ones do not'(world) {
    const locks = world.make()
    const room = new Room()
    const one = locks.striped('cart', 1)
    await Promise.all(numbers(12).map((number) => one.for(`key ${number}`).run(() => room.visit(number))))
    assert.equal(room.most, 1)
    const many = locks.striped('cart', 64)
    const held = await many.for('a').acquire()
    const other = numbers(20)
      .map((number) => many.for(`key ${number}`))
      .find(({ name }) => name !== held.name)
    assert.notEqual(await other?.tryAcquire(), null)
  },

  async 'keys may be any text, also an empty one'(world) {
    const locks = world.make()
    for (const key of ['', 'ключ', '__proto__', 'a'.repeat(10_000)]) {
      assert.equal(
        await locks
          .striped('cart', 4)
          .for(key)
          .run(() => 'in'),
        'in',
      )
    }
    await turns(1)
    await pause(1)
  },
}

export const togetherChapters: readonly Chapter[] = [
  { title: 'all', needs: ['permits'], facts: all },
  { title: 'striped', facts: striped },
]
