/** The times that the manual promises, for the settings that these tests use. */
import type { Duration } from '../../../src/index.ts'

export interface Promises {
  readonly options: { readonly ttl: Duration }
  readonly ttlMs: number
  /** A session is beaten every third of its ttl. */
  readonly beatMs: number
  /** How long others wait, at the longest, for what a dead process held. */
  readonly takeoverMs: number
}

export function promises(ttlMs: number): Promises {
  const beatMs = ttlMs / 3
  return { options: { ttl: `${ttlMs}ms` }, ttlMs, beatMs, takeoverMs: ttlMs + beatMs }
}
