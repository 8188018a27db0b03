/** A guard for what lives in this process: one object a resource, entered in one synchronous step. */
import { entered, type Fences, type Guard, NEVER_ENTERED, refusedBy, staleFence, stampOf } from './guard.ts'

/**
 * A guard that keeps the two fences of one resource in memory. There is no transaction, so pass `undefined` for it:
 * `await guard.enter(undefined, lease)`. It protects what only this process can reach, and forgets with it.
 */
export function memoryGuard(): Guard {
  let fences: Fences = NEVER_ENTERED
  return {
    async enter(_tx, lease) {
      const stamp = stampOf(lease)
      const stored = refusedBy(fences, stamp)
      if (stored !== null) throw staleFence(stamp, stored)
      fences = entered(fences, stamp)
    },
  }
}
