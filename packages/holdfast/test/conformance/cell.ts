/** Cells: a value with a version that is never used again, changed only by who knows it, and watched. */
import assert from 'node:assert/strict'
import type { Chapter, Facts } from './fact.ts'
import { numbers, pause, rejection, soon, turns, until } from './waiting.ts'

const facts: Facts = {
  async 'what was set is read, here and elsewhere, and nothing is null'(world) {
    const [here, there] = [world.make().cell('note'), world.make().cell('note')]
    assert.equal(await there.get(), null)
    const version = await here.set('one')
    assert.equal(typeof version, 'bigint')
    assert.deepEqual(await there.get(), { value: 'one', version })
    assert.equal(await world.make().cell('other').get(), null)
  },

  async 'each write has a version above all before it'(world) {
    const objects = [world.make(), world.make()]
    const versions: (bigint | null)[] = []
    for (const number of numbers(12)) versions.push((await objects[number % 2]?.cell('note').set(`${number}`)) ?? null)
    assert.ok(
      versions.every((version, index) => version !== null && (index === 0 || version > (versions[index - 1] ?? 0n))),
    )
  },

  async 'a write under a condition is done only if the cell has that version'(world) {
    const [here, there] = [world.make().cell('note'), world.make().cell('note')]
    const first = await here.set('one')
    const second = await there.set('two', { ifVersion: first })
    assert.notEqual(second, null)
    assert.equal(await here.set('three', { ifVersion: first }), null)
    assert.equal((await here.get())?.value, 'two')
  },

  async 'a write with null for its condition is done only if there is no cell'(world) {
    const cell = world.make().cell('note')
    assert.notEqual(await cell.set('one', { ifVersion: null }), null)
    assert.equal(await cell.set('two', { ifVersion: null }), null)
    assert.equal((await cell.get())?.value, 'one')
  },

  async 'of many that write under one condition, one wins'(world) {
    const objects = [world.make(), world.make()]
    const first = await world.make().cell('note').set('0')
    const wins = await Promise.all(
      numbers(20).map((number) => objects[number % 2]?.cell('note').set(`${number}`, { ifVersion: first })),
    )
    assert.equal(wins.filter((version) => version !== null).length, 1)
  },

  async 'a counter made of conditions loses nothing'(world) {
    const objects = [world.make(), world.make()]
    const add = async (number: number): Promise<void> => {
      const cell = objects[number % 2]?.cell('count')
      for (;;) {
        const now = (await cell?.get()) ?? null
        const value = `${Number(now?.value ?? 0) + 1}`
        if ((await cell?.set(value, { ifVersion: now?.version ?? null })) !== null) return
      }
    }
    await soon('all have counted', Promise.all(numbers(20).map(add)), 5000)
    assert.equal((await world.make().cell('count').get())?.value, '20')
  },

  async 'a cell with a ttl is gone after it, and a new one has another version'(world) {
    const cell = world.make().cell('note')
    const first = await cell.set('one', { ttl: '120ms' })
    assert.equal((await cell.get())?.value, 'one')
    await until('it is gone', async () => (await cell.get()) === null)
    assert.equal(await cell.set('two', { ifVersion: first }), null)
    const again = await cell.set('two', { ifVersion: null })
    assert.ok(again !== null && first !== null && again > first)
    assert.equal((await cell.get())?.value, 'two')
  },

  async 'a write without a ttl takes the ttl away'(world) {
    const cell = world.make().cell('note')
    await cell.set('one', { ttl: '80ms' })
    await cell.set('two')
    await pause(130)
    assert.equal((await cell.get())?.value, 'two')
  },

  async 'values are kept as they are'(world) {
    const [here, there] = [world.make().cell('note'), world.make().cell('note')]
    for (const value of ['', ' ', "it's", '"', '\\', '😀é', 'line\nline', '{"a":1}', 'x'.repeat(60_000)]) {
      await here.set(value)
      assert.equal((await there.get())?.value, value)
    }
  },

  async 'a watcher sees the value now and each change, at least the last of a quick succession'(world) {
    const seen: (string | null)[] = []
    const controller = new AbortController()
    const watcher = world.make({ ttl: world.subject.ttl }).cell('note')
    const watched = (async (): Promise<void> => {
      for await (const value of watcher.watch({ signal: controller.signal })) seen.push(value)
    })()
    const ended = rejection(watched)
    await until('nothing there', () => seen.length === 1)
    assert.equal(seen.length, 1)
    const cell = world.make().cell('note')
    await cell.set('one')
    await until('the first', () => seen.at(-1) === 'one')
    for (const number of numbers(10)) await cell.set(`${number}`)
    await until('the last', () => seen.at(-1) === '9')
    const version = await cell.set('end', { ttl: '60ms' })
    assert.notEqual(version, null)
    await until('it is gone', () => seen.at(-1) === null)
    controller.abort('enough')
    assert.equal(await soon('the watch ends', ended), 'enough')
  },

  async 'the same value written again is a change of the version and is seen'(world) {
    let count = 0
    const controller = new AbortController()
    const cell = world.make().cell('note')
    await cell.set('same')
    const watched = (async (): Promise<void> => {
      for await (const value of world.make().cell('note').watch({ signal: controller.signal })) {
        assert.equal(value, 'same')
        count++
      }
    })()
    watched.catch(() => {})
    await until('it is seen', () => count === 1)
    await cell.set('same')
    await until('it is seen again', () => count === 2)
    controller.abort()
    await turns(2)
  },

  async 'a write whose answer was lost is not done twice'(world) {
    // Long enough for a busy machine to answer within a third of it.
    const { locks, cable } = world.cabled({ ttl: '3s' })
    const cell = locks.cell('note')
    const first = await cell.set('one')
    cable.cut('deaf', 'cells.set')
    const written = cell.set('two', { ifVersion: first })
    await pause(100)
    cable.heal()
    // The repeated request is the same write: it must not be refused by its own first half.
    const version = await soon('it is written', written, 6000)
    assert.notEqual(version, null)
    assert.deepEqual(await world.make().cell('note').get(), { value: 'two', version })
  },

  async 'a condition that is no version is refused'(world) {
    const cell = world.make().cell('note')
    assert.ok((await rejection(cell.set('x', { ifVersion: 5 as unknown as bigint }))) instanceof TypeError)
    assert.ok((await rejection(cell.set('x', { ifVersion: -1n }))) instanceof RangeError)
    assert.equal(await cell.get(), null)
  },
}

export const cellChapter: Chapter = { title: 'cell', needs: ['cells'], facts }
