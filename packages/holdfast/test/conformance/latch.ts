/** The count-down latch: arrivals by id, opened for everybody at once, round after round. */
import assert from 'node:assert/strict'
import type { Chapter, Facts } from './fact.ts'
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

const facts: Facts = {
  async 'it opens when so many have arrived, for all that wait, here and elsewhere'(world) {
    const objects = [world.make(), world.make(), world.make()]
    const waits = objects.flatMap((locks) => [locks.latch('done', 3).wait(), locks.latch('done', 3).wait()])
    const seen = watch(Promise.all(waits))
    const latch = world.make().latch('done', 3)
    assert.equal(await latch.remaining(), 3)
    assert.equal(await latch.countDown('a'), 2)
    assert.equal(await latch.countDown('b'), 1)
    await turns(10)
    stillWaits(seen)
    assert.equal(await latch.countDown('c'), 0)
    await soon('all are let through', Promise.all(waits))
    assert.equal(await latch.remaining(), 0)
  },

  async 'an arrival that is repeated counts once, whoever repeats it'(world) {
    const [here, there] = [world.make().latch('done', 2), world.make().latch('done', 2)]
    assert.equal(await here.countDown('a'), 1)
    assert.equal(await here.countDown('a'), 1)
    assert.equal(await there.countDown('a'), 1)
    assert.deepEqual(
      await Promise.all(numbers(10).map(() => there.countDown('a'))),
      numbers(10).map(() => 1),
    )
    const waiting = here.wait()
    const seen = watch(waiting)
    await turns(5)
    stillWaits(seen)
    assert.equal(await there.countDown('b'), 0)
    assert.equal(await there.countDown('a'), 0)
    await soon('it is open', waiting)
  },

  async 'once open it lets later waiters through at once'(world) {
    const locks = world.make()
    await locks.latch('done', 1).countDown('a')
    await soon('here', locks.latch('done', 1).wait())
    await soon('elsewhere', world.make().latch('done', 1).wait({ wait: 0 }))
  },

  async 'the next new arrival begins the next round'(world) {
    const locks = world.make()
    const latch = locks.latch('done', 2)
    for (const round of numbers(3)) {
      assert.equal(await latch.countDown(`${round} a`), 1)
      assert.equal(await latch.remaining(), 1)
      const waiting = world.make().latch('done', 2).wait()
      const seen = watch(waiting)
      await pause(30)
      stillWaits(seen)
      assert.equal(await latch.countDown(`${round} b`), 0)
      await soon('the round is over', waiting)
    }
  },

  async 'a waiter of one round is let through also when the next has begun before it looked'(world) {
    const { locks, cable } = world.cabled({ ttl: world.subject.ttl })
    const waiting = locks.latch('done', 2).wait()
    await until('it waits', () => cable.count('cells.count') > 0)
    await turns(3)
    cable.cut('refusing')
    const latch = world.make().latch('done', 2)
    for (const id of ['a', 'b', 'c']) await latch.countDown(id)
    cable.heal()
    await soon('it is let through', waiting)
  },

  async 'arrivals belong to nobody: they count also when their object is closed'(world) {
    const locks = world.make()
    await locks.latch('done', 2).countDown('a')
    await locks.close()
    assert.equal(await world.make().latch('done', 2).countDown('b'), 0)
  },

  async 'many arrivals at once are all counted'(world) {
    const objects = [world.make(), world.make()]
    const left = await Promise.all(numbers(40).map((id) => objects[id % 2]?.latch('done', 40).countDown(`${id}`)))
    assert.deepEqual(
      left.sort((a = 0, b = 0) => a - b),
      numbers(40),
    )
  },

  async 'a wait ends with its time or its signal, and leaves the latch as it was'(world) {
    const latch = (await world.ready()).latch('done', 2)
    await latch.countDown('a')
    const error = await refusal('WAIT_TIMEOUT', latch.wait({ wait: brief(50) }))
    assert.ok(error.waitedMs >= briefMs(50) - 2 && error.waitedMs < briefMs(2500))
    const controller = new AbortController()
    const waiting = rejection(latch.wait({ signal: controller.signal }))
    await turns(3)
    controller.abort('enough')
    assert.equal(await soon('the abort', waiting), 'enough')
    assert.equal(await rejection(latch.wait({ signal: AbortSignal.abort('before') })), 'before')
    await refusal('WAIT_TIMEOUT', soon('at once', latch.wait({ wait: 0 })))
    assert.equal(await latch.remaining(), 1)
  },

  async 'latches of different names do not meet'(world) {
    const locks = world.make()
    await locks.latch('one', 1).countDown('a')
    assert.equal(await locks.latch('two', 1).remaining(), 1)
  },

  async 'an arrival that is not answered is told within a ttl, and counts once when it is said again'(world) {
    const { locks, cable } = world.cabled({ ttl: '3s' })
    const latch = locks.latch('done', 2)
    assert.equal(await latch.remaining(), 2)
    assert.equal(await latch.countDown('a'), 1)
    cable.cut('deaf', 'cells.add')
    const startedMs = nowMs()
    await refusal('BACKEND_UNAVAILABLE', latch.countDown('b'))
    assert.ok(nowMs() - startedMs < 2000 + briefMs(700), `${nowMs() - startedMs} ms`)
    cable.heal()
    assert.equal(await latch.countDown('b'), 0)
  },

  async 'an outage is sat out by a waiter, and told as one when it is the last word'(world) {
    const { locks, cable } = world.cabled({ ttl: world.subject.ttl })
    const latch = locks.latch('done', 1)
    assert.equal(await latch.remaining(), 1)
    const waiting = latch.wait()
    cable.cut('refusing')
    await refusal('BACKEND_UNAVAILABLE', latch.countDown('x'))
    const error = await refusal('BACKEND_UNAVAILABLE', latch.wait({ wait: brief(100) }))
    assert.match(error.message, /latch "done" could not be looked at: the cable is cut$/)
    await pause(50)
    cable.heal()
    await world.make().latch('done', 1).countDown('a')
    await soon('it is let through', waiting)
  },
}

export const latchChapter: Chapter = { title: 'latch', needs: ['cells'], facts }
