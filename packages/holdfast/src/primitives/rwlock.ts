/** The read–write lock: readers share, a writer excludes, and nobody starves because no claim overtakes. */
import { EXCLUSIVE } from '../admission.ts'
import type { Lockable, ReadLease, TakeOptions, WriteLease } from '../api.ts'
import { checkName } from '../names.ts'
import { checkTake } from '../options.ts'
import { patienceOf, withDefaults } from './defaults.ts'
import type { Home } from './home.ts'
import { ExclusiveLease, SharedLease } from './lease.ts'
import { Thing } from './thing.ts'

export function rwlock(
  home: Home,
  name: string,
  options?: TakeOptions,
): { read(): Lockable<ReadLease>; write(): Lockable<WriteLease> } {
  const line = {
    kind: 'lock',
    name: checkName('name', name),
    options: withDefaults(home, checkTake(options)),
    patienceMs: patienceOf(home),
    reentrant: false,
  } as const
  return {
    read: () =>
      new Thing<ReadLease, TakeOptions>(home, {
        ...line,
        wish: () => ({ weight: 1, capacity: EXCLUSIVE, shared: true, slot: false, value: null }),
        lease: (grant) => new SharedLease(grant),
      }),
    write: () =>
      new Thing<WriteLease, TakeOptions>(home, {
        ...line,
        wish: () => ({ weight: EXCLUSIVE, capacity: EXCLUSIVE, shared: false, slot: false, value: null }),
        lease: (grant) => new ExclusiveLease(grant),
      }),
  }
}
