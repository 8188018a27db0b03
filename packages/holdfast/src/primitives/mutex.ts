/** The mutex: the writer of the read–write line of its name, optionally re-entered by its own call chain. */
import { EXCLUSIVE } from '../admission.ts'
import type { Lockable, MutexOptions } from '../api.ts'
import { checkName } from '../names.ts'
import { checkTake, flag, given, OPTIONS } from '../options.ts'
import { patienceOf, withDefaults } from './defaults.ts'
import type { Home } from './home.ts'
import { MutexLease } from './lease.ts'
import { Thing } from './thing.ts'

export function mutex(home: Home, name: string, options?: MutexOptions): Lockable {
  const own = withDefaults(home, checkTake(options, OPTIONS.mutex))
  return new Thing(home, {
    kind: 'lock',
    name: checkName('name', name),
    options: own,
    patienceMs: patienceOf(home),
    reentrant: flag('reentrant', given(own.reentrant, false)),
    wish: () => ({ weight: EXCLUSIVE, capacity: EXCLUSIVE, shared: false, slot: false, value: null }),
    lease: (grant) => new MutexLease(grant),
  })
}
