/**
 * The public surface as types; the promises behind it are in docs/guarantees.md. Descriptions (`Lockable`) are cheap
 * and hold no state; everything that is held is a `Lease`.
 */
import type { Backend } from './backend.ts'
import type { Duration } from './duration.ts'
import type { ClaimView } from './errors.ts'

export interface HoldfastOptions {
  /** No default: two businesses on one store must not meet on the same name. */
  readonly namespace: string
  /** How long others wait after this process died. Default `'15s'`, from `'1s'` to `maxTtl`; beats go every third. */
  readonly ttl?: Duration
  /** The largest ttl anybody in the namespace may use; a constant of the namespace. Default `'1m'`, at most `'10m'`. */
  readonly maxTtl?: Duration
  /** Who keeps the session alive. `'auto'` (default): a worker thread where one can start and connect, else this one. */
  readonly heartbeat?: 'auto' | 'worker' | 'main'
  /** The worker stops beating when this thread has not run for so long. Default `'30s'`. */
  readonly maxStall?: Duration
  /** The local queue in front of each line; `false` turns it off. */
  readonly front?: false | FrontOptions
  readonly defaults?: Pick<TakeOptions, 'wait' | 'maxHold'>
  /** A lease held longer is reported on `holdfast:held-long`, again at each doubling. Default `'1m'`. */
  readonly warnAfter?: Duration
  /** Hold new grants back for `maxTtl` after the store lost its data; a constant of the namespace. Default false. */
  readonly quarantine?: boolean
}

export interface FrontOptions {
  /** Local hand-overs in a row while other processes wait. Default 16. */
  readonly passes?: number
  /** Or this long, whichever ends first. Default `'50ms'`. */
  readonly slice?: Duration
  /** How long a free lock is kept for the next local task. Default `'0ms'`. */
  readonly linger?: Duration
}

export interface Holdfast extends AsyncDisposable {
  /** Excludes; the writer of a read–write line of the same name. */
  mutex(name: string, options?: MutexOptions): Lockable
  rwlock(name: string, options?: TakeOptions): { read(): Lockable<ReadLease>; write(): Lockable<WriteLease> }
  semaphore(name: string, options: TakeOptions & { readonly capacity: number }): Semaphore
  /** A fixed number of mutexes for any number of keys. */
  striped(name: string, stripes: number): { for(key: string): Lockable }
  /** All or nothing, in the byte order of the full names, within one deadline. */
  all<const Things extends readonly Lockable<Omit<Lease, 'fence'>>[]>(
    things: Things,
    options?: TakeOptions,
  ): Lockable<MultiLease<LeasesOf<Things>>>
  election(name: string, options?: TakeOptions): Election
  /** All who use the name must give the same count: each reads the arrivals by its own, and nobody is told. */
  latch(name: string, count: number): Latch
  barrier(name: string, parties: number): Barrier
  cell(name: string): Cell
  /** The lines of this name, one a kind, with live claims only. */
  inspect(name: string): Promise<readonly LineView[]>
  list(options?: { readonly prefix?: string; readonly signal?: AbortSignal }): AsyncIterable<LineView>
  /**
   * Ends the holder with this claim id, or every holder of that name, of every kind; waiters stay. Answers how many
   * ended. Until a holder's next beat it does not know, so an overlap is possible: guard the resource by its fence.
   */
  forceRelease(name: string, claimId?: string): Promise<number>
  /** What this object knows by itself; no round trip. */
  status(): Status
  /** What `fn` starts is no longer part of this call chain: no re-entry, no `DeadlockError`. */
  outside<T>(fn: () => T): T
  /** Connects now instead of at the first take. */
  ready(options?: { readonly signal?: AbortSignal }): Promise<void>
  /** Refuses new takes, rejects waiters, lets holders finish until `drain` (default `'0ms'`), then aborts and releases. Idempotent. */
  close(options?: { readonly drain?: Duration }): Promise<void>
}

export interface TakeOptions {
  /** How long to stand in line. `run`, `acquire`: `'30s'`; `tryRun`, `tryAcquire`: 0; elections: `'forever'`. */
  readonly wait?: Duration | 0 | 'forever'
  /** A hard end of the lease, however alive this process is. Default none. */
  readonly maxHold?: Duration
  /** Ends the waiting only; its reason is rethrown unchanged. */
  readonly signal?: AbortSignal
  /** Shown by `inspect` and carried by events; use it, not the name, as a metric label. */
  readonly label?: string
  /** Re-enter by hand: this take is nested in that lease. */
  readonly within?: Lease
  /** Outlives this process and needs `maxHold`; release it anywhere by its id. */
  readonly detached?: boolean
  /** First come, first served across processes, when all who take the name say so; one round trip a task. Default false. */
  readonly fair?: boolean
}

export interface MutexOptions extends TakeOptions {
  /** A take inside `run` of the same name shares with its parent instead of failing. Default false. */
  readonly reentrant?: boolean
}

export interface PermitOptions extends TakeOptions {
  /** How many of the capacity. Default 1. */
  readonly permits?: number
  /** One permit with a number of its own, and a fence for that number. Default false. */
  readonly slot?: boolean
}

/** A cheap description, safe to share and to keep. Options given when it was made are the defaults of its verbs. */
export interface Lockable<L extends Omit<Lease, 'fence'> = Lease, O extends TakeOptions = TakeOptions> {
  readonly name: string
  /**
   * Takes the lock, calls `fn` with the lease, releases when `fn` has settled, and gives what `fn` gave.
   *
   * @throws {WaitTimeoutError} not granted within `wait`; names the holder
   * @throws {BackendUnavailableError} the store could not be asked; nothing is held, what may have been recorded is cleaned up
   * @throws {LeaseLostError} the lock was lost while `fn` ran; carries what `fn` did
   * @throws {DeadlockError} this call chain holds what the take would wait for
   * @throws the abort reason, unchanged, when `signal` aborts while waiting
   */
  run<T>(fn: (lease: L) => T | PromiseLike<T>, options?: O): Promise<T>
  /** As `run`, but not getting the lock is a value that names the holder. */
  tryRun<T>(fn: (lease: L) => T | PromiseLike<T>, options?: O): Promise<Ran<T>>
  /**
   * Stands in line and resolves with a lease once it is this task's turn.
   *
   * The lease can be lost later without a word from the store: heed `lease.signal`, and pass `lease.fence` to
   * whatever you write to. Throws as `run` does.
   */
  acquire(options?: O): Promise<L>
  /** As `acquire`, but null when the lock was not to be had within `wait`, 0 by default; an outage still throws. */
  tryAcquire(options?: O): Promise<L | null>
  /** Releases a detached lease by its id, from any process. False: there is no such lease (any more). */
  release(leaseId: string): Promise<boolean>
}

export type Ran<T> =
  | { readonly ran: true; readonly value: T }
  | { readonly ran: false; readonly holder: ClaimView | null }

export interface Lease extends AsyncDisposable {
  readonly name: string
  readonly id: string
  /** Rises with each grant of an exclusive lease on this name. 0 < fence < 2^63; never `Number(fence)`. */
  readonly fence: bigint
  readonly waitedMs: number
  /** Aborts with `LeaseLostError` when the lock is lost; never on release. */
  readonly signal: AbortSignal
  /** By clock, no round trip: right also in the first instruction after a stall. */
  isHeld(): boolean
  /**
   * @throws {LeaseLostError} once lost, which is final
   * @throws {NotHeldError} after release, while in doubt, or with less than `atLeast` left
   */
  assertHeld(atLeast?: Duration): void
  /** Milliseconds for which the lease is safe without a further word from the store; 0 when it is not held. */
  validForMs(): number
  /** Asks the store; for the irreversible step. Throws as `assertHeld`, or `BackendUnavailableError`. */
  confirm(options?: { readonly signal?: AbortSignal }): Promise<void>
  /** False: it was lost before. Never throws for loss. */
  release(): Promise<boolean>
  /** The fence as a decimal string: JSON has no bigint. */
  toJSON(): Readonly<Record<string, unknown>>
}

/** A number below the capacity that no other open permit has, and a fence that rises with each holder of it. */
export interface Slot {
  readonly number: number
  readonly fence: bigint
}
/** `slot` null: lease-only, because several legal holders have no order. */
export interface PermitLease extends Omit<Lease, 'fence'> {
  readonly slot: Slot | null
}
/** What a take with `slot: true` gives. */
export interface SlotLease extends PermitLease {
  readonly slot: Slot
}
type SlotOptions = PermitOptions & { readonly slot: true }

/** As any lockable thing; with `slot: true` in the call the lease has a slot for sure. */
export interface Semaphore extends Lockable<PermitLease, PermitOptions> {
  run<T>(fn: (lease: SlotLease) => T | PromiseLike<T>, options: SlotOptions): Promise<T>
  run<T>(fn: (lease: PermitLease) => T | PromiseLike<T>, options?: PermitOptions): Promise<T>
  tryRun<T>(fn: (lease: SlotLease) => T | PromiseLike<T>, options: SlotOptions): Promise<Ran<T>>
  tryRun<T>(fn: (lease: PermitLease) => T | PromiseLike<T>, options?: PermitOptions): Promise<Ran<T>>
  acquire(options: SlotOptions): Promise<SlotLease>
  acquire(options?: PermitOptions): Promise<PermitLease>
  tryAcquire(options: SlotOptions): Promise<SlotLease | null>
  tryAcquire(options?: PermitOptions): Promise<PermitLease | null>
}
export interface ReadLease extends Lease {
  readonly mode: 'read'
}
export interface WriteLease extends Lease {
  readonly mode: 'write'
  /** Becomes a reader in one step, without letting a writer in between. This lease ends. */
  downgrade(): Promise<ReadLease>
}
/** In the order of the things, each with its own fence. Held while all are. */
export interface MultiLease<Leases = readonly (Lease | PermitLease)[]> extends Omit<Lease, 'fence'> {
  readonly leases: Leases
}
/** The lease of each thing, in their order. */
export type LeasesOf<Things extends readonly Lockable<Omit<Lease, 'fence'>>[]> = {
  readonly [I in keyof Things]: Things[I] extends { acquire(): Promise<infer L> } ? L : never
}

export interface Election extends Lockable<Lease, TakeOptions & { readonly value?: string }> {
  /** Campaigns, calls `fn` with each term, and campaigns again after each loss or return, until `signal` aborts. */
  lead(fn: (term: Lease) => unknown, options: { readonly signal: AbortSignal; readonly value?: string }): Promise<void>
  leader(): Promise<Leader | null>
  /** The leader now, then each change; null: no leader now. */
  observe(options?: { readonly signal?: AbortSignal }): AsyncIterable<Leader | null>
}
export interface Leader {
  readonly value: string
  readonly fence: bigint
  readonly host: string
  readonly pid: number
}

export interface Latch {
  /**
   * Counts `id` once, however often it is said; answers how many remain. Settles within a ttl, or within one
   * and a half and 5 s more if it has to connect first.
   */
  countDown(id: string): Promise<number>
  wait(options?: TakeOptions): Promise<void>
  remaining(): Promise<number>
}

export interface Barrier {
  /** Waits until all parties are here. A party that dies or gives up is not counted. */
  pass(options?: TakeOptions): Promise<void>
  /** Double barrier: all enter together, run `fn`, and leave together. */
  run<T>(fn: () => T | PromiseLike<T>, options?: TakeOptions): Promise<T>
}

export interface Cell {
  get(): Promise<{ readonly value: string; readonly version: bigint } | null>
  /** Null: the condition `ifVersion` did not hold (`null` there: only if the cell does not exist). */
  set(value: string, options?: { readonly ifVersion?: bigint | null; readonly ttl?: Duration }): Promise<bigint | null>
  /** The value now, then each change that is seen; a quick succession may be seen as its last. */
  watch(options?: { readonly signal?: AbortSignal }): AsyncIterable<string | null>
}

export interface LineView {
  readonly name: string
  readonly kind: string
  readonly holders: readonly ClaimView[]
  readonly waiters: readonly ClaimView[]
}

export interface Status {
  readonly link: 'idle' | 'up' | 'suspended' | 'closed'
  readonly session: 'none' | 'open' | 'lost'
  readonly heartbeat: 'worker' | 'main' | 'none'
  readonly heartbeatReason: string | null
  readonly held: number
  readonly waiting: number
  readonly connections: number
}

export type { Backend, ClaimView, Duration }
