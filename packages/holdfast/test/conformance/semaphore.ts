/** The counting semaphore: never more than anybody believes, no permit lost, heavy takes not starved; and its slots. */
import assert from 'node:assert/strict'
import type { Chapter, Facts, World } from './fact.ts'
import { brief, numbers, pause, Room, refusal, rejection, soon, stillWaits, turns, until, watch } from './waiting.ts'

const counting: Facts = {
  async 'never more are inside than there are permits, and all permits are used'(world) {
    const room = new Room()
    const objects = [world.make(), world.make(), world.make()]
    const visits = numbers(60).map((number) =>
      objects[number % 3]?.semaphore('pool', { capacity: 4 }).run(() => room.visit(number, 2)),
    )
    await Promise.all(visits)
    assert.ok(room.most <= 4, `${room.most}`)
    assert.equal(room.visits.length, 60)
    const pool = objects[0]?.semaphore('pool', { capacity: 4 })
    await Promise.all(numbers(4).map(() => pool?.acquire({ wait: '20s' })))
    assert.equal(await pool?.tryAcquire(), null)
  },

  async 'takes of differing weight never weigh more than the capacity together'(world) {
    const room = new Room()
    const objects = [world.make(), world.make()]
    const visits = numbers(50).map((number) => {
      const permits = 1 + (number % 4)
      const pool = objects[number % 2]?.semaphore('pool', { capacity: 6 })
      return pool?.run(() => room.visit(number, 1, permits), { permits })
    })
    await Promise.all(visits)
    assert.ok(room.most <= 6, `${room.most}`)
    assert.equal(room.visits.length, 50)
    // How full it gets in a crowd depends on how fast the store answers; that it can be full does not.
    const [one, other] = objects.map((locks) => locks.semaphore('pool', { capacity: 6 }))
    await Promise.all([one?.acquire({ permits: 4, wait: '20s' }), other?.acquire({ permits: 2, wait: '20s' })])
    assert.equal(await one?.tryAcquire(), null)
  },

  async 'tasks of one object are let in in the order in which they asked'(world) {
    const pool = world.make().semaphore('pool', { capacity: 2 })
    const room = new Room()
    await Promise.all(numbers(30).map((number) => pool.run(() => room.visit(number))))
    assert.deepEqual(room.visits, numbers(30))
  },

  async 'a heavy take is not overtaken by light ones, here and elsewhere'(world) {
    const [here, there] = [world.make(), world.make()]
    const held = await here.semaphore('pool', { capacity: 3 }).acquire()
    const heavy = here.semaphore('pool', { capacity: 3 }).acquire({ permits: 3 })
    const seen = watch(heavy)
    await until('the heavy one waits', async () => (await there.inspect('pool'))[0]?.waiters.length === 1)
    for (const locks of [here, there]) {
      assert.equal(await locks.semaphore('pool', { capacity: 3 }).tryAcquire(), null)
    }
    const light = there.semaphore('pool', { capacity: 3 }).acquire()
    const seenLight = watch(light)
    await turns(10)
    stillWaits(seenLight)
    stillWaits(seen)
    await held.release()
    await (await soon('the heavy one', heavy)).release()
    await soon('the light one', light)
  },

  async 'a permit that passes from a heavy task to a light one frees the rest'(world) {
    const locks = world.make()
    const pool = locks.semaphore('pool', { capacity: 4 })
    const heavy = await pool.acquire({ permits: 4 })
    const light = pool.acquire()
    await turns(5)
    await heavy.release()
    const one = await soon('the light one', light)
    const rest = await soon('the rest', world.make().semaphore('pool', { capacity: 4 }).acquire({ permits: 3 }))
    assert.ok(one.isHeld() && rest.isHeld())
    assert.equal(await pool.tryAcquire(), null)
  },

  async 'a take heavier than the capacity is refused at once'(world) {
    const pool = world.make().semaphore('pool', { capacity: 3 })
    for (const verb of ['acquire', 'tryAcquire'] as const) {
      const error = await rejection(soon('at once', pool[verb]({ permits: 4 })))
      assert.ok(error instanceof RangeError)
      assert.match(error.message, /permits.*4/)
    }
    assert.ok((await rejection(pool.run(() => {}, { permits: 0 }))) instanceof RangeError)
  },

  async 'a permit is no fence: its lease has none'(world) {
    const held = await world.make().semaphore('pool', { capacity: 2 }).acquire()
    assert.equal('fence' in held, false)
    assert.equal(held.slot, null)
    assert.equal((JSON.parse(JSON.stringify(held)) as { slot: unknown }).slot, null)
  },

  async 'a semaphore and a mutex of one name do not meet'(world) {
    const locks = world.make()
    await world.hold(locks.mutex('pool').acquire())
    assert.notEqual(await locks.semaphore('pool', { capacity: 1 }).tryAcquire(), null)
  },

  async 'a wait for permits that is over names a holder'(world) {
    await world.hold(world.make().semaphore('pool', { capacity: 2, label: 'crawler' }).acquire({ permits: 2 }))
    const pool = (await world.ready()).semaphore('pool', { capacity: 2 })
    const error = await refusal('WAIT_TIMEOUT', pool.acquire({ wait: brief(40) }))
    assert.equal(error.holder?.label, 'crawler')
  },
}

/** Everybody of `count` tasks says either capacity; gives the most that were inside while one who says 5 was. */
async function differing(world: World, stayMs: number): Promise<{ mostBesideFive: number; most: number }> {
  const objects = [world.make(), world.make(), world.make()]
  let [inside, fives, mostBesideFive, most] = [0, 0, 0, 0]
  const visits = numbers(80).map((number) => {
    const capacity = number % 2 === 0 ? 5 : 10
    const pool = objects[number % 3]?.semaphore('pool', { capacity })
    return pool?.run(async () => {
      inside++
      if (capacity === 5) fives++
      most = Math.max(most, inside)
      if (fives > 0) mostBesideFive = Math.max(mostBesideFive, inside)
      await pause(stayMs)
      inside--
      if (capacity === 5) fives--
    })
  })
  await Promise.all(visits)
  return { mostBesideFive, most }
}

const rolling: Facts = {
  async 'while a deploy rolls from 5 to 10, no more than 5 are inside beside one that believes 5'(world) {
    const { mostBesideFive } = await differing(world, 2)
    assert.ok(mostBesideFive <= 5, `${mostBesideFive}`)
    const [five, ten] = [5, 10].map((capacity) => world.make().semaphore('pool', { capacity }))
    await Promise.all(numbers(5).map((number) => (number % 2 === 0 ? five : ten)?.acquire({ wait: '20s' })))
    assert.equal(await ten?.tryAcquire(), null)
  },

  async 'those who believe 10 are let in up to 10 when nobody ahead believes 5'(world) {
    const locks = world.make()
    const tens = await Promise.all(numbers(9).map(() => locks.semaphore('pool', { capacity: 10 }).acquire()))
    const five = locks.semaphore('pool', { capacity: 5 }).acquire()
    const seen = watch(five)
    await until('it waits', async () => (await locks.inspect('pool'))[0]?.waiters.length === 1)
    for (const held of tens.slice(0, 4)) await held.release()
    await turns(10)
    stillWaits(seen)
    await tens[4]?.release()
    await soon('the one who believes 5', five)
    assert.equal(await locks.semaphore('pool', { capacity: 10 }).tryAcquire(), null)
  },
}

const slots: Facts = {
  async 'slots of open permits are different, and below the capacity'(world) {
    const objects = [world.make(), world.make()]
    const open = new Set<number>()
    const visits = numbers(60).map((number) =>
      objects[number % 2]?.semaphore('pool', { capacity: 5 }).run(
        async ({ slot }) => {
          assert.ok(slot !== null && slot.number >= 0 && slot.number < 5)
          assert.ok(!open.has(slot.number), `slot ${slot.number} twice`)
          open.add(slot.number)
          await pause(1)
          open.delete(slot.number)
        },
        { slot: true },
      ),
    )
    await Promise.all(visits)
  },

  async 'the fence of each slot rises from holder to holder'(world) {
    const objects = [world.make(), world.make(), world.make({ front: false })]
    const last = new Map<number, bigint>()
    const used = new Map<number, number>()
    const visits = numbers(90).map((number) =>
      objects[number % 3]?.semaphore('pool', { capacity: 3 }).run(
        async ({ slot }) => {
          assert.ok(slot !== null)
          assert.ok(slot.fence > (last.get(slot.number) ?? 0n))
          last.set(slot.number, slot.fence)
          used.set(slot.number, (used.get(slot.number) ?? 0) + 1)
          await turns(1)
        },
        { slot: true },
      ),
    )
    await Promise.all(visits)
    assert.deepEqual([...used.keys()].sort(), [0, 1, 2])
    assert.ok([...used.values()].every((count) => count > 5))
  },

  async 'a freed slot is given again, the smallest first'(world) {
    const pool = world.make().semaphore('pool', { capacity: 3 })
    const held = [await pool.acquire({ slot: true }), await pool.acquire({ slot: true })]
    assert.deepEqual(
      held.map(({ slot }) => slot?.number),
      [0, 1],
    )
    await held[0]?.release()
    const again = await world.make().semaphore('pool', { capacity: 3 }).acquire({ slot: true })
    assert.equal(again.slot?.number, 0)
    assert.ok((again.slot?.fence ?? 0n) > (held[0]?.slot?.fence ?? 0n))
  },

  async 'a permit with a slot and one without share the capacity'(world) {
    const pool = world.make().semaphore('pool', { capacity: 2 })
    const [slotted, plain] = [await pool.acquire({ slot: true }), await pool.acquire()]
    assert.ok(slotted.slot !== null && plain.slot === null)
    assert.equal(await pool.tryAcquire({ slot: true }), null)
    const written = JSON.parse(JSON.stringify(slotted)) as { slot: { number: unknown; fence: unknown } }
    assert.deepEqual(written.slot, { number: 0, fence: String(slotted.slot?.fence) })
  },

  async 'several permits have no single slot'(world) {
    const pool = world.make().semaphore('pool', { capacity: 3 })
    const error = await rejection(pool.acquire({ slot: true, permits: 2 }))
    assert.ok(error instanceof RangeError)
    assert.match(error.message, /permits/)
  },

  async 'a slot of a holder that was lost is given again with a higher fence'(world) {
    const pool = world.make().semaphore('pool', { capacity: 1 })
    const lost = await pool.acquire({ slot: true, maxHold: '40ms' })
    const next = await soon('the next', pool.acquire({ slot: true }))
    assert.equal(lost.isHeld(), false)
    assert.equal(next.slot?.number, 0)
    assert.ok((next.slot?.fence ?? 0n) > (lost.slot?.fence ?? 0n))
  },
}

export const semaphoreChapters: readonly Chapter[] = [
  { title: 'semaphore', needs: ['permits'], facts: counting },
  { title: 'semaphore with differing capacities', needs: ['permits'], facts: rolling },
  { title: 'slots', needs: ['permits'], facts: slots },
]
