/** The read–write lock: readers share, a writer excludes, nobody overtakes, and a writer may become a reader. */
import assert from 'node:assert/strict'
import type { Holdfast, LineView } from '../../src/index.ts'
import { type Chapter, type Facts, needing } from './fact.ts'
import { brief, gate, numbers, pause, Room, refusal, soon, turns, until } from './waiting.ts'

const of = (locks: Holdfast): ReturnType<Holdfast['rwlock']> => locks.rwlock('thing')

async function line(locks: Holdfast): Promise<LineView> {
  const [found] = await locks.inspect('thing')
  return found ?? { name: 'thing', kind: 'lock', holders: [], waiters: [] }
}

/** Counts readers and writers who are inside. */
class Library {
  readers = 0
  writers = 0
  mostReaders = 0
  broken = 0

  async read(): Promise<void> {
    this.readers++
    this.mostReaders = Math.max(this.mostReaders, this.readers)
    await this.#stay()
    this.readers--
  }
  async write(): Promise<void> {
    this.writers++
    await this.#stay()
    this.writers--
  }
  async #stay(): Promise<void> {
    for (let left = 2; left > 0; left--) {
      if (this.writers > 1 || (this.writers > 0 && this.readers > 0)) this.broken++
      await turns(1)
    }
  }
}

const sharing: Facts = {
  async 'readers of one object and of neighbours are inside together'(world) {
    const [here, there] = [world.make(), world.make()]
    const readers = await Promise.all([here, here, there, there].map((locks) => of(locks).read().acquire()))
    assert.ok(readers.every((held) => held.isHeld() && held.mode === 'read'))
    assert.notEqual(await of(there).read().tryAcquire(), null)
    assert.equal(await of(there).write().tryAcquire(), null)
    assert.equal(await of(here).write().tryAcquire(), null)
    for (const held of readers) await held.confirm()
  },

  async 'a writer excludes readers and writers, here and elsewhere'(world) {
    const [here, there] = [world.make(), world.make()]
    const held = await of(here).write().acquire()
    assert.equal(held.mode, 'write')
    for (const locks of [here, there]) {
      assert.equal(await of(locks).read().tryAcquire(), null)
      assert.equal(await of(locks).write().tryAcquire(), null)
    }
  },

  async 'readers and writers of three neighbours are never inside together'(world) {
    const library = new Library()
    const objects = [world.make(), world.make(), world.make({ front: false })]
    const visits = numbers(90).map((number) => {
      const lock = of(objects[number % 3] ?? world.make())
      return number % 4 === 0 ? lock.write().run(() => library.write()) : lock.read().run(() => library.read())
    })
    await Promise.all(visits)
    assert.equal(library.broken, 0)
    assert.ok(library.mostReaders > 1)
  },

  async 'a mutex is the writer of the line of its name'(world) {
    const [here, there] = [world.make(), world.make()]
    const held = await here.mutex('thing').acquire()
    assert.equal(await of(there).read().tryAcquire(), null)
    await held.release()
    const reader = await of(there).read().acquire()
    assert.equal(await here.mutex('thing').tryAcquire(), null)
    assert.equal(await there.mutex('thing').tryAcquire(), null)
    await reader.release()
    assert.notEqual(await here.mutex('thing').tryAcquire(), null)
  },

  'readers of one object share one claim': needing(['order'], async (world) => {
    const { locks, cable } = world.cabled()
    const readers = await Promise.all(numbers(20).map(() => of(locks).read().acquire()))
    assert.equal((await line(locks)).holders.length, 1)
    assert.equal(cable.count('enter'), 1)
    for (const held of readers.slice(1)) await held.release()
    assert.equal(readers[0]?.isHeld(), true)
    assert.equal(await world.make().mutex('thing').tryAcquire(), null)
    await readers[0]?.release()
    assert.equal((await line(locks)).holders.length, 0)
  }),

  async 'a reader with an end of its own does not end the others'(world) {
    const locks = world.make()
    const short = of(locks).read().acquire({ maxHold: '120ms' })
    const others = [of(locks).read().acquire(), of(locks).read().acquire()]
    const late = of(locks).read().acquire({ maxHold: '150ms' })
    const [first, ...rest] = await Promise.all([short, ...others, late])
    await until('the first has ended', () => !first.isHeld())
    await pause(150)
    assert.deepEqual(
      rest.map((held) => held.isHeld()),
      [true, true, false],
    )
    await rest[0]?.confirm()
  },
}

const order: Facts = {
  async 'a reader that arrives after a waiting writer is served after the writer: one object'(world) {
    const locks = world.make()
    const first = await of(locks).read().acquire()
    const served: string[] = []
    const writer = of(locks)
      .write()
      .run(() => served.push('writer'))
    const reader = of(locks)
      .read()
      .run(() => served.push('reader'))
    assert.equal(await of(locks).read().tryAcquire(), null)
    await turns(5)
    assert.deepEqual(served, [])
    await first.release()
    await Promise.all([writer, reader])
    assert.deepEqual(served, ['writer', 'reader'])
  },

  async 'a reader that arrives after a waiting writer is served after the writer: neighbours'(world) {
    const objects = [world.make(), world.make(), world.make()] as const
    const first = await of(objects[0]).read().acquire()
    const served: string[] = []
    const writer = of(objects[1])
      .write()
      .run(() => served.push('writer'))
    await until('the writer waits', async () => (await line(objects[0])).waiters.length === 1)
    assert.equal(await of(objects[2]).read().tryAcquire(), null)
    // For a slice the first object may go on by what it was told last.
    await pause(60)
    const readers = [objects[0], objects[2]].map((locks) =>
      of(locks)
        .read()
        .run(() => served.push('reader')),
    )
    await until('all wait', async () => (await line(objects[0])).waiters.length === 3)
    assert.deepEqual(served, [])
    await first.release()
    await Promise.all([writer, ...readers])
    assert.deepEqual(served, ['writer', 'reader', 'reader'])
  },

  async 'a stream of readers of one object does not starve a neighbour that writes'(world) {
    const readers = world.make({ front: { slice: '20ms' } })
    let going = true
    const stream = numbers(4).map(async (number) => {
      await pause(number * 3)
      while (going) {
        await of(readers)
          .read()
          .run(() => pause(10))
      }
    })
    await pause(30)
    const held = await soon('the writer', of(world.make()).write().acquire())
    going = false
    await held.release()
    await Promise.all(stream)
  },

  async 'all readers behind a writer are let in together when it is done'(world) {
    const objects = [world.make(), world.make(), world.make()]
    const held = await of(world.make()).write().acquire()
    const { passed, open } = gate()
    const room = new Room()
    const readers = objects.map((locks) =>
      of(locks)
        .read()
        .run(async () => {
          room.inside++
          await passed
        }),
    )
    await until('they wait', async () => (await line(objects[0] ?? world.make())).waiters.length === 3)
    await held.release()
    await until('all are in', () => room.inside === 3)
    open()
    await Promise.all(readers)
  },

  async 'a reader that gives up lets nobody down'(world) {
    const locks = world.make()
    const held = await of(locks).write().acquire()
    const lost = refusal(
      'WAIT_TIMEOUT',
      of(locks)
        .read()
        .acquire({ wait: brief(30) }),
    )
    const kept = of(locks).read().acquire()
    const writer = of(locks)
      .write()
      .run(() => 'written')
    await lost
    await held.release()
    await (await kept).release()
    assert.equal(await writer, 'written')
  },
}

const joining: Facts = {
  async 'a read inside a section that writes or reads joins it'(world) {
    const locks = world.make()
    const reads = of(locks).read()
    await of(locks)
      .write()
      .run(async (writer) => {
        await reads.run((reader) => {
          assert.equal(reader.mode, 'read')
          assert.equal(reader.fence, writer.fence)
        })
        assert.equal(writer.isHeld(), true)
      })
    await locks.mutex('thing').run(() => reads.run(() => {}))
    assert.equal((await line(locks)).holders.length, 0)
  },

  'a read inside a read joins it also when a writer waits between them': needing(['order'], async (world) => {
    const [here, there] = [world.make(), world.make()]
    const reads = of(here).read()
    let writer: Promise<unknown> = Promise.resolve()
    await reads.run(async () => {
      writer = of(there)
        .write()
        .run(() => 'written')
      await until('the writer waits', async () => (await line(there)).waiters.length === 1)
      await soon(
        'the inner read',
        reads.run(() => Promise.all([reads.run(() => turns(1)), reads.run(() => turns(1))])),
      )
    })
    assert.equal(await writer, 'written')
  }),

  async 'readers inside a writer share with each other, writers do not'(world) {
    const locks = world.make()
    const library = new Library()
    await locks.mutex('thing').run(async (held) => {
      const inside = { within: held }
      await Promise.all([
        ...numbers(4).map(() =>
          of(locks)
            .read()
            .run(() => library.read(), inside),
        ),
        of(locks)
          .write()
          .run(() => library.write(), inside),
        ...numbers(4).map(() =>
          of(locks)
            .read()
            .run(() => library.read(), inside),
        ),
        of(locks)
          .write()
          .run(() => library.write(), inside),
      ])
    })
    assert.equal(library.broken, 0)
    assert.ok(library.mostReaders > 1)
  },
}

export const readWriteChapters: readonly Chapter[] = [
  { title: 'readers and writers', facts: sharing },
  { title: 'the order of readers and writers', needs: ['order'], facts: order },
  { title: 'reads that join', facts: joining },
]
