/** Leader election: one term at a time, each with a number of its own, and everybody can see who leads. */
import assert from 'node:assert/strict'
import type { Leader } from '../../src/index.ts'
import type { Chapter, Facts } from './fact.ts'
import { brief, gate, numbers, pause, Room, refusal, rejection, soon, turns, until } from './waiting.ts'

const terms: Facts = {
  async 'one leads at a time, with a rising fence'(world) {
    const room = new Room()
    const fences: bigint[] = []
    const objects = [world.make(), world.make(), world.make()]
    const candidacies = numbers(15).map((number) =>
      objects[number % 3]?.election('chair').run(async ({ fence }) => {
        fences.push(fence)
        await room.visit(number)
      }),
    )
    await Promise.all(candidacies)
    assert.equal(room.most, 1)
    assert.deepEqual(
      fences,
      [...fences].sort((a, b) => (a < b ? -1 : 1)),
    )
  },

  async 'the leader is seen with its value, its fence and where it runs'(world) {
    const locks = world.make()
    const seen = world.make()
    assert.equal(await seen.election('chair').leader(), null)
    const term = await locks.election('chair').acquire({ value: 'http://one' })
    const leader = await seen.election('chair').leader()
    assert.equal(leader?.value, 'http://one')
    assert.equal(leader?.fence, term.fence)
    assert.equal(leader?.pid, process.pid)
    assert.ok((leader?.host ?? '').length > 0)
    await term.release()
    assert.equal(await seen.election('chair').leader(), null)
  },

  async 'a value is told as it was given, and as an empty text when none was'(world) {
    const locks = world.make()
    const term = await locks.election('chair').acquire()
    assert.equal((await locks.election('chair').leader())?.value, '')
    await term.release()
    const value = '{"é":"😀 \'quoted\' \\n"}'
    await locks.election('chair').run(
      async () => {
        assert.equal((await world.make().election('chair').leader())?.value, value)
      },
      { value },
    )
  },

  async 'a candidate waits for ever unless it is told otherwise'(world) {
    await world.hold(world.make().election('chair').acquire())
    const second = (await world.ready()).election('chair')
    await refusal('WAIT_TIMEOUT', second.acquire({ wait: brief(40) }))
    assert.equal(await world.make().election('chair').tryAcquire(), null)
    const controller = new AbortController()
    const waiting = rejection(world.make().election('chair').acquire({ signal: controller.signal }))
    await pause(40)
    controller.abort('enough')
    assert.equal(await waiting, 'enough')
  },
}

const leading: Facts = {
  async 'lead campaigns again after each term, until its signal aborts'(world) {
    const controller = new AbortController()
    const locks = world.make()
    const fences: bigint[] = []
    const { signal } = controller
    const led = locks.election('chair').lead(
      async ({ fence }) => {
        fences.push(fence)
        if (fences.length === 3) controller.abort()
        await turns(1)
      },
      { signal },
    )
    assert.equal(await soon('lead ends', led), undefined)
    assert.equal(fences.length, 3)
    assert.ok((fences[0] ?? 0n) < (fences[1] ?? 0n) && (fences[1] ?? 0n) < (fences[2] ?? 0n))
    assert.equal(await locks.election('chair').leader(), null)
  },

  async 'lead ends its waiting when the signal aborts, without an error'(world) {
    await world.hold(world.make().election('chair').acquire())
    const controller = new AbortController()
    const led = world
      .make()
      .election('chair')
      .lead(() => assert.fail('it led'), { signal: controller.signal })
    await pause(30)
    controller.abort(new Error('stop'))
    assert.equal(await soon('lead ends', led), undefined)
    assert.equal(
      await world
        .make()
        .election('chair')
        .lead(() => assert.fail('it led'), { signal: AbortSignal.abort() }),
      undefined,
    )
  },

  async 'lead goes on after a term that was lost'(world) {
    const controller = new AbortController()
    const locks = world.make({ ttl: world.subject.ttl })
    let count = 0
    const led = locks.election('chair').lead(
      async (term) => {
        count++
        if (count === 2) return controller.abort()
        await world.make().forceRelease('chair')
        await until('the term is lost', () => !term.isHeld(), 6000)
      },
      { signal: controller.signal },
    )
    await soon('lead ends', led, 7000)
    assert.equal(count, 2)
  },

  async 'what the function throws ends lead, also a loss of something else'(world) {
    const locks = world.make()
    const { signal } = new AbortController()
    const own = new Error('its own')
    assert.equal(await rejection(locks.election('chair').lead(() => Promise.reject(own), { signal })), own)
    const other = await locks.mutex('other').acquire({ maxHold: '20ms' })
    await until('it is lost', () => !other.isHeld())
    const led = locks.election('chair').lead(() => other.assertHeld(), { signal })
    await refusal('LEASE_LOST', soon('lead ends', led))
  },

  async 'the next candidate leads when the leader is done'(world) {
    const [one, two] = [new AbortController(), new AbortController()]
    const order: string[] = []
    const { passed, open } = gate()
    const first = world
      .make()
      .election('chair')
      .lead(
        async () => {
          order.push('one')
          one.abort()
          await passed
        },
        { signal: one.signal, value: 'one' },
      )
    await until('one leads', () => order.length === 1)
    const second = world
      .make()
      .election('chair')
      .lead(
        () => {
          order.push('two')
          two.abort()
        },
        { signal: two.signal, value: 'two' },
      )
    await pause(20)
    assert.deepEqual(order, ['one'])
    open()
    await soon('both end', Promise.all([first, second]))
    assert.deepEqual(order, ['one', 'two'])
  },

  async 'lead lets the process breathe also when each term is over at once'(world) {
    const controller = new AbortController()
    let timer: NodeJS.Timeout | null = null
    const fn = (): void => {
      timer ??= setTimeout(() => controller.abort(), 60)
    }
    await soon('lead ends', world.make().election('chair').lead(fn, { signal: controller.signal }))
    assert.notEqual(timer, null)
  },

  async 'lead wants a signal and a function'(world) {
    const election = world.make().election('chair')
    const none = undefined as unknown as { signal: AbortSignal }
    assert.ok((await rejection(election.lead(() => {}, none))) instanceof TypeError)
    assert.ok((await rejection(election.lead(() => {}, {} as { signal: AbortSignal }))) instanceof TypeError)
    const { signal } = new AbortController()
    assert.ok((await rejection(election.lead(5 as unknown as () => void, { signal }))) instanceof TypeError)
  },
}

const observing: Facts = {
  async 'an observer sees the leader now, each change, and that there is none'(world) {
    const seen: (string | null)[] = []
    const controller = new AbortController()
    const observer = world.make({ ttl: world.subject.ttl }).election('chair')
    const observed = (async (): Promise<void> => {
      for await (const leader of observer.observe({ signal: controller.signal })) seen.push(leader?.value ?? null)
    })()
    const ended = rejection(observed)
    await until('nobody leads', () => seen.length === 1)
    const one = await world.make().election('chair').acquire({ value: 'one' })
    await until('one leads', () => seen.length === 2)
    const two = world.make().election('chair').acquire({ value: 'two' })
    await turns(5)
    await one.release()
    await until('two leads', () => seen.at(-1) === 'two')
    await (await two).release()
    await until('nobody leads', () => seen.at(-1) === null)
    assert.deepEqual(
      seen.filter((value, index) => value !== null || index !== 2),
      [null, 'one', 'two', null],
    )
    controller.abort('enough')
    assert.equal(await soon('the observation ends', ended), 'enough')
  },

  async 'an observer that begins during a term sees it first'(world) {
    const term = await world.make().election('chair').acquire({ value: 'one' })
    const first = async (): Promise<Leader | null> => {
      for await (const leader of world.make().election('chair').observe()) return leader
      return null
    }
    assert.equal((await soon('the first', first()))?.fence, term.fence)
  },

  async 'a leader that comes again is another term'(world) {
    const fences: (bigint | null)[] = []
    const controller = new AbortController()
    const observer = world.make({ ttl: world.subject.ttl }).election('chair')
    const observed = (async (): Promise<void> => {
      for await (const leader of observer.observe({ signal: controller.signal })) fences.push(leader?.fence ?? null)
    })()
    observed.catch(() => {})
    const locks = world.make()
    for (let left = 2; left > 0; left--) {
      const term = await locks.election('chair').acquire({ value: 'same' })
      await until('it is seen', () => fences.at(-1) === term.fence)
      await term.release()
    }
    controller.abort()
  },

  async 'an outage says nothing about who leads'(world) {
    const { locks, cable } = world.cabled({ ttl: world.subject.ttl })
    const seen: (string | null)[] = []
    const observed = (async (): Promise<void> => {
      for await (const leader of locks.election('chair').observe()) seen.push(leader?.value ?? null)
    })()
    observed.catch(() => {})
    const term = await world.make().election('chair').acquire({ value: 'one' })
    await until('one leads', () => seen.at(-1) === 'one')
    cable.cut('refusing')
    await pause(500)
    cable.heal()
    await pause(400)
    assert.equal(seen.at(-1), 'one')
    await term.release()
    await until('nobody leads', () => seen.at(-1) === null)
    await locks.close()
  },
}

export const electionChapters: readonly Chapter[] = [
  { title: 'election', needs: ['order'], facts: terms },
  { title: 'leading', needs: ['order'], facts: leading },
  { title: 'observing', needs: ['order'], facts: observing },
]
