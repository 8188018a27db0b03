/**
 * Which leases the code that runs now was started under. Known inside `run` only: a chain that began with `enterWith`
 * would leak into whatever runs next.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Grant } from './grant.ts'

interface Link {
  readonly grants: readonly Grant[]
  readonly parent: Link | null
}

const storage = new AsyncLocalStorage<Link | null>()

/** Runs `fn` under the grants, and all that it starts. */
export function runUnder<T>(grants: readonly Grant[], fn: () => T): T {
  return storage.run({ grants, parent: storage.getStore() ?? null }, fn)
}

/** Runs `fn` as if it had been started from nowhere. */
export function runOutside<T>(fn: () => T): T {
  return storage.run(null, fn)
}

/** The live grants of this chain that `matches`, innermost first. After its end a grant's descendants are strangers. */
export function heldInChain(matches: (grant: Grant) => boolean): Grant[] {
  const found: Grant[] = []
  for (let link = storage.getStore() ?? null; link !== null; link = link.parent) {
    for (const origin of link.grants) {
      const grant = latest(origin)
      if (grant.state === 'held' && matches(grant)) found.push(grant)
    }
  }
  return found
}

/** What a grant is by now, after downgrades. */
export function latest(grant: Grant): Grant {
  let now = grant
  while (now.successor !== null) now = now.successor
  return now
}
