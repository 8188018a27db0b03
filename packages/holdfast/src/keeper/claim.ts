/**
 * A claim of this process in a remote line: what we asked for and the last that we were told of it. Only the keeper
 * changes it; the front reads it and listens. A claim whose leave was sent is never used again.
 */
import type { Timer } from '../clock.ts'
import type { LossReason } from '../errors.ts'
import type { ClaimDraft, ClaimRow } from '../port.ts'
import type { Session } from './session.ts'
import type { Start } from './tenure.ts'

/** `entering`: not known to stand in the line. `ended`: left, lost, refused or given up. */
export type ClaimState = 'entering' | 'closed' | 'open' | 'ended'

/** What the owner of a claim is told, always in a synchronous step. */
export interface ClaimListener {
  /** It is open, and its session has at least a third of its life left. */
  opened(claim: Claim): void
  /** A `try` found others ahead. */
  refused(claim: Claim, holder: ClaimRow | null): void
  /** It was open and is lost. A claim that only waited enters again by itself instead. */
  lost(claim: Claim, reason: LossReason): void
  /** Its hard end may have moved nearer. */
  retimed(claim: Claim): void
  /** It was never open and never will be. */
  failed(claim: Claim, error: unknown): void
}

/** What a claim asks for. Shared by all claims that ask for the same. */
export type ClaimWish = Omit<ClaimDraft, 'id' | 'line'>

export interface Waiting {
  recheck: Timer | null
  /** The first open claim of the line. */
  holder: ClaimRow | null
  /** It is being looked at by the clock, not because it was told. */
  looking: boolean
  hinted: boolean
}

export class Claim {
  readonly line: string
  readonly wish: ClaimWish
  readonly mode: 'queue' | 'try'
  readonly listener: ClaimListener
  id = ''
  session: Session | null = null
  state: ClaimState = 'entering'
  /** The owner has been told that it is open. */
  granted = false
  /** It is being put into the line right now. */
  looping = false
  seq = 0
  slot: number | null = null
  /** The weight now, where it is less than what was wished for; shrinks by a downgrade or when a lighter task takes over. */
  #weight: number | null = null
  /** Its own hard end, on the safe side, as a stretch since the request that told it; null: none. */
  end: { readonly start: Start; readonly lengthMs: number } | null = null
  /** When the newest amendment was sent; rises with each. What was sent before it says nothing of the end. */
  amendedMs = 0
  /** Others wait in the line, as of `freshMs`. */
  contended = false
  /** When the request was sent whose answer we know last. In whole milliseconds, which take no memory of their own. */
  freshMs = 0
  /** When the store first confirmed that it stands; claims younger than a beat are not audited by it. */
  confirmedMs: number | null = null
  /** The store may act on an enter of this claim until then, in its own time. */
  notAfterMs = 0
  /** Since when a request about it is unanswered; null: none is. */
  askedMs: number | null = null
  /** The last answer was that others are ahead. */
  heard = false
  outage: unknown = null
  /** What only a claim that waits needs. */
  wait: Waiting | null = null
  /** The store says that it is gone; only the reason is still asked for. */
  doubted = false
  /** It is being asked about because its end may have passed on another clock. */
  refreshing = false
  /** May have changed since the last ask was sent. */
  dirty = false

  constructor(line: string, wish: ClaimWish, mode: 'queue' | 'try', listener: ClaimListener) {
    this.line = line
    this.wish = wish
    this.mode = mode
    this.listener = listener
  }

  get weight(): number {
    return this.#weight ?? this.wish.weight
  }
  set weight(weight: number) {
    this.#weight = weight
  }

  /** The hard end as a moment of the monotonic clock. */
  get endMs(): number | null {
    return this.end === null ? null : this.end.start.monotonicMs + this.end.lengthMs
  }

  stopWaiting(): void {
    this.wait?.recheck?.cancel()
    this.wait = null
  }
}

/** Read anew: an await or a call may have changed it, which the compiler does not know. */
export function stateOf(claim: Claim): ClaimState {
  return claim.state
}

/** After an await: the claim was given up, or stands in the line under another id now. */
export function isStale(claim: Claim, id: string): boolean {
  return claim.state === 'ended' || claim.id !== id || claim.session === null
}
