/** The end of a Holdfast object: nothing new, waiters told, holders given their time, everything given back. */
import assert from 'node:assert/strict'
import { isHoldfastError } from '../../src/index.ts'
import type { Chapter, Facts } from './fact.ts'
import { gate, nowMs, numbers, pause, refusal, rejection, soon, turns, until } from './waiting.ts'

const facts: Facts = {
  async 'a closed object refuses everything with ClosedError'(world) {
    const locks = world.make()
    await locks.mutex('thing').run(() => {})
    await locks.close()
    const calls: (() => PromiseLike<unknown>)[] = [
      () => locks.mutex('thing').acquire(),
      () => locks.mutex('thing').tryAcquire(),
      () => locks.mutex('thing').run(() => {}),
      () => locks.mutex('thing').tryRun(() => {}),
      () => locks.mutex('thing').release('0123456789abcdef.00000000'),
      () => locks.all([locks.mutex('a'), locks.mutex('b')]).acquire(),
      () => locks.election('chair').leader(),
      () => locks.election('chair').acquire(),
      () => locks.inspect('thing'),
      () => locks.forceRelease('thing'),
      () => locks.ready(),
    ]
    for (const call of calls) await refusal('CLOSED', soon('at once', call()))
    const listed = (async (): Promise<void> => {
      for await (const _ of locks.list());
    })()
    await refusal('CLOSED', listed)
    assert.equal(locks.status().link, 'closed')
  },

  async 'cells, latches and barriers of a closed object refuse with ClosedError too'(world) {
    const locks = world.make()
    await locks.cell('note').set('one')
    await locks.close()
    const calls: (() => PromiseLike<unknown>)[] = [
      () => locks.cell('note').get(),
      () => locks.cell('note').set('two'),
      () => locks.latch('done', 1).countDown('a'),
      () => locks.latch('done', 1).wait(),
      () => locks.latch('done', 1).remaining(),
      () => locks.barrier('gate', 1).pass(),
      () => locks.barrier('gate', 1).run(() => {}),
    ]
    for (const call of calls) await refusal('CLOSED', soon('at once', call()))
  },

  async 'close rejects all that wait, in every kind of line'(world) {
    const locks = world.make()
    const neighbour = world.make()
    await world.hold(neighbour.mutex('thing').acquire())
    await world.hold(neighbour.semaphore('pool', { capacity: 1 }).acquire())
    await world.hold(neighbour.election('chair').acquire())
    const waits: PromiseLike<unknown>[] = [
      locks.mutex('thing').acquire(),
      locks.mutex('thing').run(() => assert.fail('it was called')),
      locks.mutex('thing', { fair: true }).acquire(),
      locks.mutex('thing').acquire({ detached: true, maxHold: '1h' }),
      locks.semaphore('pool', { capacity: 1 }).tryAcquire({ wait: '5s' }),
      locks.all([locks.mutex('a'), locks.mutex('thing')]).acquire(),
      locks.election('chair').lead(() => {}, { signal: new AbortController().signal }),
      locks.latch('done', 1).wait(),
      locks.barrier('gate', 2).pass(),
    ]
    const refusals = waits.map((wait) => refusal('CLOSED', wait))
    await pause(50)
    await soon('close', locks.close())
    await soon('all are told', Promise.all(refusals))
    assert.equal(locks.status().waiting, 0)
    for (const name of ['thing', 'a']) {
      await until('nothing of it waits', async () => ((await neighbour.inspect(name))[0]?.waiters.length ?? 0) === 0)
    }
  },

  async 'watchers and observers end when the object is closed'(world) {
    const locks = world.make()
    const walk = async (over: AsyncIterable<unknown>): Promise<void> => {
      for await (const _ of over);
    }
    const walks = [walk(locks.cell('note').watch()), walk(locks.election('chair').observe())].map((one) =>
      refusal('CLOSED', one),
    )
    await pause(30)
    await locks.close()
    await soon('they end', Promise.all(walks))
  },

  async 'holders finish within the drain, and close waits for the last of them only'(world) {
    const locks = world.make()
    const { passed, open } = gate()
    const section = locks.mutex('thing').run(async (held) => {
      await passed
      return held.isHeld()
    })
    const other = await locks.mutex('other').acquire()
    await until('both are held', () => locks.status().held === 2)
    const closing = locks.close({ drain: '20s' })
    await refusal('CLOSED', locks.mutex('third').acquire())
    setTimeout(() => void other.release(), 30)
    setTimeout(open, 60)
    assert.equal(await section, true)
    await soon('close', closing)
    assert.notEqual(await world.make().mutex('thing').tryAcquire(), null)
  },

  async 'while holders drain, what waited is told and gone from the line already'(world) {
    const locks = world.make()
    const neighbour = world.make()
    const [held, theirs] = [await locks.mutex('mine').acquire(), await neighbour.mutex('theirs').acquire()]
    const waits = [
      locks.mutex('theirs').acquire(),
      locks.mutex('theirs', { fair: true }).acquire(),
      locks.mutex('mine').acquire(),
    ].map((take) => refusal('CLOSED', take))
    const waiters = async (): Promise<number> => (await neighbour.inspect('theirs'))[0]?.waiters.length ?? 0
    await until('they wait', async () => (await waiters()) === 2)
    const closing = locks.close({ drain: '20s' })
    await soon('they are told', Promise.all(waits))
    await until('they are gone', async () => (await waiters()) === 0)
    assert.equal(held.isHeld(), true)
    await theirs.release()
    await held.release()
    await soon('close', closing)
  },

  async 'after the drain signals abort with the reason closed, and everything is free in the store at once'(world) {
    const locks = world.make()
    const names = numbers(20).map((number) => `thing ${number}`)
    const leases = await Promise.all(names.map((name) => locks.mutex(name).acquire()))
    const signals = leases.map(({ signal }) => signal)
    const startedMs = nowMs()
    await locks.close({ drain: '80ms' })
    assert.ok(nowMs() - startedMs >= 78)
    for (const { reason } of signals) {
      assert.ok(isHoldfastError(reason, 'LEASE_LOST'))
      assert.equal(reason.reason, 'closed')
    }
    assert.ok(leases.every((held) => !held.isHeld()))
    const neighbour = world.make()
    for (const name of names) assert.notEqual(await neighbour.mutex(name).tryAcquire(), null)
  },

  async 'a section that outlives the drain rejects with the loss and what it did'(world) {
    const locks = world.make()
    const { passed, open } = gate()
    const section = refusal(
      'LEASE_LOST',
      locks.mutex('thing').run(async () => {
        await passed
        return 'late'
      }),
    )
    await until('it is held', () => locks.status().held === 1)
    await locks.close({ drain: '30ms' })
    open()
    const error = await section
    assert.equal(error.reason, 'closed')
    assert.deepEqual(error.settled, { status: 'fulfilled', value: 'late' })
  },

  async 'close may be called again, and disposal is a close'(world) {
    const locks = world.make()
    await world.hold(locks.mutex('thing').acquire())
    await Promise.all([locks.close(), locks.close({ drain: '5s' }), locks[Symbol.asyncDispose]()])
    await locks.close()
    const inBlock = async (): Promise<void> => {
      await using own = world.make()
      await world.hold(own.mutex('thing').acquire())
    }
    await inBlock()
    assert.notEqual(await world.make().mutex('thing').tryAcquire(), null)
  },

  async 'an object that was never used closes, and one that is just connecting too'(world) {
    await soon('unused', world.make().close())
    const locks = world.make()
    const take = refusal('CLOSED', locks.mutex('thing').acquire())
    await soon('connecting', locks.close())
    await soon('the take ends', take)
    const neighbour = world.make()
    await until('nothing is left', async () => (await neighbour.inspect('thing')).length === 0)
  },

  async 'close is bounded also when the store does not answer'(world) {
    const { ttl } = world.subject
    const { locks, cable } = world.cabled({ ttl })
    const held = await locks.mutex('thing').acquire()
    cable.cut('silent')
    await soon('close', locks.close(), world.subject.ttlMs)
    assert.equal(held.isHeld(), false)
    assert.equal(await soon('release settles', held.release()), false)
  },

  async 'what the lease answers after close is its end, not an error of its own'(world) {
    const locks = world.make()
    const held = await locks.mutex('thing').acquire()
    await locks.close()
    assert.equal(held.validForMs(), 0)
    assert.throws(() => held.assertHeld(), { code: 'LEASE_LOST', reason: 'closed' })
    await refusal('LEASE_LOST', held.confirm())
    await held[Symbol.asyncDispose]()
    assert.equal(JSON.parse(JSON.stringify(held)).held, false)
  },

  async 'ready resolves when the store is there, and rejects with the reason of its signal'(world) {
    const locks = world.make()
    await locks.ready()
    assert.equal(locks.status().link, 'up')
    await locks.ready()
    assert.equal(await rejection(world.make().ready({ signal: AbortSignal.abort('enough') })), 'enough')
    const { locks: cut, cable } = world.cabled()
    cable.cut('refusing')
    await refusal('BACKEND_UNAVAILABLE', cut.ready())
    cable.cut('silent')
    const controller = new AbortController()
    const waiting = rejection(cut.ready({ signal: controller.signal }))
    await turns(2)
    controller.abort('enough')
    assert.equal(await soon('the abort', waiting), 'enough')
    cable.heal()
    await cut.ready()
  },
}

export const closingChapter: Chapter = { title: 'closing', needs: ['cells', 'permits', 'detached'], facts }
