/** From an order to a taken lock. The three kinds of lease differ for us only in that permits have no fence. */
import type { Duration } from '../duration.ts'
import type { Holdfast, Lease } from '../index.ts'
import type { TakeOrder } from './orders.ts'

export type Taken = Omit<Lease, 'fence'> & { readonly fence?: bigint }

interface TakeTerms {
  readonly wait: Duration | 0 | 'forever'
  readonly signal: AbortSignal
  readonly label?: string
  readonly maxHold?: Duration
  readonly detached?: boolean
}

export function take(locks: Holdfast, order: TakeOrder, signal: AbortSignal, detached: boolean): Promise<Taken> {
  const terms: TakeTerms = {
    wait: order.wait,
    signal,
    ...(order.label === null ? {} : { label: order.label }),
    ...(order.maxHold === null ? {} : { maxHold: order.maxHold.text }),
    ...(detached ? { detached } : {}),
  }
  if (order.mode === 'exclusive') return locks.mutex(order.name).acquire(terms)
  if (order.mode === 'shared') return locks.rwlock(order.name).read().acquire(terms)
  const { permits, capacity } = order.mode
  return locks.semaphore(order.name, { capacity }).acquire({ ...terms, permits })
}
