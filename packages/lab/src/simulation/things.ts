/** The lockable things of a plan, and what a lease on one of them excludes. */
import type { Lease, Lockable, MultiLease, PermitLease, PermitOptions } from '../../../holdfast/src/api.ts'
import type { HoldingTerms } from './beliefs.ts'
import type { Host } from './host.ts'
import type { Thing } from './plan.ts'

export function lockable({ locks }: Host, thing: Thing): Lockable<Lease | PermitLease | MultiLease, PermitOptions> {
  switch (thing.type) {
    case 'mutex':
      return locks.mutex(thing.name)
    case 'reentrant':
      return locks.mutex(thing.name, { reentrant: true })
    case 'read':
      return locks.rwlock(thing.name).read()
    case 'write':
      return locks.rwlock(thing.name).write()
    case 'permit':
      return locks.semaphore(thing.name, { capacity: thing.capacity })
    case 'election':
      return locks.election(thing.name)
    case 'all':
      return locks.all(thing.names.map((name) => locks.mutex(name)))
  }
}

type Claimed = Pick<HoldingTerms, 'resource' | 'weight' | 'capacity' | 'exclusive'>

const ALL = 2 ** 31

export function claimOf(thing: Thing, name: string): Claimed {
  if (thing.type === 'permit') {
    return { resource: `semaphore:${name}`, weight: thing.permits, capacity: thing.capacity, exclusive: false }
  }
  const exclusive = thing.type !== 'read'
  return {
    resource: thing.type === 'election' ? `election:${name}` : `lock:${name}`,
    weight: exclusive ? ALL : 1,
    capacity: ALL,
    exclusive,
  }
}

export function fenceOf(lease: Lease | PermitLease): bigint | null {
  return 'fence' in lease ? lease.fence : (lease.slot?.fence ?? null)
}
