/** Leases for the guards' tests: the least that a guard looks at, with a fence of the test's choice. */
import type { Lease, PermitLease, ReadLease } from '../../src/api.ts'

export function exclusive(fence: bigint): Lease {
  return { name: 'door', fence } as Lease
}

export function shared(fence: bigint): ReadLease {
  return { name: 'door', fence, mode: 'read' } as ReadLease
}

export function permit(slot: PermitLease['slot']): PermitLease {
  return { name: 'door', slot } as PermitLease
}
