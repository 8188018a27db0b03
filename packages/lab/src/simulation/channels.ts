/** Counts what the library itself reports while a history runs. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { LostEvent, SessionEvent } from '../../../holdfast/src/events.ts'
import type { EventKind } from './observer.ts'

const LOSSES: Partial<Record<LostEvent['reason'], EventKind>> = {
  expired: 'expiry while held',
  stalled: 'expiry while held',
  'max-hold': 'max-hold while held',
  revoked: 'revoked while held',
}

/** Call the answer when the history is over. */
export function countReports(happened: (kind: EventKind) => void): () => void {
  const onLost = (message: unknown): void => {
    const kind = LOSSES[(message as LostEvent).reason]
    if (kind !== undefined) happened(kind)
  }
  const onSession = (message: unknown): void => {
    if ((message as SessionEvent).placesLost > 0) happened('place lost')
  }
  subscribe('holdfast:lost', onLost)
  subscribe('holdfast:session', onSession)
  return () => {
    unsubscribe('holdfast:lost', onLost)
    unsubscribe('holdfast:session', onSession)
  }
}
