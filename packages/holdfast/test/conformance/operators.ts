/** What operators see and do: inspect, list, forceRelease, status. */
import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { isHoldfastError } from '../../src/index.ts'
import type { Chapter, Facts } from './fact.ts'
import { numbers, pause, refusal, soon, turns, until } from './waiting.ts'

const inspecting: Facts = {
  async 'inspect shows holders and waiters with host, process, label, fence and since'(world) {
    const locks = world.make()
    const held = await locks.mutex('thing').acquire({ label: 'night shift' })
    const waiting = world.make().mutex('thing').acquire({ label: 'day shift' })
    await until('it waits', async () => (await locks.inspect('thing'))[0]?.waiters.length === 1)
    const [line] = await world.make().inspect('thing')
    assert.equal(line?.name, 'thing')
    const [holder] = line?.holders ?? []
    assert.deepEqual(holder, {
      id: held.id,
      fence: held.fence,
      host: hostname().slice(0, 128),
      pid: process.pid,
      label: 'night shift',
      since: holder?.since,
      detached: false,
      until: null,
    })
    assert.ok(Math.abs(Date.now() - Number(holder?.since)) < 5000)
    assert.equal(line?.waiters[0]?.label, 'day shift')
    await held.release()
    await waiting
  },

  async 'inspect gives a line for each kind that has one of this name, and nothing for a free name'(world) {
    const locks = world.make()
    assert.deepEqual(await locks.inspect('thing'), [])
    await world.hold(locks.mutex('thing').acquire())
    await world.hold(locks.semaphore('thing', { capacity: 2 }).acquire())
    await world.hold(locks.election('thing').acquire())
    const kinds = (await locks.inspect('thing')).map(({ kind }) => kind)
    assert.deepEqual([...kinds].sort(), ['election', 'lock', 'semaphore'])
    assert.deepEqual(await locks.inspect('thin'), [])
  },

  async 'inspect shows no dead: neither a holder whose end has come nor one whose session has'(world) {
    const { locks, cable } = world.cabled({ ttl: world.subject.ttl })
    const seen = world.make()
    await world.hold(locks.mutex('one').acquire({ maxHold: '50ms' }))
    await world.hold(locks.mutex('two').acquire())
    cable.cut('silent')
    await pause(80)
    assert.deepEqual(await seen.inspect('one'), [])
    assert.equal((await seen.inspect('two')).length, 1)
    await until('the session is over', async () => (await seen.inspect('two')).length === 0)
  },

  async 'list gives every line under a prefix once, many pages long'(world) {
    const locks = world.make()
    const names = numbers(230).map((number) => `shop:${String(number).padStart(3, '0')}`)
    await world.hold(Promise.all(names.map((name) => locks.mutex(name).acquire())))
    await world.hold(locks.semaphore('shop:pool', { capacity: 1 }).acquire())
    await world.hold(locks.mutex('other').acquire())
    await world.hold(locks.mutex('shop').acquire())
    const seen: string[] = []
    for await (const line of world.make().list({ prefix: 'shop:' })) {
      assert.equal(line.holders.length, 1)
      seen.push(`${line.kind} ${line.name}`)
    }
    assert.deepEqual(seen.sort(), [...names.map((name) => `lock ${name}`), 'semaphore shop:pool'].sort())
    let count = 0
    for await (const _ of world.make().list()) count++
    assert.equal(count, 233)
  },

  async 'a prefix is a text, not a pattern'(world) {
    const locks = world.make()
    for (const name of ['a%b', 'a_b', 'a*b', 'aXb', 'a[x]b', "a'b", 'A%b'])
      await world.hold(locks.mutex(name).acquire())
    const under = async (prefix: string): Promise<string[]> => {
      const names: string[] = []
      for await (const line of locks.list({ prefix })) names.push(line.name)
      return names
    }
    for (const name of ['a%', 'a_', 'a*', 'a[', "a'", 'A%'])
      assert.deepEqual(await under(name), [`${name}${name === 'a[' ? 'x]' : ''}b`])
    assert.equal((await under('a')).length, 6)
  },

  async 'list stops when its signal aborts'(world) {
    const locks = world.make()
    await world.hold(Promise.all(numbers(120).map((number) => locks.mutex(`n${number}`).acquire())))
    const controller = new AbortController()
    const walk = (async (): Promise<number> => {
      let count = 0
      for await (const _ of locks.list({ signal: controller.signal })) if (++count === 5) controller.abort('enough')
      return count
    })()
    assert.equal(await walk.catch((reason: unknown) => reason), 'enough')
  },

  async 'namespaces do not see each other'(world) {
    const locks = world.make()
    const other = world.make({ namespace: `${world.namespace}-other` })
    await world.hold(locks.mutex('thing').acquire())
    assert.deepEqual(await other.inspect('thing'), [])
    assert.notEqual(await other.mutex('thing').tryAcquire(), null)
    for await (const line of other.list()) assert.equal(line.name, 'thing')
    assert.equal(await other.forceRelease('thing'), 1)
    assert.equal((await locks.inspect('thing')).length, 1)
  },

  async 'any name works, and is shown as it was given'(world) {
    const locks = world.make()
    const names = [
      'ключ',
      '😀',
      ' ',
      'a:b/c{d}',
      "it's",
      '"q"',
      '%_*?[]',
      '__proto__',
      'constructor',
      '\n',
      'x'.repeat(512),
    ]
    for (const name of names) {
      const held = await world.hold(locks.mutex(name).acquire())
      assert.equal(held.name, name)
      assert.equal(await world.make().mutex(name).tryAcquire(), null)
      assert.equal((await locks.inspect(name))[0]?.name, name)
    }
    const seen: string[] = []
    for await (const line of locks.list()) seen.push(line.name)
    assert.deepEqual(seen.sort(), [...names].sort())
  },
}

const forcing: Facts = {
  async 'a section that was released by force rejects, also when no beat has told of it before its end'(world) {
    const [locks, other] = [world.make(), world.make()]
    const section = locks.mutex('thing').run(async () => {
      assert.equal(await other.forceRelease('thing'), 1)
      await other.mutex('thing').acquire({ wait: '5s' })
      return 'done'
    })
    const error = await refusal('LEASE_LOST', section)
    assert.deepEqual(error.settled, { status: 'fulfilled', value: 'done' })
  },

  async 'a holder that is released by force is told within a beat, and the next is served'(world) {
    const { ttl } = world.subject
    const locks = world.make({ ttl })
    const held = await locks.mutex('thing').acquire()
    const told = new Promise<unknown>((resolve) =>
      held.signal.addEventListener('abort', () => resolve(held.signal.reason)),
    )
    const next = world.make().mutex('thing').acquire()
    await until('it waits', async () => (await locks.inspect('thing'))[0]?.waiters.length === 1)
    assert.equal(await world.make().forceRelease('thing'), 1)
    const served = await soon('the next', next)
    const reason = await soon('the holder is told', told, world.subject.ttlMs / 3 + 1500)
    assert.ok(isHoldfastError(reason, 'LEASE_LOST'))
    assert.equal(reason.reason, 'revoked')
    assert.equal(held.isHeld(), false)
    assert.ok(served.fence > held.fence)
    assert.equal(await held.release(), false)
  },

  async 'one claim may be chosen by its id, and waiters stay'(world) {
    const locks = world.make({ ttl: world.subject.ttl })
    const readers = await Promise.all(
      [locks, world.make({ ttl: world.subject.ttl })].map((object) => object.rwlock('book').read().acquire()),
    )
    const writer = world.make().rwlock('book').write().acquire()
    await until('the writer waits', async () => (await locks.inspect('book'))[0]?.waiters.length === 1)
    const [line] = await locks.inspect('book')
    const waiterId = line?.waiters[0]?.id ?? ''
    assert.equal(await locks.forceRelease('book', waiterId), 0)
    assert.equal(await locks.forceRelease('book', 'nobody'), 0)
    assert.equal(await locks.forceRelease('book', readers[1]?.id ?? ''), 1)
    await until('it is told', () => readers[1]?.isHeld() === false)
    assert.equal(readers[0]?.isHeld(), true)
    await readers[0]?.confirm()
    assert.equal((await locks.inspect('book'))[0]?.waiters.length, 1)
    assert.equal(await locks.forceRelease('book'), 1)
    await soon('the writer', writer)
  },

  async 'every holder of that name, of every kind, is ended'(world) {
    const locks = world.make({ ttl: world.subject.ttl })
    const held = [
      await locks.mutex('thing').acquire(),
      await locks.semaphore('thing', { capacity: 3 }).acquire(),
      await locks.semaphore('thing', { capacity: 3 }).acquire(),
      await locks.election('thing').acquire(),
    ]
    const other = await locks.mutex('other').acquire()
    assert.equal(await world.make().forceRelease('thing'), 4)
    await until('all are told', () => held.every((lease) => !lease.isHeld()))
    await other.confirm()
    assert.equal(await locks.forceRelease('thing'), 0)
  },

  async 'a lease that was handed over locally is ended by the id that inspect shows'(world) {
    const locks = world.make({ ttl: world.subject.ttl })
    const first = await locks.mutex('thing').acquire()
    const second = locks.mutex('thing').acquire()
    await first.release()
    const held = await second
    const [line] = await world.make().inspect('thing')
    assert.equal(await world.make().forceRelease('thing', line?.holders[0]?.id), 1)
    await until('it is told', () => !held.isHeld())
    await refusal('LEASE_LOST', held.confirm())
  },

  async 'a section whose lock was taken away by force rejects with revoked'(world) {
    const locks = world.make({ ttl: world.subject.ttl })
    const section = locks.mutex('thing').run(async (held) => {
      await world.make().forceRelease('thing')
      await until('it is told', () => held.signal.aborted)
      return 'late'
    })
    const error = await refusal('LEASE_LOST', section)
    assert.equal(error.reason, 'revoked')
    assert.deepEqual(error.settled, { status: 'fulfilled', value: 'late' })
  },
}

const knowing: Facts = {
  async 'status says what is held and what waits, and nothing of a fresh object'(world) {
    const locks = world.make()
    const fresh = locks.status()
    assert.deepEqual(
      {
        link: fresh.link,
        session: fresh.session,
        heartbeat: fresh.heartbeat,
        held: fresh.held,
        waiting: fresh.waiting,
      },
      { link: 'idle', session: 'none', heartbeat: 'none', held: 0, waiting: 0 },
    )
    const held = await locks.mutex('thing').acquire()
    const readers = await Promise.all([1, 2].map(() => locks.rwlock('book').read().acquire()))
    const waiting = locks.mutex('thing').acquire()
    await turns(2)
    const busy = locks.status()
    assert.equal(busy.link, 'up')
    assert.equal(busy.session, 'open')
    assert.equal(busy.held, 3)
    assert.equal(busy.waiting, 1)
    assert.ok(busy.connections >= 0)
    await held.release()
    for (const reader of readers) await reader.release()
    await (await waiting).release()
    assert.equal(locks.status().held, 0)
    await locks.close()
    assert.equal(locks.status().link, 'closed')
  },

  async 'status says who beats, and why it is not a worker'(world) {
    const locks = world.make({ heartbeat: 'main' })
    await world.hold(locks.mutex('thing').acquire())
    await turns(2)
    const { heartbeat, heartbeatReason } = locks.status()
    assert.equal(heartbeat, 'main')
    assert.match(heartbeatReason ?? '', /main/)
  },

  async 'an idle session ends after a ttl, which is no loss, and the next take opens another'(world) {
    const { ttl } = world.subject
    const locks = world.make({ ttl })
    await locks.mutex('thing').run(() => {})
    assert.equal(locks.status().session, 'open')
    await until('it ends', () => locks.status().session === 'none', world.subject.ttlMs * 1.5)
    await locks.mutex('thing').run(() => assert.equal(locks.status().session, 'open'))
  },

  async 'an idle object sends nothing'(world) {
    const { ttl } = world.subject
    const { locks, cable } = world.cabled({ ttl })
    await locks.mutex('thing').run(() => {})
    await pause(50)
    const before = cable.count()
    await pause(world.subject.ttlMs)
    assert.equal(cable.count(), before)
  },

  async 'one beat a bucket keeps any number of leases alive'(world) {
    const { ttl } = world.subject
    const { locks, cable } = world.cabled({ ttl })
    const leases = await Promise.all(numbers(300).map((number) => locks.mutex(`n${number}`).acquire()))
    const before = cable.count()
    const ttlMs = world.subject.ttlMs
    await pause(ttlMs * 1.5)
    const sent = cable.count() - before
    assert.ok(sent >= 3 && sent <= 8 * world.subject.buckets, `${sent} requests`)
    assert.ok(leases.every((held) => held.isHeld()))
  },
}

export const operatorChapters: readonly Chapter[] = [
  { title: 'inspect and list', needs: ['claims', 'permits'], facts: inspecting },
  { title: 'forced release', needs: ['claims', 'permits'], facts: forcing },
  { title: 'status', facts: knowing },
]
