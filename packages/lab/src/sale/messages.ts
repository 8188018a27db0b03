/** What a server process is told when it starts, and what it tells its parent. */
import type { Takes } from './takes.ts'

export interface ServerOrders {
  readonly stockFile: string
  /** Where the lock is kept; null: sell without one. */
  readonly lockUrl: string | null
  /** Null: the library's default. */
  readonly ttlMs: number | null
  /** Stop in the middle of a purchase, lock in hand, once so few are left; null: never. */
  readonly stopAtLeft: number | null
}

export type ServerMessage =
  | { readonly kind: 'listening'; readonly port: number }
  /** It holds the lock and does nothing more; the counters so far, for nobody can ask it after its death. */
  | { readonly kind: 'holding'; readonly takes: Takes }

export function isServerMessage(value: unknown): value is ServerMessage {
  const kind = typeof value === 'object' && value !== null ? (value as { readonly kind?: unknown }).kind : undefined
  return kind === 'listening' || kind === 'holding'
}

/** Orders travel as one argument. */
export function readOrders(argument: string | undefined): ServerOrders {
  const value: unknown = JSON.parse(argument ?? 'null')
  if (typeof value !== 'object' || value === null || !('stockFile' in value)) {
    throw new TypeError('a server of the sale is started by the demo, with its orders as the only argument')
  }
  return value as ServerOrders
}
