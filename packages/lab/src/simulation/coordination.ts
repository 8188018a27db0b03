/**
 * The operations beside locks: latch, barrier, leadership and who watches it, counters in cells, forced release, and
 * looking around.
 */
import { isHoldfastError } from '../../../holdfast/src/errors.ts'
import { Abandoned, requireExpected } from './answers.ts'
import type { Host } from './host.ts'
import type { Operation } from './plan.ts'
import type { World } from './world.ts'

type Of<K extends Operation['kind']> = Extract<Operation, { readonly kind: K }>
type Work<K extends Operation['kind']> = (world: World, host: Host, operation: Of<K>) => Promise<void>

/** Runs one operation, within its time, and judges what it ends with. */
export async function coordinate(
  world: World,
  host: Host,
  operation: Exclude<Operation, { kind: 'lock' }>,
): Promise<void> {
  const { waitMs, calls } = patienceOf(operation)
  const settled = world.promises.due(host, waitMs, calls * host.callMs, `op ${operation.id} (${operation.kind})`)
  try {
    await (works[operation.kind] as Work<typeof operation.kind>)(world, host, operation)
  } catch (error) {
    requireExpected(world, host, `op ${operation.id} (${operation.kind})`, error)
  } finally {
    settled()
  }
}

/** How long it waits by itself, and for how many questions to the store. */
function patienceOf(operation: Exclude<Operation, { kind: 'lock' }>): {
  readonly waitMs: number
  readonly calls: number
} {
  switch (operation.kind) {
    case 'force':
    case 'look':
      return { waitMs: 0, calls: 1 }
    case 'arrive':
      return { waitMs: 0, calls: 8 }
    case 'count':
      return { waitMs: 0, calls: 9 }
    case 'await':
      return { waitMs: operation.waitMs, calls: 2 }
    case 'meet':
      return { waitMs: operation.waitMs * 2 + (operation.workMs ?? 0), calls: 12 }
    case 'lead':
      return { waitMs: operation.forMs + operation.termMs, calls: 3 }
    case 'observe':
      return { waitMs: operation.forMs, calls: 2 }
  }
}

/** Aborts `ms` from now on the host's clock. */
function signalAfter(host: Host, ms: number): AbortSignal {
  const aborter = new AbortController()
  host.actor.clock.aside(ms, () => aborter.abort(new Abandoned()))
  return aborter.signal
}

const works: { readonly [K in Exclude<Operation['kind'], 'lock'>]: Work<K> } = {
  async force(_world, host, { name }) {
    await host.locks.forceRelease(name)
  },

  async look(_world, host, { name }) {
    await Promise.all([host.locks.inspect(name), host.locks.election(name).leader()])
  },

  async arrive(world, host, { name, count, member }) {
    world.gatherings.arrives(name)
    await host.locks.latch(name, count).countDown(member)
    world.gatherings.arrived(name)
  },

  async await(world, host, { name, count, waitMs }) {
    await host.locks.latch(name, count).wait({ wait: `${waitMs}ms` })
    world.gatherings.opened(name, count)
  },

  async meet(world, host, { name, parties, waitMs, workMs }) {
    const barrier = host.locks.barrier(name, parties)
    world.gatherings.arrives(name)
    if (workMs === null) {
      await barrier.pass({ wait: `${waitMs}ms` })
      return world.gatherings.passed(name, parties, world.era)
    }
    await barrier.run(
      async () => {
        world.gatherings.passed(name, parties, world.era)
        await host.sleep(workMs)
      },
      { wait: `${waitMs}ms` },
    )
  },

  async lead(world, host, { id, name, forMs, termMs }) {
    const signal = signalAfter(host, forMs)
    const election = host.locks.election(name)
    await election.lead(
      async (term) => {
        const holding = world.granted({
          op: id,
          host,
          lease: term,
          fence: term.fence,
          resource: `election:${name}`,
          weight: 1,
          capacity: 1,
          exclusive: true,
          slot: null,
          detachedMs: null,
          parent: null,
        })
        await host.sleep(termMs)
        world.beliefs.look(holding)
        world.beliefs.end(holding)
      },
      { signal, value: host.actor.name },
    )
  },

  async observe(world, host, { id, name, forMs }) {
    let highest = -1n
    let era = world.era
    for await (const leader of host.locks.election(name).observe({ signal: signalAfter(host, forMs) })) {
      if (world.era !== era) highest = -1n
      era = world.era
      if (leader === null) continue
      if (leader.fence < highest)
        world.verdicts.wrong('election', `op ${id} sees term ${leader.fence} after ${highest}`)
      highest = leader.fence
    }
  },

  async count(world, host, { name }) {
    const cell = host.locks.cell(name)
    const found = await cell.get()
    const next = Number(found?.value ?? 0) + 1
    try {
      const version = await cell.set(String(next), { ifVersion: found?.version ?? null })
      world.gatherings.counted(name, found?.version ?? null, version)
    } catch (error) {
      if (!isHoldfastError(error, 'BACKEND_UNAVAILABLE')) throw error
    }
  },
}
