/** What the network and the faults tell those who judge the history; types only. */
import type { ClaimDraft, EnterAnswer, EnterTerms } from '../../../holdfast/src/port.ts'
import type { Wire } from './network.ts'

/** Kinds of things that happen to a history and are counted; each must occur often enough for a run to mean anything. */
export const EVENT_KINDS = [
  'lost request',
  'lost answer',
  'lost hint',
  'duplicate',
  'late answer',
  'connection cut',
  'partition',
  'stall',
  'sleep',
  'clock step',
  'crash',
  'restart',
  'server stall',
  'server clock step',
  'loss of data',
  'expiry while held',
  'max-hold while held',
  'revoked while held',
  'suspect',
  'hand-over',
  'remote grant',
  'shared claim',
  'nested grant',
  'downgrade',
  'detached survives its process',
  'abort while waiting',
  'abort within one turn of the grant',
  'wait timed out',
  'outage told',
  'busy told',
  'deadlock told',
  'place lost',
  'overrun',
  'close while waiting',
  'drained close',
] as const
export type EventKind = (typeof EVENT_KINDS)[number]

export interface EnterRequest {
  readonly draft: ClaimDraft
  readonly terms: EnterTerms
  /** It was served before: the network has carried it twice. */
  readonly isDuplicate: boolean
}

export interface Observer {
  happened(kind: EventKind): void
  /** The store has served an enter; called once for each time it did. */
  entered(request: EnterRequest, answer: EnterAnswer): void
  /** Claims that the store ended by force. */
  evicted(claimIds: readonly string[]): void
  /** A session was opened; `seenBefore` as its client says. */
  opened(seenBefore: boolean): void
  /** An answer that says "open" is about to be handed to the client. */
  granting(wire: Wire, claimId: string): void
}
