/**
 * What the library asks of a store; types only. A backend keeps lines of claims, sessions and cells, and decides every
 * question in one atomic step. It never guesses for the client: an unknown outcome is a rejected promise, and every
 * request may be repeated. All lengths and moments are milliseconds; `serverMs` is the store's own clock.
 */
import type { Clock } from './clock.ts'
import type { Vote } from './errors.ts'
import type { Random } from './random.ts'

/** A store that can be connected to. Made by `memory()`, `sqlite(file)`, …; immutable and shared freely. */
export interface Port {
  readonly kind: string
  /** The shortest session life the store can keep. */
  readonly ttlMsMin: number
  /** How a heartbeat thread reaches the same store; null: it cannot (a client or database object was handed in). */
  readonly worker: WorkerRecipe | null
  /** It can be one of a quorum's nodes: it heeds `exactSeq` and `voter`. */
  readonly votes?: boolean
  /** How people know it from others of its kind, such as `10.0.0.5:6379`. */
  readonly name?: string
  /** What it cannot do; asked for, it is refused before anything is sent. */
  readonly lacks?: readonly Lack[]
  connect(setup: LedgerSetup): Promise<Ledger>
}

/** `order`: first come, first served. `permits`: those of a semaphore without a number. `cells`: latches and barriers too. */
export type Lack = 'order' | 'permits' | 'cells' | 'elections' | 'detached'

/** The worker imports `module` and calls its export `name` with `target` to get a `Backend`. */
export interface WorkerRecipe {
  readonly module: string
  readonly name: string
  readonly target: string
}

export interface LedgerSetup {
  readonly namespace: string
  /** The largest ttl anybody in the namespace may use; a constant of the namespace, checked at each `open`. */
  readonly maxTtlMs: number
  /** Also a constant of the namespace: hold new grants back for `maxTtlMs` after the store lost data. */
  readonly quarantine: boolean
  /** It is a node of a quorum: whoever finds it empty takes it for one that has lost its data. */
  readonly voter?: boolean
  /** Aborted when nobody wants a connection any more that is still being made. */
  readonly signal?: AbortSignal
  readonly clock: Clock
  readonly random: Random
  /** Told that a claim (by id), a line or cell (by name), or anything at all (null) may have changed. Never a fact. */
  readonly onHint: (what: string | null) => void
}

/** Whose claims: one session of one bucket. */
export interface SessionKey {
  readonly bucket: number
  readonly id: string
}

export interface SessionDraft extends SessionKey {
  readonly ttlMs: number
  readonly host: string
  readonly pid: number
  /** True when this client had an answer from this namespace before: an empty store then means that data was lost. */
  readonly seenBefore: boolean
  /** 1 + the highest number this process has had from the bucket; 0 if none. */
  readonly minSeq: number
}

export interface ClaimKey {
  readonly id: string
  readonly line: string
}

/** A claim as its caller wants it. The id is chosen before the first call, starts with the session's id and rises. */
export interface ClaimDraft extends ClaimKey {
  readonly weight: number
  readonly capacity: number
  /** Hard end, counted from the step that records the claim as open. */
  readonly maxHoldMs: number | null
  /** Wants the smallest free slot number of its line when it opens. */
  readonly slot: boolean
  /** From opening on its session lives exactly until the claim's hard end, beaten by nobody. Needs `maxHoldMs`. */
  readonly detached: boolean
  readonly label: string | null
  /** What an election candidate wants shown while it leads. */
  readonly value: string | null
}

export interface EnterTerms {
  /** `try`: entered only if it would be open at once. */
  readonly mode: 'queue' | 'try'
  /** In the store's time; the store refuses to act on this request later. */
  readonly notAfterMs: number
  readonly minSeq: number
  /** How long a refused try marks the line as contended. */
  readonly sliceMs: number
  /**
   * A number that is proposed to each node of a quorum. It is taken as it is or refused: `too-low`, if the store has given
   * out one as high; `too-high`, if it is further above the store's wall clock than the largest ttl and 5 s. A store that
   * holds grants back opens a `try` all the same and says so: then its word alone is worth nothing.
   */
  readonly exactSeq?: number
}

/** What others may see of a claim. */
export interface ClaimRow {
  readonly id: string
  readonly seq: number
  readonly open: boolean
  readonly weight: number
  readonly capacity: number
  readonly slot: number | null
  readonly detached: boolean
  readonly host: string
  readonly pid: number
  readonly label: string | null
  readonly value: string | null
  /** Wall-clock milliseconds at which it entered (closed) or was recorded as open. For people only. */
  readonly sinceWallMs: number
  /** Wall-clock milliseconds of its own hard end; null: it has none, or is closed. For people only. */
  readonly untilWallMs: number | null
  /** In a quorum: which nodes have it. */
  readonly votes?: readonly Vote[]
}

/** A line as others see it: live claims only, in order. */
export interface LineRow {
  readonly line: string
  readonly claims: readonly ClaimRow[]
}

export interface Open {
  readonly state: 'open'
  readonly seq: number
  readonly slot: number | null
  /** Until the claim's own hard end; null: it has none. The session's end is not in it. */
  readonly remainingMs: number | null
  /** Others wait in this line, or tried within the last slice. Claims of the same session do not count. */
  readonly contended: boolean
  /** Only with `exactSeq`: for so long the store holds grants back, after a loss of data or at its birth. */
  readonly heldBackMs?: number
}

export interface Closed {
  readonly state: 'closed'
  /** 0: it gets its number when it opens. */
  readonly seq: number
  /** Nobody closed stands ahead. */
  readonly first: boolean
  /** Until the earliest end of a blocker, by the store's clock; null: none of them has one that is known. */
  readonly recheckMs: number | null
  /** The first open claim of the line. */
  readonly holder: ClaimRow | null
}

/** What a claim is at one moment. `gone`: the store has no such live claim. */
export type Standing = Open | Closed | { readonly state: 'gone' }

export interface Timed {
  readonly serverMs: number
}
/** Where a store may forget what it answered, as at a failover, its era ends; a store without eras names none. */
export interface Opened extends Timed {
  readonly era?: string | undefined
  /** Only to a voter: for so long the store holds grants back. */
  readonly heldBackMs?: number
}
export interface SessionGone extends Timed {
  readonly state: 'session-gone'
}

export type EnterAnswer =
  | (Timed & (Open | Closed))
  | (Timed & { readonly state: 'refused'; readonly holder: ClaimRow | null })
  | (Timed & { readonly state: 'too-late' })
  /** Data was lost and the quarantine runs; only a `try` is answered so, a queued claim is `closed`. */
  | (Timed & { readonly state: 'held-back'; readonly retryMs: number })
  /** The last number that was given out. */
  | (Timed & { readonly state: 'too-low'; readonly last: number })
  /** The store's wall clock in microseconds. */
  | (Timed & { readonly state: 'too-high'; readonly now: number })
  | SessionGone

export type AskAnswer = (Timed & { readonly state: 'told'; readonly standings: readonly Standing[] }) | SessionGone
export type AmendAnswer = (Timed & Standing) | SessionGone

export interface Amendment {
  /** A new hard end, counted from now; null: none. */
  readonly maxHoldMs?: number | null
  /** A smaller weight. */
  readonly weight?: number
  /** Rises with each amendment of a claim: one that comes late must not undo a newer one. Where none can: not heeded. */
  readonly order?: number
}

export interface BeatTerms {
  readonly ttlMs: number
  /** The era in which the session's claims were last known to stand. */
  readonly era?: string | undefined
  /** The audit: claims of this session with an id above `after`, in rising order, at most `limit` of them. */
  readonly after: string
  readonly limit: number
}

export interface AuditRow {
  readonly id: string
  readonly seq: number
  readonly line: string
  readonly contended: boolean
}

export type BeatAnswer =
  | (Timed & {
      readonly state: 'beaten'
      /** Fewer than `limit` rows: the end of the session's claims was reached. Null: there was no audit this time. */
      readonly audit: readonly AuditRow[] | null
      /** Claims that `evict` ended since the last beat that was answered. */
      readonly revoked: readonly string[]
    })
  /** The session is known, but in another era: nothing was extended, and each of its claims may be gone. */
  | (Timed & { readonly state: 'moved'; readonly era: string })
  | SessionGone

export interface CellValue {
  readonly value: string
  readonly version: number
}
export interface CellWrite {
  /** A repeated write with the same op id answers what the first one did. */
  readonly opId: string
  readonly notAfterMs: number
  readonly minSeq: number
  /** Only if the cell has this version; null: only if it does not exist; undefined: whatever is there. */
  readonly ifVersion: number | null | undefined
  readonly ttlMs: number | null
}

export type CellAnswer = Timed &
  ({ readonly state: 'written'; readonly version: number } | { readonly state: 'refused' | 'too-late' })

/**
 * One client's way to one namespace of a store. Methods reject with `BackendUnavailableError` (may heal, outcome
 * unknown) or `BackendRefusedError` (will not heal); they need not keep deadlines, the caller does. Repeating a
 * request, also late, is harmless.
 *
 * Liveness: a claim is dead when its session is missing or past, or its own hard end is past. Whoever opens a claim
 * past dead ones deletes them and their sessions' entries in the same step: what is dead stays dead.
 */
export interface Ledger {
  readonly buckets: number
  bucketOf(name: string): number
  /** Connections in use now. */
  readonly connections: number
  /** Requests are mostly served in the order of their making: a claim may be sent right behind its session's `open`. */
  readonly inOrder?: boolean
  readonly greeting?: Timed
  open(draft: SessionDraft): Promise<Opened>
  /** Takes the session and all its claims away. */
  end(session: SessionKey): Promise<Timed>
  /**
   * Puts a claim at the end of its line. Idempotent by claim id while the claim stands. Checks its own session first.
   * A refused `try` settles the dead, marks the line contended for a slice and hints the first holder.
   */
  enter(session: SessionKey, draft: ClaimDraft, terms: EnterTerms): Promise<EnterAnswer>
  /**
   * What each claim is now: own session and own claim are checked first; where dead claims stand ahead, or the rule
   * says that more may open, the line is settled in the same step.
   */
  ask(session: SessionKey, claims: readonly ClaimKey[]): Promise<AskAnswer>
  /** Removes claims of any session, opens what becomes open, hints those. Answers for each whether it was there. */
  leave(bucket: number, claims: readonly ClaimKey[]): Promise<Timed & { readonly found: readonly boolean[] }>
  /** Changes an open claim, and opens those behind. A new end is heeded only if its order is above the last one's. */
  amend(session: SessionKey, claim: ClaimKey, change: Amendment): Promise<AmendAnswer>
  /** Sets the session's end to now + ttl, only if it has not ended; audits; sweeps a bounded number of the dead. */
  beat(session: SessionKey, terms: BeatTerms): Promise<BeatAnswer>
  /** Ends the open claim with this id, or every open claim of the line; their sessions learn it at the next beat. */
  evict(line: string, claimId: string | null): Promise<Timed & { readonly evicted: number }>
  inspect(line: string): Promise<LineRow | null>
  /** Lines with a live claim whose name is above `after` and starts with `prefix`, in rising byte order. */
  list(prefix: string, after: string, limit: number): Promise<readonly LineRow[]>
  readonly cells: Cells
  /** Resolves when hints for this client will arrive from now on. Counted: call `unlisten` as often. */
  listen(): Promise<void>
  unlisten(): void
  /** Settles within bounded time, also with the store hung. Later calls reject with `BackendUnavailableError`. */
  close(): Promise<void>
}

/** Named values with a version from the line numbers' source, never reused. Names share the hints of lines. */
export interface Cells {
  get(name: string): Promise<CellValue | null>
  set(name: string, value: string, write: CellWrite): Promise<CellAnswer>
  /** Adds a member to the cell's set and answers how many it has; a member that is there already changes nothing. */
  add(
    name: string,
    member: string,
    terms: { readonly notAfterMs: number; readonly ttlMs: number },
  ): Promise<Timed & { readonly state: 'counted' | 'too-late'; readonly count: number }>
  count(name: string): Promise<number>
  remove(name: string): Promise<void>
}
