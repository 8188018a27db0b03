/** A writer that becomes a reader: in one step, without letting a writer in between. */
import assert from 'node:assert/strict'
import type { Holdfast, LineView } from '../../src/index.ts'
import { type Chapter, type Facts, needing } from './fact.ts'
import { pause, refusal, rejection, soon, stillWaits, turns, until, watch } from './waiting.ts'

const of = (locks: Holdfast): ReturnType<Holdfast['rwlock']> => locks.rwlock('thing')

async function line(locks: Holdfast): Promise<LineView> {
  const [found] = await locks.inspect('thing')
  return found ?? { name: 'thing', kind: 'lock', holders: [], waiters: [] }
}

const downgrade: Facts = {
  'a downgrade lets the readers behind it in, and keeps writers out': needing(['order'], async (world) => {
    const [here, there, third] = [world.make(), world.make(), world.make()]
    const held = await of(here).write().acquire()
    const reader = of(there).read().acquire()
    await until('the reader waits', async () => (await line(there)).waiters.length === 1)
    const writer = of(third).write().acquire()
    const seen = watch(writer)
    await until('the writer waits', async () => (await line(there)).waiters.length === 2)
    const reading = await held.downgrade()
    assert.equal(reading.mode, 'read')
    assert.ok(reading.fence > held.fence)
    const second = await soon('the reader', reader)
    assert.equal(held.isHeld(), false)
    assert.throws(() => held.assertHeld(), { code: 'NOT_HELD' })
    await reading.confirm()
    await turns(10)
    stillWaits(seen)
    assert.equal(await reading.release(), true)
    await turns(10)
    stillWaits(seen)
    await second.release()
    await soon('the writer', writer)
  }),

  async 'a downgraded lease lets readers of its own object in'(world) {
    const locks = world.make()
    const held = await of(locks).write().acquire()
    const waiting = of(locks).read().acquire()
    const reading = await held.downgrade()
    await soon('the reader', waiting)
    assert.notEqual(await of(locks).read().tryAcquire(), null)
    assert.equal(await of(locks).write().tryAcquire(), null)
    assert.equal(reading.isHeld(), true)
  },

  async 'a downgraded lease is renewed as before'(world) {
    const locks = world.make({ ttl: world.subject.ttl })
    const held = await of(locks).write().acquire()
    const reading = await held.downgrade()
    await pause(world.subject.ttlMs + 200)
    assert.equal(reading.isHeld(), true)
    await reading.confirm()
    assert.equal(await of(world.make()).write().tryAcquire(), null)
  },

  async 'a section that downgrades gives back what it has become'(world) {
    const locks = world.make()
    const reading = await of(locks)
      .write()
      .run(async (held) => {
        const became = await held.downgrade()
        assert.equal(became.isHeld(), true)
        assert.notEqual(await of(world.make()).read().tryAcquire(), null)
        return became
      })
    assert.equal(reading.isHeld(), false)
  },

  async 'releasing the writer after its downgrade does not take the reader away'(world) {
    const locks = world.make()
    const held = await of(locks).write().acquire()
    const reading = await held.downgrade()
    await held.release()
    await held[Symbol.asyncDispose]()
    await reading.confirm()
    await refusal('NOT_HELD', held.downgrade())
  },

  async 'what has ended or is nested cannot be downgraded'(world) {
    const locks = world.make()
    const held = await of(locks).write().acquire()
    const inner = await of(locks).write().acquire({ within: held })
    assert.ok((await rejection(inner.downgrade())) instanceof TypeError)
    await inner.release()
    await held.release()
    await refusal('NOT_HELD', held.downgrade())
    const lost = await of(locks).write().acquire({ maxHold: '30ms' })
    await until('it is lost', () => !lost.isHeld())
    await refusal('LEASE_LOST', lost.downgrade())
  },

  async 'a downgrade keeps the end of the lease'(world) {
    const locks = world.make({ ttl: '10s' })
    const held = await of(locks).write().acquire({ maxHold: '2s' })
    const reading = await held.downgrade()
    assert.ok(reading.validForMs() <= 2000 && reading.validForMs() > 1500, `${reading.validForMs()} ms`)
  },

  async 'after a downgrade a write in the same chain is refused, and a read joins'(world) {
    const locks = world.make()
    await of(locks)
      .write()
      .run(async (held) => {
        await held.downgrade()
        await of(locks)
          .read()
          .run(() => {})
        await refusal('DEADLOCK', of(locks).write().acquire())
      })
  },

  async 'a writer with a nested writer inside cannot let readers in by a downgrade'(world) {
    const locks = world.make()
    const held = await of(locks).write().acquire()
    const inner = await of(locks).write().acquire({ within: held })
    const became = await held.downgrade().catch((error: unknown) => error)
    const reader = await of(world.make()).read().tryAcquire()
    assert.ok(reader === null || !inner.isHeld(), 'a reader is inside beside a nested writer')
    assert.ok(became instanceof Error || !inner.isHeld())
  },
}

export const downgradeChapter: Chapter = { title: 'downgrade', facts: downgrade }
