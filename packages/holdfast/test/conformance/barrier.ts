/** Barrier and double barrier: parties that are here pass together; those who died, gave up or came late are not among them. */
import assert from 'node:assert/strict'
import type { Chapter, Facts } from './fact.ts'
import { brief, gate, numbers, pause, refusal, rejection, soon, stillWaits, turns, until, watch } from './waiting.ts'

const single: Facts = {
  async 'all pass when all are here, and nobody before'(world) {
    const objects = [world.make(), world.make()]
    const first = objects.map((locks) => locks.barrier('gate', 3).pass())
    const seen = watch(Promise.race(first))
    await pause(60)
    stillWaits(seen)
    await soon('all pass', Promise.all([...first, world.make().barrier('gate', 3).pass()]))
  },

  async 'parties of one object count as many'(world) {
    const locks = world.make()
    await soon('all pass', Promise.all(numbers(4).map(() => locks.barrier('gate', 4).pass())))
  },

  async 'it is used again and again, and each generation is complete'(world) {
    const objects = numbers(3).map(() => world.make())
    const passed: number[] = []
    const party = async (index: number): Promise<void> => {
      for (const generation of numbers(6)) {
        await objects[index]?.barrier('gate', 3).pass()
        passed.push(generation)
      }
    }
    await soon('all generations', Promise.all(numbers(3).map(party)), 6000)
    assert.deepEqual(
      passed,
      [...passed].sort((a, b) => a - b),
    )
  },

  async 'a party that gives up or aborts is not counted'(world) {
    const objects = numbers(3).map(() => world.make())
    const controller = new AbortController()
    const aborted = rejection(Promise.resolve(objects[0]?.barrier('gate', 3).pass({ signal: controller.signal })))
    await refusal('WAIT_TIMEOUT', Promise.resolve(objects[1]?.barrier('gate', 3).pass({ wait: brief(60) })))
    controller.abort('gone')
    assert.equal(await aborted, 'gone')
    const seen = world.make()
    await until('they are gone from the line', async () => (await seen.inspect('gate#0')).length === 0)
    const left = objects.slice(1).map((locks) => locks.barrier('gate', 3).pass())
    const watched = watch(Promise.race(left))
    await pause(60)
    stillWaits(watched)
    await soon('the third makes it complete', Promise.all([...left, objects[0]?.barrier('gate', 3).pass()]))
  },

  async 'a party that died is not counted'(world) {
    const { locks, cable } = world.cabled({ ttl: world.subject.ttl })
    const dead = locks.barrier('gate', 2).pass()
    dead.catch(() => {})
    const seen = world.make()
    await until('it is here', async () => (await seen.inspect('gate#0'))[0]?.holders.length === 1)
    cable.cut('silent')
    await pause(world.subject.ttlMs + 100)
    const alive = seen.barrier('gate', 2).pass()
    const watched = watch(alive)
    await pause(150)
    stillWaits(watched)
    await soon('two that live', Promise.all([alive, world.make().barrier('gate', 2).pass()]))
    await locks.close()
  },

  async 'one that comes when a generation is complete waits for the next'(world) {
    const locks = world.make()
    await Promise.all(numbers(2).map(() => locks.barrier('gate', 2).pass()))
    const late = world.make().barrier('gate', 2).pass()
    const seen = watch(late)
    await pause(60)
    stillWaits(seen)
    await Promise.all([late, locks.barrier('gate', 2).pass()])
  },

  async 'more than enough at once pass as generations, and the rest waits'(world) {
    const objects = numbers(3).map(() => world.make())
    const passes = numbers(7).map((number) => objects[number % 3]?.barrier('gate', 3).pass({ wait: brief(1000) }))
    const outcomes = await Promise.allSettled(passes)
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 6)
  },

  async 'a barrier of one is no barrier, even with a wait of 0'(world) {
    await soon('at once', world.make().barrier('gate', 1).pass({ wait: 0 }))
    await soon('at once', world.make().barrier('gate', 1).pass())
  },

  async 'with a wait of 0 a party passes if it is the last, and is refused at once if not'(world) {
    const locks = world.make()
    await refusal('WAIT_TIMEOUT', soon('at once', locks.barrier('gate', 2).pass({ wait: 0 })))
    const first = locks.barrier('gate', 2).pass()
    await until('it is here', async () => (await locks.inspect('gate#0'))[0]?.holders.length === 1)
    await soon('the last', world.make().barrier('gate', 2).pass({ wait: 0 }))
    await first
  },

  async 'nothing of a barrier is left in the store when all have passed'(world) {
    const locks = world.make()
    await Promise.all(numbers(3).map(() => locks.barrier('gate', 3).pass()))
    const lines: string[] = []
    for await (const { name } of world.make().list()) lines.push(name)
    assert.deepEqual(lines, [])
    assert.equal(locks.status().held, 0)
  },
}

const double: Facts = {
  async 'all enter together and leave together'(world) {
    const objects = numbers(3).map(() => world.make())
    const { passed, open } = gate()
    let [inside, left] = [0, 0]
    const party = async (index: number): Promise<void> => {
      await objects[index]?.barrier('gate', 3).run(async () => {
        inside++
        if (index === 0) await passed
      })
      left++
    }
    const parties = [party(0), party(1)]
    await pause(60)
    assert.equal(inside, 0)
    parties.push(party(2))
    await until('all are inside', () => inside === 3)
    await pause(60)
    assert.equal(left, 0)
    open()
    await soon('all leave', Promise.all(parties))
    assert.equal(left, 3)
  },

  async 'it gives what the function gave'(world) {
    const locks = world.make()
    const both = [locks.barrier('gate', 2).run(() => 1), locks.barrier('gate', 2).run(async () => 'two')]
    assert.deepEqual(await Promise.all<unknown>(both), [1, 'two'])
  },

  async 'a function that throws is told, and the others leave without waiting for it'(world) {
    const locks = world.make()
    const own = new Error('its own')
    const failing = rejection(locks.barrier('gate', 2).run(() => Promise.reject(own)))
    const fine = world
      .make()
      .barrier('gate', 2)
      .run(() => 'fine')
    assert.equal(await failing, own)
    assert.equal(await soon('the other leaves', fine), 'fine')
  },

  async 'a party that dies inside is not waited for longer than its session can live'(world) {
    const { locks, cable } = world.cabled({ ttl: world.subject.ttl })
    const dead = locks.barrier('gate', 2).run(async () => {
      cable.cut('silent')
      await pause(10)
    })
    dead.catch(() => {})
    const alive = world
      .make({ ttl: world.subject.ttl })
      .barrier('gate', 2)
      .run(() => 'alive')
    const ttlMs = world.subject.ttlMs
    assert.equal(await soon('the other leaves', alive, ttlMs * 1.4 + 800), 'alive')
    await locks.close()
  },

  async 'one that gives up before all are here does not run'(world) {
    const locks = world.make()
    const early = locks.barrier('gate', 2).run(() => assert.fail('it ran'), { wait: brief(50) })
    await refusal('WAIT_TIMEOUT', early)
    await turns(2)
    assert.equal(locks.status().held, 0)
  },

  async 'a function that is none is refused'(world) {
    const none = 5 as unknown as () => void
    assert.ok((await rejection(world.make().barrier('gate', 1).run(none))) instanceof TypeError)
  },
}

export const barrierChapters: readonly Chapter[] = [
  { title: 'barrier', needs: ['cells'], facts: single },
  { title: 'double barrier', needs: ['cells'], facts: double },
]
