/**
 * The counting semaphore. Callers may disagree on its capacity while a deploy rolls: no more is open than any open
 * permit believes. Permits that must be told apart at the resource ask for a slot.
 */
import type { PermitLease, PermitOptions, Semaphore, TakeOptions } from '../api.ts'
import { checkName } from '../names.ts'
import { checkTake, copyOf, flag, given, OPTIONS, whole } from '../options.ts'
import { patienceOf, withDefaults } from './defaults.ts'
import type { Home } from './home.ts'
import { CountedLease } from './lease.ts'
import { Thing } from './thing.ts'

/** A capacity above this is a read–write line's. */
const CAPACITY_MAX = 2 ** 31 - 1

export function semaphore(home: Home, name: string, options: TakeOptions & { readonly capacity: number }): Semaphore {
  const copy = copyOf('options', options, 'an object with a capacity, such as { capacity: 3 }')
  const { capacity: asked, ...own } = checkTake(copy, OPTIONS.semaphore)
  const capacity = whole('capacity', asked, 1, CAPACITY_MAX)
  const thing = new Thing<PermitLease, PermitOptions>(home, {
    kind: 'semaphore',
    name: checkName('name', name),
    options: withDefaults(home, own),
    callOptions: OPTIONS.permits,
    patienceMs: patienceOf(home),
    reentrant: false,
    wish: (asked) => {
      const slot = flag('slot', given(asked.slot, false))
      const weight = whole('permits', given(asked.permits, 1), 1, capacity)
      if (slot && weight !== 1)
        throw new RangeError(`permits must be 1 with a slot, not ${weight}: each permit has its own number`)
      return { weight, capacity, shared: false, slot, value: null }
    },
    lease: (grant) => new CountedLease(grant),
  })
  // That a lease has a slot follows from an option of its call, which a class cannot say.
  return thing as Semaphore
}
