/** The way to the store is cut for a while: what is held on, what is lost, and what is told to whom. */
import assert from 'node:assert/strict'
import { isHoldfastError } from '../../src/index.ts'
import { type Chapter, type Facts, needing } from './fact.ts'
import { type Exclusive, laid } from './kind.ts'
import { brief, briefMs, nowMs, pause, refusal, rejection, soon, until } from './waiting.ts'

/** On top of what the design promises, for a machine that does other things too. */
const SLACK_MS = 1500

export function outage(kind: Exclusive): Chapter {
  return {
    title: `${kind.title}: outages`,
    needs: kind.needs ?? [],
    facts: { ...holding(kind), ...waiting(kind), ...releasing(kind) },
  }
}

function holding(kind: Exclusive): Facts {
  return {
    async 'an outage that is shorter than the ttl loses nothing'(world) {
      const thing = await laid(kind, world)
      const { locks, cable } = world.cabled({ ttl: '3s' })
      const held = await thing.of(locks).acquire()
      for (const how of ['refusing', 'silent'] as const) {
        cable.cut(how)
        // Longer than a beat.
        await pause(1100)
        assert.equal(held.isHeld(), true, `${how}: ${held.signal.aborted ? held.signal.reason : 'in doubt'}`)
        cable.heal()
        await until('it is renewed', () => held.validForMs() > 2200)
      }
      await held.confirm()
      assert.equal(await thing.of(world.make()).tryAcquire(), null)
    },

    async 'a holder that cannot reach the store has lost its lock by the time a neighbour gets it'(world) {
      const thing = await laid(kind, world)
      const { ttl } = world.subject
      const { locks, cable } = world.cabled({ ttl })
      const held = await thing.of(locks).acquire()
      const next = thing.of(world.make()).acquire()
      await pause(20)
      cable.cut('silent')
      const startedMs = nowMs()
      const ttlMs = world.subject.ttlMs
      await soon('the neighbour', next, ttlMs + ttlMs / 3 + SLACK_MS)
      assert.ok(nowMs() - startedMs > ttlMs / 2)
      assert.equal(held.isHeld(), false)
      const { reason } = held.signal
      assert.ok(isHoldfastError(reason, 'LEASE_LOST'))
      assert.match(reason.reason, /^(expired|stalled)$/)
    },

    async 'disposal and release of a lost lease are silent, and the object goes on with a new session'(world) {
      const thing = await laid(kind, world)
      const { ttl } = world.subject
      const { locks, cable } = world.cabled({ ttl })
      const held = await thing.of(locks).acquire()
      const told = new Promise((resolve) => held.signal.addEventListener('abort', resolve))
      cable.cut('silent')
      await soon('the loss is told', told, world.subject.ttlMs + SLACK_MS)
      assert.equal(await soon('release settles', held.release()), false)
      await held[Symbol.asyncDispose]()
      cable.heal()
      const again = await soon('the object can take again', thing.of(locks).acquire(), 2500)
      await again.confirm()
      assert.equal(await thing.of(world.make()).tryAcquire(), null)
    },

    async 'a lease that the store does not confirm is not confirmed'(world) {
      const thing = await laid(kind, world)
      const { locks, cable } = world.cabled()
      const held = await thing.of(locks).acquire()
      cable.cut('refusing')
      await refusal('BACKEND_UNAVAILABLE', held.confirm())
      cable.heal()
      await held.confirm()
    },
  }
}

function waiting(kind: Exclusive): Facts {
  return {
    async 'a take during an outage is granted when the store comes back within its wait'(world) {
      const thing = await laid(kind, world)
      const { locks, cable } = world.cabled({ ttl: world.subject.ttl })
      for (const how of ['refusing', 'silent'] as const) {
        await locks.ready()
        cable.cut(how)
        const take = thing.of(locks).acquire({ wait: '20s' })
        await pause(100)
        cable.heal()
        const held = await soon('the take is granted', take)
        await held.release()
      }
    },

    async 'a take during an outage fails as an outage when its wait is over, not as contention'(world) {
      const thing = await laid(kind, world)
      for (const how of ['refusing', 'silent', 'deaf'] as const) {
        const { locks, cable } = world.cabled()
        await locks.ready()
        cable.cut(how)
        const startedMs = nowMs()
        await refusal('BACKEND_UNAVAILABLE', thing.of(locks).acquire({ wait: brief(80) }))
        await refusal('BACKEND_UNAVAILABLE', thing.of(locks).tryAcquire({ wait: brief(80) }))
        await refusal(
          'BACKEND_UNAVAILABLE',
          thing.of(locks).run(() => assert.fail('called'), { wait: brief(80) }),
        )
        const tookMs = nowMs() - startedMs
        assert.ok(tookMs > 3 * briefMs(80) - 5 && tookMs < 3 * briefMs(80) + briefMs(SLACK_MS), `${tookMs} ms`)
        cable.heal()
      }
    },

    async 'a take that ends in an outage says what the store said, or that it said nothing'(world) {
      const thing = await laid(kind, world)
      const { locks, cable } = world.cabled()
      await locks.ready()
      cable.cut('refusing')
      const refused = await refusal('BACKEND_UNAVAILABLE', thing.of(locks).acquire({ wait: brief(80) }))
      assert.match(refused.message, /thing.* could not be taken within \d+ ms: the cable is cut$/)
      cable.cut('silent')
      const silent = await refusal('BACKEND_UNAVAILABLE', thing.of(locks).acquire({ wait: brief(80) }))
      assert.match(silent.message, /: the store gave no answer$/)
    },

    async 'a try during an outage fails as an outage, and soon'(world) {
      const thing = await laid(kind, world)
      const { ttl } = world.subject
      for (const how of ['refusing', 'silent'] as const) {
        const { locks, cable } = world.cabled({ ttl })
        await locks.ready()
        cable.cut(how)
        const limitMs = world.subject.ttlMs / 3 + SLACK_MS
        await refusal('BACKEND_UNAVAILABLE', soon('the try ends', thing.of(locks).tryAcquire(), limitMs))
        const tried = thing.of(locks).tryRun(() => assert.fail('called'))
        await refusal('BACKEND_UNAVAILABLE', soon('the try ends', tried, limitMs))
        cable.heal()
      }
    },

    async 'a take whose answer was lost takes nothing for nobody'(world) {
      const thing = await laid(kind, world)
      const { ttl } = world.subject
      const { locks, cable } = world.cabled({ ttl })
      await locks.ready()
      cable.cut('deaf', 'enter')
      await refusal('BACKEND_UNAVAILABLE', thing.of(locks).acquire({ wait: brief(200) }))
      cable.heal()
      const neighbour = await soon('the lock is free', thing.of(world.make()).acquire())
      assert.equal(neighbour.isHeld(), true)
    },

    'a waiter whose session was lost stands in line again, and is served within its wait': needing(
      ['order'],
      async (world) => {
        const thing = await laid(kind, world)
        const { ttl } = world.subject
        const held = await thing.of(world.make()).acquire()
        const { locks, cable } = world.cabled({ ttl })
        const take = thing.of(locks).acquire({ wait: '20s' })
        const seen = world.make()
        await until('it waits', async () => (await seen.inspect(thing.name))[0]?.waiters.length === 1)
        cable.cut('silent')
        await pause(world.subject.ttlMs + 150)
        cable.heal()
        await until('it waits again', async () => (await seen.inspect(thing.name))[0]?.waiters.length === 1, 3000)
        await held.release()
        const served = await soon('it is served', take)
        await served.confirm()
      },
    ),

    async 'what cannot heal ends the take at once, also those that wait in the same line'(world) {
      const thing = await laid(kind, world)
      await world.make().ready()
      const other = world.make({ maxTtl: '2m' })
      const takes: Promise<unknown>[] = [
        thing.of(other).acquire(),
        thing.of(other).acquire(),
        thing.of(other).run(() => 1),
      ]
      const errors = await Promise.all(takes.map((take) => refusal('BACKEND_REFUSED', soon('the take ends', take))))
      for (const { message } of errors) assert.match(message, /maxTtl.*60000.*120000/)
      await refusal('BACKEND_REFUSED', thing.of(other).tryAcquire())
      await refusal('BACKEND_REFUSED', other.ready())
      const quarantined = thing.of(world.make({ quarantine: true })).acquire()
      if (world.subject.quarantines === true) await (await quarantined).release()
      else await refusal('BACKEND_REFUSED', quarantined)
    },
  }
}

function releasing(kind: Exclusive): Facts {
  return {
    async 'a release during an outage settles, and the lock is given back when the store is there again'(world) {
      const thing = await laid(kind, world)
      const { locks, cable } = world.cabled()
      const held = await thing.of(locks).acquire()
      cable.cut('refusing')
      await soon('release settles', held.release())
      assert.equal(held.isHeld(), false)
      const next = thing.of(world.make()).acquire()
      await pause(50)
      cable.heal()
      await soon('the neighbour is served long before the ttl', next, 3000)
    },

    async 'a release whose answer was lost is done once, and the next holder keeps the lock'(world) {
      const thing = await laid(kind, world)
      const { locks, cable } = world.cabled({ ttl: world.subject.ttl })
      const held = await thing.of(locks).acquire()
      const next = thing.of(world.make()).acquire()
      cable.cut('deaf', 'leave')
      await soon('release settles', held.release())
      cable.heal()
      const kept = await soon('the neighbour is served', next)
      await pause(700)
      await kept.confirm()
    },

    async 'a release problem hides neither what the section gave nor what it threw'(world) {
      const thing = await laid(kind, world)
      const { locks, cable } = world.cabled()
      const own = new Error('its own')
      const failed = thing.of(locks).run(() => {
        cable.cut('refusing', 'leave')
        throw own
      })
      assert.equal(await soon('run settles', rejection(failed)), own)
      cable.heal()
      const given = thing.of(locks).run(() => {
        cable.cut('refusing', 'leave')
        return 'value'
      })
      assert.equal(await soon('run settles', given, 4000), 'value')
      cable.heal()
    },

    async 'status tells of an outage and of its end'(world) {
      const thing = await laid(kind, world)
      const { locks, cable } = world.cabled()
      assert.equal(locks.status().link, 'idle')
      const held = await thing.of(locks).acquire()
      assert.equal(locks.status().link, 'up')
      cable.cut('refusing')
      await rejection(held.confirm())
      assert.equal(locks.status().link, 'suspended')
      assert.equal(held.isHeld(), true)
      cable.heal()
      await held.confirm()
      assert.equal(locks.status().link, 'up')
    },
  }
}
