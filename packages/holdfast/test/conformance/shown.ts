/** What is said of a holder, in every place that names one, and how it is written down. */
import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import type { Chapter, Facts } from './fact.ts'
import { brief, refusal } from './waiting.ts'

const facts: Facts = {
  async 'inspect, a busy answer and a timeout say until when a holder lasts, and whether it is detached'(world) {
    const locks = world.make()
    await world.hold(locks.mutex('thing').acquire({ detached: true, maxHold: '1h', label: 'deploy' }))
    const seen = [(await locks.inspect('thing'))[0]?.holders[0]]
    for (const asking of [locks, world.make()]) {
      const answer = await asking.mutex('thing').tryRun(() => {})
      const error = await refusal('WAIT_TIMEOUT', asking.mutex('thing').acquire({ wait: brief(50) }))
      assert.match(error.message, /\(deploy\) since .*, detached, until .*Z at the latest$/)
      seen.push(answer.ran ? undefined : (answer.holder ?? undefined), error.holder ?? undefined)
    }
    for (const holder of seen) {
      assert.equal(holder?.detached, true)
      // Its own process trusts a hundredth less of it.
      const leftMs = Number(holder?.until) - Date.now()
      assert.ok(leftMs > 3_600_000 * 0.985 && leftMs < 3_610_000, `${leftMs} ms`)
    }
  },

  async 'what is shown can be written as JSON, with its fence in decimal, and is else a plain object'(world) {
    const locks = world.make()
    const held = await locks.mutex('thing').acquire()
    await locks.cell('setting').set('1')
    await world.hold(locks.election('leader').acquire({ value: 'me' }))
    const lines = await locks.inspect('thing')
    const busy = await locks.mutex('thing').tryRun(() => {})
    const error = await refusal('WAIT_TIMEOUT', locks.mutex('thing').acquire({ wait: brief(20) }))
    const fence = String(held.fence)
    assert.deepEqual(JSON.parse(JSON.stringify(lines))[0].holders[0].fence, fence)
    assert.equal(JSON.parse(JSON.stringify(busy)).holder.fence, fence)
    const { holder, code, message } = JSON.parse(JSON.stringify(error))
    assert.deepEqual({ fence: holder.fence, code, message }, { fence, code: 'WAIT_TIMEOUT', message: error.message })
    assert.match(JSON.stringify(await locks.cell('setting').get()), /"version":"\d+"/)
    assert.match(JSON.stringify(await locks.election('leader').leader()), /"fence":"\d+"/)
    const [view] = lines[0]?.holders ?? []
    assert.deepEqual(Object.keys({ ...view }).includes('toJSON'), false)
    assert.deepStrictEqual({ ...view }, view)
    assert.deepEqual(structuredClone(view), view)
  },

  async 'a lease on the console is its name, whether it is held, and its fence'(world) {
    const locks = world.make()
    const held = await locks.mutex('thing').acquire()
    assert.equal(inspect(held), `Lease { name: 'thing', held: true, fence: ${held.fence}n }`)
    await held.release()
    assert.match(inspect({ held }), /held: Lease { name: 'thing', held: false, fence: \d+n }/)
    const permits = locks.semaphore('seats', { capacity: 2 })
    const seat = await permits.acquire({ slot: true })
    assert.equal(
      inspect(seat, { breakLength: Number.POSITIVE_INFINITY }),
      `Lease { name: 'seats', held: true, slot: { number: 0, fence: ${seat.slot?.fence}n } }`,
    )
    assert.match(JSON.stringify(seat.slot), /^{"number":0,"fence":"\d+"}$/)
    const both = await locks.all([locks.mutex('a'), locks.mutex('b')]).acquire()
    assert.match(inspect(both), /^Lease {.*'a \+ b'.*leases: \[.*Lease { name: 'a'/s)
    await world.hold([seat, both])
  },

  async 'an object on the console is its namespace and its status'(world) {
    const locks = world.make()
    await using _ = await locks.mutex('thing').acquire()
    assert.match(inspect(locks), /^Holdfast {\s+namespace: '.*link: 'up'.*held: 1,/s)
  },
}

export const shownChapter: Chapter = {
  title: 'what is shown of a holder',
  needs: ['order', 'permits', 'cells', 'claims', 'detached'],
  facts,
}
