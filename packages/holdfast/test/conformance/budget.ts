/** The local queue in front of each line: what it saves, and how long neighbours may be kept waiting by it. */
import assert from 'node:assert/strict'
import type { Chapter, Facts, World } from './fact.ts'
import { briefMs, nowMs, numbers, pause, Room, soon, turns, until } from './waiting.ts'

/** A missed hint would be found by a beat only, 5 s later; what matters within it is counted in sections. */
const SLACK_MS = 2500

const saving: Facts = {
  async 'a thousand tasks of one object have one claim in the line, held or waiting'(world) {
    const { locks, cable } = world.cabled()
    const lock = locks.mutex('line', { label: 'many' })
    const seen = world.make()
    const other = await seen.mutex('line').acquire()
    const room = new Room()
    const tasks = numbers(1000).map((number) => lock.run(() => room.visit(number), { wait: 'forever' }))
    const claims = async (): Promise<number> => {
      const [line] = await seen.inspect('line')
      return [...(line?.holders ?? []), ...(line?.waiters ?? [])].filter(({ label }) => label === 'many').length
    }
    await until('they wait', async () => (await claims()) === 1)
    await other.release()
    let most = 0
    const all = Promise.all(tasks)
    while (room.visits.length < 1000) {
      most = Math.max(most, await claims())
      await pause(1)
    }
    await all
    assert.equal(most, 1)
    assert.equal(room.most, 1)
    assert.deepEqual(room.visits, numbers(1000))
    assert.ok(cable.count('enter') <= 2, `${cable.count('enter')} enters`)
  },

  async 'while nobody else waits, a hand-over costs the store nothing but a question a slice'(world) {
    const { locks, cable } = world.cabled()
    const lock = locks.mutex('line')
    await locks.ready()
    const before = cable.count()
    const startedMs = nowMs()
    await Promise.all(numbers(500).map(() => lock.run(() => turns(1))))
    const slices = Math.ceil((nowMs() - startedMs) / 50)
    // One enter, one leave, a question each slice, a beat each third of a ttl.
    assert.ok(cable.count() - before <= slices + 4, `${cable.count() - before} requests in ${slices} slices`)
  },

  async 'a free lock lingers for the next task of the object, if it is told to'(world) {
    const { locks, cable } = world.cabled({ front: { linger: '500ms' } })
    const lock = locks.mutex('line')
    await lock.run(() => {})
    const entered = cable.count('enter')
    for (let left = 8; left > 0; left--) {
      await pause(20)
      await lock.run(() => {})
      const tried = await lock.tryAcquire()
      assert.notEqual(tried, null)
      await tried?.release()
    }
    assert.equal(cable.count('enter'), entered)
    await until('it is given back', async () => (await locks.inspect('line')).length === 0, 500 + SLACK_MS)
  },

  async 'a lingering lock goes to a neighbour that wants it'(world) {
    const locks = world.make({ front: { linger: '30s' } })
    await locks.mutex('line').run(() => {})
    const startedMs = nowMs()
    const next = await soon('the neighbour', world.make().mutex('line').acquire())
    assert.ok(nowMs() - startedMs < briefMs(SLACK_MS), `${nowMs() - startedMs} ms`)
    await next.release()
  },
}

/** Sections of `stayMs` each, by as many tasks as it takes to be busy until `over`. */
function busy(world: World, front: { passes?: number; slice?: '20ms' | '40ms' }, stayMs: number, count: number): Room {
  const lock = world.make({ front }).mutex('line')
  const room = new Room()
  const tasks = numbers(count).map((number) => lock.run(() => room.visit(number, stayMs), { wait: 'forever' }))
  for (const task of tasks) task.catch(() => {})
  return room
}

const budget: Facts = {
  async 'a neighbour is served within the slice and the running section, however many tasks wait here'(world) {
    const room = busy(world, { slice: '40ms', passes: 1000 }, 4, 600)
    const neighbour = world.make()
    await neighbour.ready()
    await until('they work', () => room.visits.length > 3)
    for (let left = 3; left > 0; left--) {
      const startedMs = nowMs()
      const before = room.visits.length
      const held = await neighbour.mutex('line').acquire()
      const between = room.visits.length - before
      assert.equal(room.inside, 0)
      await held.release()
      // Fresh for a slice, then another slice while the neighbour waits, and the running section.
      assert.ok(between <= (2 * 40) / 4 + 6, `${between} sections`)
      assert.ok(nowMs() - startedMs < briefMs(SLACK_MS))
      await pause(60)
    }
  },

  async 'a neighbour is served after so many passes, if those are over before the slice'(world) {
    const room = busy(world, { passes: 2, slice: '20ms' }, 15, 100)
    const neighbour = world.make()
    await neighbour.ready()
    await until('they work', () => room.visits.length > 1)
    const before = room.visits.length
    const held = await neighbour.mutex('line').acquire()
    const between = room.visits.length - before
    assert.ok(between <= 5, `${between} sections`)
    await held.release()
  },

  async 'two objects with much to do take turns, and neither starves'(world) {
    const turnsTaken: number[] = []
    const object = (mine: number): Promise<unknown> => {
      const lock = world.make({ front: { passes: 4, slice: '20ms' } }).mutex('line')
      const section = async (): Promise<void> => {
        turnsTaken.push(mine)
        await pause(1)
      }
      return Promise.all(numbers(60).map(() => lock.run(section, { wait: 'forever' })))
    }
    await Promise.all([object(0), object(1)])
    const changes = turnsTaken.filter((mine, index) => index > 0 && mine !== turnsTaken[index - 1]).length
    assert.equal(turnsTaken.length, 120)
    assert.ok(changes >= 6, `${changes} changes: ${turnsTaken.join('')}`)
  },

  async 'with no passes each task goes back to the line while others wait'(world) {
    const room = busy(world, { passes: 0, slice: '20ms' }, 10, 200)
    const neighbour = await world.ready()
    await until('they work', () => room.visits.length > 1)
    const before = room.visits.length
    const held = await neighbour.mutex('line').acquire()
    assert.ok(room.visits.length - before <= 8, `${room.visits.length - before} sections`)
    await held.release()
  },
}

const without: Facts = {
  async 'without a front each task has a claim of its own, and they exclude each other as ever'(world) {
    const { locks, cable } = world.cabled({ front: false })
    const room = new Room()
    const held = await locks.mutex('line').acquire()
    const tasks = numbers(10).map((number) => locks.mutex('line').run(() => room.visit(number)))
    await until('all stand in line', async () => (await locks.inspect('line'))[0]?.waiters.length === 10)
    await held.release()
    await Promise.all(tasks)
    assert.equal(room.most, 1)
    assert.deepEqual(room.visits, numbers(10))
    assert.equal(cable.count('enter'), 11)
  },

  async 'objects with a front and without one exclude each other'(world) {
    const room = new Room()
    const objects = [world.make(), world.make({ front: false }), world.make({ front: { passes: 1 } })]
    await Promise.all(
      objects.flatMap((locks) => numbers(12).map((number) => locks.mutex('line').run(() => room.visit(number)))),
    )
    assert.equal(room.most, 1)
    assert.equal(room.visits.length, 36)
  },
}

const fair: Facts = {
  async 'fair takes are served in the order in which they were made, across neighbours'(world) {
    const objects = [world.make(), world.make(), world.make()]
    await Promise.all(objects.map((locks) => locks.ready()))
    const held = await objects[0]?.mutex('line', { fair: true }).acquire()
    const order: number[] = []
    const tasks: Promise<unknown>[] = []
    for (const number of numbers(24)) {
      const lock = objects[(number * 7) % 3]?.mutex('line', { fair: true })
      tasks.push(Promise.resolve(lock?.run(() => order.push(number))))
      await until('it stands in line', async () => {
        const [line] = (await objects[0]?.inspect('line')) ?? []
        return line?.waiters.length === number + 1
      })
    }
    await held?.release()
    await Promise.all(tasks)
    assert.deepEqual(order, numbers(24))
  },

  async 'fair takes of one object keep their order also while it is still connecting'(world) {
    const held = await world.make().mutex('line').acquire()
    const locks = world.make()
    const order: number[] = []
    const tasks: Promise<unknown>[] = []
    for (const number of numbers(40)) {
      tasks.push(locks.mutex('line', { fair: true }).run(() => order.push(number)))
      for (let left = number % 4; left > 0; left--) await Promise.resolve()
    }
    await turns()
    await held.release()
    await Promise.all(tasks)
    assert.deepEqual(order, numbers(40))
  },

  async 'fair and other takes of one name exclude each other'(world) {
    const room = new Room()
    const objects = [world.make(), world.make()]
    const tasks = numbers(30).map((number) =>
      objects[number % 2]?.mutex('line', { fair: number % 3 === 0 }).run(() => room.visit(number)),
    )
    await Promise.all(tasks)
    assert.equal(room.most, 1)
    assert.equal(room.visits.length, 30)
  },
}

export const budgetChapters: readonly Chapter[] = [
  { title: 'the front saves the store', needs: ['order'], facts: saving },
  { title: 'the budget of the front', needs: ['order'], facts: budget },
  { title: 'without a front', needs: ['order'], facts: without },
  { title: 'fair takes', needs: ['order'], facts: fair },
]
