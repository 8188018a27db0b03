/** A store that answers nothing at all: every promise of ours settles by its own time, or when it is called off. */
import assert from 'node:assert/strict'
import type { Holdfast } from '../../src/index.ts'
import type { Chapter, Facts, World } from './fact.ts'
import { brief, briefMs, nowMs, refusal, rejection, soon, turns } from './waiting.ts'

/**
 * Objects whose store has fallen silent; at the default ttl their requests would wait for 5 s. One is just connected,
 * the other listens to the store already.
 */
async function stuck(world: World): Promise<readonly [Holdfast, Holdfast]> {
  const both = [world.cabled(), world.cabled()] as const
  for (const { locks } of both) await locks.ready()
  const [, listening] = both
  const watch = listening.locks.cell('watched').watch()[Symbol.asyncIterator]()
  await watch.next()
  const next = watch.next()
  next.catch(() => {})
  for (const { cable } of both) cable.cut('silent')
  return [both[0].locks, listening.locks]
}

async function calledOff(call: (signal: AbortSignal) => PromiseLike<unknown>): Promise<void> {
  const controller = new AbortController()
  const reason = new Error('called off')
  const called = rejection(call(controller.signal))
  await turns(3)
  controller.abort(reason)
  assert.equal(await soon('it is called off', called), reason)
}

const facts: Facts = {
  async 'takes are called off at once'(world) {
    const [locks] = await stuck(world)
    await calledOff((signal) => locks.mutex('thing').acquire({ signal }))
    await calledOff((signal) => locks.mutex('thing').tryAcquire({ signal }))
    await calledOff((signal) =>
      locks
        .rwlock('thing')
        .read()
        .run(() => {}, { signal }),
    )
    await calledOff((signal) => locks.all([locks.mutex('a'), locks.mutex('b')]).acquire({ signal }))
  },

  async 'latch and barrier are called off at once'(world) {
    for (const locks of await stuck(world)) {
      await calledOff((signal) => locks.latch('done', 1).wait({ signal }))
      await calledOff((signal) => locks.barrier('gate', 2).pass({ signal }))
      await calledOff((signal) => locks.barrier('gate', 2).run(() => {}, { signal }))
    }
  },

  async 'observing, watching and listing are called off at once'(world) {
    const walk = async (over: AsyncIterable<unknown>): Promise<void> => {
      for await (const _ of over);
    }
    for (const locks of await stuck(world)) {
      await calledOff((signal) => walk(locks.election('chair').observe({ signal })))
      await calledOff((signal) => walk(locks.cell('note').watch({ signal })))
      await calledOff((signal) => walk(locks.list({ signal })))
    }
  },

  async 'a wait ends with its time: locks, latch and barrier'(world) {
    const startedMs = nowMs()
    const waits = (locks: Holdfast): Promise<unknown>[] => [
      refusal('BACKEND_UNAVAILABLE', locks.mutex('thing').acquire({ wait: brief(100) })),
      refusal('BACKEND_UNAVAILABLE', locks.all([locks.mutex('a'), locks.mutex('b')]).acquire({ wait: brief(100) })),
      refusal('BACKEND_UNAVAILABLE', locks.latch('done', 1).wait({ wait: brief(100) })),
      refusal('BACKEND_UNAVAILABLE', locks.barrier('gate', 2).pass({ wait: brief(100) })),
    ]
    await Promise.all((await stuck(world)).flatMap(waits))
    assert.ok(nowMs() - startedMs < briefMs(2500), `${nowMs() - startedMs} ms`)
  },

  async 'questions end as outages within a third of the ttl'(world) {
    const { locks, cable } = world.cabled({ ttl: world.subject.ttl })
    const held = await locks.mutex('thing').acquire()
    cable.cut('silent')
    const limitMs = world.subject.ttlMs / 3 + 2000
    const calls: PromiseLike<unknown>[] = [
      locks.inspect('thing'),
      locks.forceRelease('thing'),
      locks.election('chair').leader(),
      locks.cell('note').get(),
      locks.latch('done', 1).remaining(),
      locks.mutex('thing').release('0123456789abcdef.00000000'),
      held.confirm(),
    ]
    await soon('all end', Promise.all(calls.map((call) => refusal('BACKEND_UNAVAILABLE', call))), limitMs)
  },
}

export const stuckChapter: Chapter = { title: 'a store that answers nothing', needs: ['cells'], facts }
