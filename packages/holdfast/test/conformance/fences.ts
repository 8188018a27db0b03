/** The number that each grant carries to the resource: it rises, whatever happened between two holders. */
import assert from 'node:assert/strict'
import type { Holdfast, Lease, Lockable } from '../../src/index.ts'
import { type Chapter, type Facts, type Feature, needing } from './fact.ts'
import { numbers, pause, soon, until } from './waiting.ts'

interface Fenced {
  readonly title: string
  readonly needs?: readonly Feature[]
  readonly of: (locks: Holdfast) => Lockable<Lease>
}

const kinds: readonly Fenced[] = [
  { title: 'mutex', of: (locks) => locks.mutex('thing') },
  { title: 'fair mutex', needs: ['order'], of: (locks) => locks.mutex('thing', { fair: true }) },
  { title: 'writer', of: (locks) => locks.rwlock('thing').write() },
  { title: 'stripe', of: (locks) => locks.striped('thing', 1).for('any') },
  { title: 'election', needs: ['order'], of: (locks) => locks.election('thing') },
]

const rising = (fences: readonly bigint[]): boolean =>
  fences.every((fence, index) => index === 0 || fence > (fences[index - 1] ?? fence))

function rises({ of }: Fenced): Facts {
  return {
    async 'the fence rises from task to task and from neighbour to neighbour'(world) {
      const objects = [world.make(), world.make(), world.make({ front: false })]
      const fences: bigint[] = []
      const take = (locks: Holdfast): Promise<unknown> => of(locks).run(({ fence }) => fences.push(fence))
      await Promise.all(numbers(60).map((number) => take(objects[number % 3] ?? world.make())))
      assert.equal(fences.length, 60)
      assert.ok(rising(fences), fences.join(' '))
    },

    async 'the fence rises through an emptied line, a closed object and a new one'(world) {
      const fences: bigint[] = []
      for (let left = 4; left > 0; left--) {
        const locks = world.make()
        const held = await of(locks).acquire()
        fences.push(held.fence)
        if (left % 2 === 0) await held.release()
        await locks.close()
      }
      assert.ok(rising(fences), fences.join(' '))
    },

    async 'a fence is a bigint above 0 and below 2^63, and a decimal string in JSON'(world) {
      const held = await of(world.make()).acquire()
      assert.equal(typeof held.fence, 'bigint')
      assert.ok(held.fence > 0n && held.fence < 2n ** 63n)
      const written = JSON.parse(JSON.stringify(held)) as { fence: unknown }
      assert.equal(written.fence, held.fence.toString())
    },
  }
}

const mutexes: Facts = {
  async 'the fence rises when a lease is lost: by its end, by force, with its session'(world) {
    const { locks, cable } = world.cabled({ ttl: world.subject.ttl })
    const neighbour = world.make()
    const lost = await locks.mutex('thing').acquire({ maxHold: '50ms' })
    const second = await soon('after its end', locks.mutex('thing').acquire())
    assert.equal(await neighbour.forceRelease('thing'), 1)
    const third = await soon('after force', locks.mutex('thing').acquire())
    cable.cut('silent')
    const fourth = await soon('after its session', neighbour.mutex('thing').acquire(), 2500)
    assert.ok(rising([lost, second, third, fourth].map(({ fence }) => fence)))
  },

  'the fence rises also beyond the hand-overs that one claim can number': needing(['order'], async (world) => {
    const { locks, cable } = world.cabled()
    const fences: bigint[] = []
    const count = 2200
    const tasks = numbers(count).map(() =>
      locks.mutex('thing').run(({ fence }) => fences.push(fence), { wait: 'forever' }),
    )
    await Promise.all(tasks)
    assert.equal(fences.length, count)
    assert.ok(rising(fences))
    assert.equal(cable.count('enter'), Math.ceil(count / 1023))
  }),

  async 'a writer that downgrades at the last number of its claim has a fence of its own all the same'(world) {
    const locks = world.make()
    const line = locks.rwlock('thing')
    const fences: bigint[] = []
    const take = (number: number): Promise<unknown> =>
      line.write().run(
        async (held) => {
          fences.push(held.fence)
          if (number > 1015 && number < 1030) fences.push((await held.downgrade()).fence)
        },
        { wait: 'forever' },
      )
    await Promise.all(numbers(1040).map(take))
    assert.ok(rising(fences))
  },

  async 'an expired holder has a lower fence than whoever came after it, so the resource can tell them apart'(world) {
    const locks = world.make()
    const late = await locks.mutex('thing').acquire({ maxHold: '40ms' })
    await until('it is over', () => !late.isHeld())
    const next = await locks.mutex('thing').acquire()
    assert.ok(late.fence < next.fence)
    await pause(1)
    assert.equal(late.fence, BigInt(String(late.toJSON().fence)))
  },

  async 'names have fences of their own, and a fence is never given twice'(world) {
    const locks = world.make()
    const leases = await Promise.all(numbers(50).map((number) => locks.mutex(`thing ${number}`).acquire()))
    assert.equal(new Set(leases.map(({ fence }) => fence)).size, 50)
  },
}

export const fenceChapters: readonly Chapter[] = [
  ...kinds.map((kind): Chapter => ({ title: `${kind.title}: fences`, needs: kind.needs ?? [], facts: rises(kind) })),
  { title: 'fences', facts: mutexes },
]
