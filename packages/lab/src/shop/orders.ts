/** What a process of a shop is told, and what it tells. */
import type { Sale } from '../strategies/strategy.ts'
import type { Tally } from './meter.ts'
import type { Moment } from './moment.ts'
import type { ShopPlan } from './shop.ts'

export interface Orders {
  readonly strategy: string
  readonly plan: ShopPlan
  /** Serve customers over HTTP, or let a scene lead them. */
  readonly role: 'server' | 'party'
}

/** What the parent says. */
export type Word =
  | { readonly kind: 'tally' }
  /** Let this customer go on, and stop it at this moment; null: at none. One who is new begins to buy. */
  | { readonly kind: 'go'; readonly customer: string; readonly until: Moment | null }

/** What it hears. Times are of the monotonic clock that all processes of a machine share. */
export type Report =
  | { readonly kind: 'ready'; readonly port: number }
  | { readonly kind: 'tally'; readonly tally: Tally }
  | { readonly kind: 'moment'; readonly customer: string; readonly moment: Moment; readonly atMs: number }
  | {
      readonly kind: 'done'
      readonly customer: string
      readonly sale: Sale | null
      readonly error: string | null
      readonly atMs: number
    }

/** Orders travel as one argument. */
export function readOrders(argument: string | undefined): Orders {
  const value: unknown = JSON.parse(argument ?? 'null')
  if (typeof value !== 'object' || value === null || !('strategy' in value)) {
    throw new TypeError('a process of the lab is started by the lab, with its orders as the only argument')
  }
  return value as Orders
}
