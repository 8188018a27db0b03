/** Which errors an operation may end with. Everything else is a mistake of the library, or of the simulation. */
import { isHoldfastError } from '../../../holdfast/src/errors.ts'
import type { Host } from './host.ts'
import type { World } from './world.ts'

/** The reason of every abort here, to be thrown unchanged. */
export class Abandoned extends Error {}

export function requireExpected(world: World, host: Host, who: string, error: unknown): void {
  if (error instanceof Abandoned) return
  if (isHoldfastError(error, 'WAIT_TIMEOUT')) return world.happened('wait timed out')
  if (isHoldfastError(error, 'BACKEND_UNAVAILABLE')) {
    world.happened('outage told')
    if (world.plan.calm) world.verdicts.wrong('error', `${who} of ${host.actor.name}: an outage in calm weather`)
    return
  }
  if (isHoldfastError(error, 'LEASE_LOST') || isHoldfastError(error, 'NOT_HELD')) return
  if (isHoldfastError(error, 'DEADLOCK')) return world.happened('deadlock told')
  if (isHoldfastError(error, 'CLOSED') && host.closing) return
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  world.verdicts.wrong('error', `${who} of ${host.actor.name} rejected with ${what}`)
}
