/** Starts the operations of a plan on whichever host stands in their place. */
import { coordinate } from './coordination.ts'
import { LockWork } from './lock-work.ts'
import type { Operation } from './plan.ts'
import type { World } from './world.ts'

export function perform(world: World, operation: Operation): void {
  const host = world.places[operation.place] ?? null
  if (host === null || !host.works) return
  world.kernel.at(world.kernel.nowMs, host.actor, 'timer', () => {
    if (!host.works) return
    world.note(host, () => `op ${operation.id}: ${JSON.stringify(operation)}`)
    const over = world.promises.due(host, Number.POSITIVE_INFINITY, 0, `op ${operation.id}`)
    const done =
      operation.kind === 'lock' ? new LockWork(world, host, operation).perform() : coordinate(world, host, operation)
    void done.finally(over)
  })
}
