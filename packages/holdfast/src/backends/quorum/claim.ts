/**
 * A claim on a quorum: what was asked for, and what became of it at each node. It is held while it stands with one
 * number at a majority; once below, it is lost, and never repaired.
 */
import type { ClaimDraft, ClaimRow } from '../../port.ts'
import type { NodeSession, QuorumSession } from './session.ts'

/** A claim as it stands at one node, under an id of its own: each attempt has new ones. */
export interface Stand {
  readonly claim: Claim
  readonly id: string
  readonly line: string
  readonly seat: NodeSession
  /** In the node's time: the node does not act on it later. */
  readonly notAfterMs: number
  /** Settled when its node has answered, or not in time. */
  entered: Promise<unknown>
  /** `sent`: it may stand there. `over`: it stands there no more, or never did. */
  state: 'sent' | 'open' | 'over'
  /** When its node confirmed it, by our clock. */
  openedMs: number
  /** Of the last change of the claim that the node has confirmed. */
  order: number
}

export class Claim {
  readonly session: QuorumSession
  readonly draft: ClaimDraft
  readonly minSeq: number
  readonly sliceMs: number
  state: 'waiting' | 'open' | 'lost' | 'left' = 'waiting'
  seq = 0
  slot: number | null = null
  /** Shrinks by a change. */
  weight: number
  /** Of the newest change that a majority has confirmed. */
  order = 0
  /** Of the attempt by which it is held. */
  stands: readonly Stand[] = []
  /** An attempt is under way. */
  trying: Promise<unknown> | null = null
  retryAtMs = 0
  pauseMs = 0
  /** At the last attempt nobody had it, as far as a majority of nodes said. */
  split = false
  /** Who was in the way. */
  holder: ClaimRow | null = null
  /** Somebody released it by force at a node. */
  revoked = false

  constructor(session: QuorumSession, draft: ClaimDraft, minSeq: number, sliceMs: number) {
    this.session = session
    this.draft = draft
    this.minSeq = minSeq
    this.sliceMs = sliceMs
    this.weight = draft.weight
  }

  /** How many nodes keep it, at least until a ttl after `sinceMs`. */
  keptSince(sinceMs: number): number {
    return this.stands.filter(
      ({ state, order, seat }) => state === 'open' && order >= this.order && !seat.gone && seat.startMs >= sinceMs,
    ).length
  }

  /** The moment since which a majority keeps it: the majority-th latest of its nodes. */
  keptAtMs(majority: number): number {
    const starts = this.stands
      .filter(({ state, order, seat }) => state === 'open' && order >= this.order && !seat.gone)
      .map(({ seat }) => seat.startMs)
      .sort((a, b) => b - a)
    return starts[majority - 1] ?? Number.NEGATIVE_INFINITY
  }
}

export function majorityOf(nodes: number): number {
  return Math.floor(nodes / 2) + 1
}
