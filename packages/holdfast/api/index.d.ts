interface ErrorByCode {
  WAIT_TIMEOUT: WaitTimeoutError;
  LEASE_LOST: LeaseLostError;
  NOT_HELD: NotHeldError;
  DEADLOCK: DeadlockError;
  STALE_FENCE: StaleFenceError;
  BACKEND_UNAVAILABLE: BackendUnavailableError;
  BACKEND_REFUSED: BackendRefusedError;
  QUORUM: QuorumError;
  UNSUPPORTED: UnsupportedError;
  CLOSED: ClosedError;
}
/**
* What `inspect` and errors say about a claim. `fence` is its first one; local hand-overs raise it further. Written as
* JSON, the fence is decimal text.
*/
interface ClaimView {
  readonly id: string;
  readonly fence: bigint;
  readonly host: string;
  readonly pid: number;
  readonly label: string | null;
  readonly since: Date;
  /** Outlives its process, and nobody renews it. */
  readonly detached: boolean;
  /** Its own hard end, by `maxHold`; null: it has none, or still waits. */
  readonly until: Date | null;
  /** In a quorum: which nodes have it. */
  readonly votes?: readonly Vote[];
}
/** What a node of a quorum said; `unknown`: nothing in time. */
interface Vote {
  readonly node: string;
  readonly vote: "yes" | "no" | "unknown";
}
/** Why a lease was lost. */
type LossReason = "expired" | "max-hold" | "revoked" | "forgotten" | "stalled" | "closed";
/** The root of all errors of this library. Match on `code`, or with {@link isHoldfastError}. */
declare abstract class HoldfastError extends Error {
  abstract readonly code: keyof ErrorByCode;
  /** Lets `isHoldfastError` know errors of another copy of this package. */
  readonly holdfast = true;
  override get name(): string;
  /** Fences are decimal text in it. */
  toJSON(): Readonly<Record<string, unknown>>;
}
/** Not granted within `wait`, because others are ahead. */
declare class WaitTimeoutError extends HoldfastError {
  readonly code = "WAIT_TIMEOUT";
  readonly waitedMs: number;
  readonly holder: ClaimView | null;
  constructor(name: string, waitedMs: number, holder: ClaimView | null);
}
/** The lock is no longer ours, or may not be. Final. */
declare class LeaseLostError extends HoldfastError {
  readonly code = "LEASE_LOST";
  readonly reason: LossReason;
  /** What the function given to `run` did in spite of it; null outside `run`. */
  readonly settled: PromiseSettledResult<unknown> | null;
  constructor(name: string, reason: LossReason, settled?: PromiseSettledResult<unknown> | null);
}
/** The lease is not held now: released, in doubt, or with less time left than asked for. */
declare class NotHeldError extends HoldfastError {
  readonly code = "NOT_HELD";
}
/** This take could never succeed, because its own call chain holds what it waits for. */
declare class DeadlockError extends HoldfastError {
  readonly code = "DEADLOCK";
}
/** A newer holder has been at the resource. */
declare class StaleFenceError extends HoldfastError {
  readonly code = "STALE_FENCE";
  /** The fence that the resource has seen. */
  readonly fence: bigint;
  constructor(message: string, fence: bigint);
}
/** The store could not be asked; it may heal, so retry. */
declare class BackendUnavailableError extends HoldfastError {
  readonly code = "BACKEND_UNAVAILABLE";
}
/** The store will not do this until somebody changes something: rights, layout, memory, a read-only file. */
declare class BackendRefusedError extends HoldfastError {
  readonly code = "BACKEND_REFUSED";
}
/** Too few nodes of a quorum could be asked, or counted; it may heal, so retry. */
declare class QuorumError extends HoldfastError {
  readonly code = "QUORUM";
  readonly votes: readonly Vote[];
  constructor(message: string, votes: readonly Vote[], options?: ErrorOptions);
}
/** This backend cannot do that. */
declare class UnsupportedError extends HoldfastError {
  readonly code = "UNSUPPORTED";
}
/** The Holdfast object is closed or closing. */
declare class ClosedError extends HoldfastError {
  readonly code = "CLOSED";
}
/** Works across two copies of the package and across workers, where `instanceof` does not. */
declare function isHoldfastError<C extends keyof ErrorByCode>(error: unknown, code: C): error is ErrorByCode[C];

/**
* Lengths of time as users write them: digits, then a unit. A bare number is refused, because every text on locks has
* a story of seconds taken for milliseconds.
*/
/** A length of time with its unit: `'250ms'`, `'5s'`, `'2m'`, `'1h'`, `'7d'`. Whole numbers only. */
type Duration = `${number}${"ms" | "s" | "m" | "h" | "d"}`;
/**
* Checks a text from outside, such as an environment variable, and gives it back as a `Duration`.
*
* @throws {TypeError} when it is no string
* @throws {RangeError} when it is not digits and a unit; names the text
*/
declare function duration(text: string): Duration;

interface HoldfastOptions {
  /** No default: two businesses on one store must not meet on the same name. */
  readonly namespace: string;
  /** How long others wait after this process died. Default `'15s'`, from `'1s'` to `maxTtl`; beats go every third. */
  readonly ttl?: Duration;
  /** The largest ttl anybody in the namespace may use; a constant of the namespace. Default `'1m'`, at most `'10m'`. */
  readonly maxTtl?: Duration;
  /** Who keeps the session alive. `'auto'` (default): a worker thread where one can start and connect, else this one. */
  readonly heartbeat?: "auto" | "worker" | "main";
  /** The worker stops beating when this thread has not run for so long. Default `'30s'`. */
  readonly maxStall?: Duration;
  /** The local queue in front of each line; `false` turns it off. */
  readonly front?: false | FrontOptions;
  readonly defaults?: Pick<TakeOptions, "wait" | "maxHold">;
  /** A lease held longer is reported on `holdfast:held-long`, again at each doubling. Default `'1m'`. */
  readonly warnAfter?: Duration;
  /** Hold new grants back for `maxTtl` after the store lost its data; a constant of the namespace. Default false. */
  readonly quarantine?: boolean;
}
interface FrontOptions {
  /** Local hand-overs in a row while other processes wait. Default 16. */
  readonly passes?: number;
  /** Or this long, whichever ends first. Default `'50ms'`. */
  readonly slice?: Duration;
  /** How long a free lock is kept for the next local task. Default `'0ms'`. */
  readonly linger?: Duration;
}
interface Holdfast extends AsyncDisposable {
  /** Excludes; the writer of a read–write line of the same name. */
  mutex(name: string, options?: MutexOptions): Lockable;
  rwlock(name: string, options?: TakeOptions): {
    read(): Lockable<ReadLease>;
    write(): Lockable<WriteLease>;
  };
  semaphore(name: string, options: TakeOptions & {
    readonly capacity: number;
  }): Semaphore;
  /** A fixed number of mutexes for any number of keys. */
  striped(name: string, stripes: number): {
    for(key: string): Lockable;
  };
  /** All or nothing, in the byte order of the full names, within one deadline. */
  all<const Things extends readonly Lockable<Omit<Lease, "fence">>[]>(things: Things, options?: TakeOptions): Lockable<MultiLease<LeasesOf<Things>>>;
  election(name: string, options?: TakeOptions): Election;
  /** All who use the name must give the same count: each reads the arrivals by its own, and nobody is told. */
  latch(name: string, count: number): Latch;
  barrier(name: string, parties: number): Barrier;
  cell(name: string): Cell;
  /** The lines of this name, one a kind, with live claims only. */
  inspect(name: string): Promise<readonly LineView[]>;
  list(options?: {
    readonly prefix?: string;
    readonly signal?: AbortSignal;
  }): AsyncIterable<LineView>;
  /**
  * Ends the holder with this claim id, or every holder of that name, of every kind; waiters stay. Answers how many
  * ended. Until a holder's next beat it does not know, so an overlap is possible: guard the resource by its fence.
  */
  forceRelease(name: string, claimId?: string): Promise<number>;
  /** What this object knows by itself; no round trip. */
  status(): Status;
  /** What `fn` starts is no longer part of this call chain: no re-entry, no `DeadlockError`. */
  outside<T>(fn: () => T): T;
  /** Connects now instead of at the first take. */
  ready(options?: {
    readonly signal?: AbortSignal;
  }): Promise<void>;
  /** Refuses new takes, rejects waiters, lets holders finish until `drain` (default `'0ms'`), then aborts and releases. Idempotent. */
  close(options?: {
    readonly drain?: Duration;
  }): Promise<void>;
}
interface TakeOptions {
  /** How long to stand in line. `run`, `acquire`: `'30s'`; `tryRun`, `tryAcquire`: 0; elections: `'forever'`. */
  readonly wait?: Duration | 0 | "forever";
  /** A hard end of the lease, however alive this process is. Default none. */
  readonly maxHold?: Duration;
  /** Ends the waiting only; its reason is rethrown unchanged. */
  readonly signal?: AbortSignal;
  /** Shown by `inspect` and carried by events; use it, not the name, as a metric label. */
  readonly label?: string;
  /** Re-enter by hand: this take is nested in that lease. */
  readonly within?: Lease;
  /** Outlives this process and needs `maxHold`; release it anywhere by its id. */
  readonly detached?: boolean;
  /** First come, first served across processes, when all who take the name say so; one round trip a task. Default false. */
  readonly fair?: boolean;
}
interface MutexOptions extends TakeOptions {
  /** A take inside `run` of the same name shares with its parent instead of failing. Default false. */
  readonly reentrant?: boolean;
}
interface PermitOptions extends TakeOptions {
  /** How many of the capacity. Default 1. */
  readonly permits?: number;
  /** One permit with a number of its own, and a fence for that number. Default false. */
  readonly slot?: boolean;
}
/** A cheap description, safe to share and to keep. Options given when it was made are the defaults of its verbs. */
interface Lockable<L extends Omit<Lease, "fence"> = Lease, O extends TakeOptions = TakeOptions> {
  readonly name: string;
  /**
  * Takes the lock, calls `fn` with the lease, releases when `fn` has settled, and gives what `fn` gave.
  *
  * @throws {WaitTimeoutError} not granted within `wait`; names the holder
  * @throws {BackendUnavailableError} the store could not be asked; nothing is held, what may have been recorded is cleaned up
  * @throws {LeaseLostError} the lock was lost while `fn` ran; carries what `fn` did
  * @throws {DeadlockError} this call chain holds what the take would wait for
  * @throws the abort reason, unchanged, when `signal` aborts while waiting
  */
  run<T>(fn: (lease: L) => T | PromiseLike<T>, options?: O): Promise<T>;
  /** As `run`, but not getting the lock is a value that names the holder. */
  tryRun<T>(fn: (lease: L) => T | PromiseLike<T>, options?: O): Promise<Ran<T>>;
  /**
  * Stands in line and resolves with a lease once it is this task's turn.
  *
  * The lease can be lost later without a word from the store: heed `lease.signal`, and pass `lease.fence` to
  * whatever you write to. Throws as `run` does.
  */
  acquire(options?: O): Promise<L>;
  /** As `acquire`, but null when the lock was not to be had within `wait`, 0 by default; an outage still throws. */
  tryAcquire(options?: O): Promise<L | null>;
  /** Releases a detached lease by its id, from any process. False: there is no such lease (any more). */
  release(leaseId: string): Promise<boolean>;
}
type Ran<T> = {
  readonly ran: true;
  readonly value: T;
} | {
  readonly ran: false;
  readonly holder: ClaimView | null;
};
interface Lease extends AsyncDisposable {
  readonly name: string;
  readonly id: string;
  /** Rises with each grant of an exclusive lease on this name. 0 < fence < 2^63; never `Number(fence)`. */
  readonly fence: bigint;
  readonly waitedMs: number;
  /** Aborts with `LeaseLostError` when the lock is lost; never on release. */
  readonly signal: AbortSignal;
  /** By clock, no round trip: right also in the first instruction after a stall. */
  isHeld(): boolean;
  /**
  * @throws {LeaseLostError} once lost, which is final
  * @throws {NotHeldError} after release, while in doubt, or with less than `atLeast` left
  */
  assertHeld(atLeast?: Duration): void;
  /** Milliseconds for which the lease is safe without a further word from the store; 0 when it is not held. */
  validForMs(): number;
  /** Asks the store; for the irreversible step. Throws as `assertHeld`, or `BackendUnavailableError`. */
  confirm(options?: {
    readonly signal?: AbortSignal;
  }): Promise<void>;
  /** False: it was lost before. Never throws for loss. */
  release(): Promise<boolean>;
  /** The fence as a decimal string: JSON has no bigint. */
  toJSON(): Readonly<Record<string, unknown>>;
}
/** A number below the capacity that no other open permit has, and a fence that rises with each holder of it. */
interface Slot {
  readonly number: number;
  readonly fence: bigint;
}
/** `slot` null: lease-only, because several legal holders have no order. */
interface PermitLease extends Omit<Lease, "fence"> {
  readonly slot: Slot | null;
}
/** What a take with `slot: true` gives. */
interface SlotLease extends PermitLease {
  readonly slot: Slot;
}
type SlotOptions = PermitOptions & {
  readonly slot: true;
};
/** As any lockable thing; with `slot: true` in the call the lease has a slot for sure. */
interface Semaphore extends Lockable<PermitLease, PermitOptions> {
  run<T>(fn: (lease: SlotLease) => T | PromiseLike<T>, options: SlotOptions): Promise<T>;
  run<T>(fn: (lease: PermitLease) => T | PromiseLike<T>, options?: PermitOptions): Promise<T>;
  tryRun<T>(fn: (lease: SlotLease) => T | PromiseLike<T>, options: SlotOptions): Promise<Ran<T>>;
  tryRun<T>(fn: (lease: PermitLease) => T | PromiseLike<T>, options?: PermitOptions): Promise<Ran<T>>;
  acquire(options: SlotOptions): Promise<SlotLease>;
  acquire(options?: PermitOptions): Promise<PermitLease>;
  tryAcquire(options: SlotOptions): Promise<SlotLease | null>;
  tryAcquire(options?: PermitOptions): Promise<PermitLease | null>;
}
interface ReadLease extends Lease {
  readonly mode: "read";
}
interface WriteLease extends Lease {
  readonly mode: "write";
  /** Becomes a reader in one step, without letting a writer in between. This lease ends. */
  downgrade(): Promise<ReadLease>;
}
/** In the order of the things, each with its own fence. Held while all are. */
interface MultiLease<Leases = readonly (Lease | PermitLease)[]> extends Omit<Lease, "fence"> {
  readonly leases: Leases;
}
/** The lease of each thing, in their order. */
type LeasesOf<Things extends readonly Lockable<Omit<Lease, "fence">>[]> = { readonly [I in keyof Things]: Things[I] extends {
  acquire(): Promise<infer L>;
} ? L : never };
interface Election extends Lockable<Lease, TakeOptions & {
  readonly value?: string;
}> {
  /** Campaigns, calls `fn` with each term, and campaigns again after each loss or return, until `signal` aborts. */
  lead(fn: (term: Lease) => unknown, options: {
    readonly signal: AbortSignal;
    readonly value?: string;
  }): Promise<void>;
  leader(): Promise<Leader | null>;
  /** The leader now, then each change; null: no leader now. */
  observe(options?: {
    readonly signal?: AbortSignal;
  }): AsyncIterable<Leader | null>;
}
interface Leader {
  readonly value: string;
  readonly fence: bigint;
  readonly host: string;
  readonly pid: number;
}
interface Latch {
  /**
  * Counts `id` once, however often it is said; answers how many remain. Settles within a ttl, or within one
  * and a half and 5 s more if it has to connect first.
  */
  countDown(id: string): Promise<number>;
  wait(options?: TakeOptions): Promise<void>;
  remaining(): Promise<number>;
}
interface Barrier {
  /** Waits until all parties are here. A party that dies or gives up is not counted. */
  pass(options?: TakeOptions): Promise<void>;
  /** Double barrier: all enter together, run `fn`, and leave together. */
  run<T>(fn: () => T | PromiseLike<T>, options?: TakeOptions): Promise<T>;
}
interface Cell {
  get(): Promise<{
    readonly value: string;
    readonly version: bigint;
  } | null>;
  /** Null: the condition `ifVersion` did not hold (`null` there: only if the cell does not exist). */
  set(value: string, options?: {
    readonly ifVersion?: bigint | null;
    readonly ttl?: Duration;
  }): Promise<bigint | null>;
  /** The value now, then each change that is seen; a quick succession may be seen as its last. */
  watch(options?: {
    readonly signal?: AbortSignal;
  }): AsyncIterable<string | null>;
}
interface LineView {
  readonly name: string;
  readonly kind: string;
  readonly holders: readonly ClaimView[];
  readonly waiters: readonly ClaimView[];
}
interface Status {
  readonly link: "idle" | "up" | "suspended" | "closed";
  readonly session: "none" | "open" | "lost";
  readonly heartbeat: "worker" | "main" | "none";
  readonly heartbeatReason: string | null;
  readonly held: number;
  readonly waiting: number;
  readonly connections: number;
}

/** A store to lock in, from `memory()`, `sqlite(file)`, … */
interface Backend {
  readonly kind: string;
}

interface Named {
  readonly namespace: string;
  readonly name: string;
  readonly kind: string;
  readonly label: string | null;
}
/** `holdfast:take`: a take has ended. */
interface TakeEvent extends Named {
  readonly outcome: "granted" | "busy" | "timeout" | "aborted" | "outage" | "refused" | "closed";
  readonly waitedMs: number;
  /** Granted by a hand-over inside this process, without a round trip. */
  readonly local: boolean;
  readonly fence: bigint | null;
}
/** `holdfast:release`: a lease was given back. */
interface ReleaseEvent extends Named {
  readonly heldMs: number;
  readonly fence: bigint;
}
/** `holdfast:lost`: a lease was lost. */
interface LostEvent extends ReleaseEvent {
  readonly reason: LossReason;
}
/** `holdfast:session` */
interface SessionEvent {
  readonly namespace: string;
  readonly state: "opened" | "suspended" | "resumed" | "lost" | "beat-late" | "heartbeat";
  /** `beat-late`: how late; else 0. */
  readonly lateByMs: number;
  /** `lost`: waiting takes that lost their place and stand in line again. */
  readonly placesLost: number;
  /** `heartbeat`: who beats from now on, and why. */
  readonly heartbeat: "worker" | "main" | null;
  readonly detail: string | null;
}
/** `holdfast:held-long`: held over `warnAfter`, again at each doubling. */
interface HeldLongEvent extends ReleaseEvent {
  readonly id: string;
}
/** `holdfast:leak`: a lease was garbage collected unreleased; it has been released. */
interface LeakEvent extends ReleaseEvent {
  readonly id: string;
}
/** `holdfast:hint-missed`: a waiter found itself first by asking, not by being told. */
interface HintMissedEvent extends Named {
  readonly waitedMs: number;
}
/** `holdfast:warning`: a setting or state that will hurt. */
interface WarningEvent {
  readonly namespace: string;
  readonly code: string;
  readonly message: string;
}
interface EventByChannel {
  "holdfast:take": TakeEvent;
  "holdfast:release": ReleaseEvent;
  "holdfast:lost": LostEvent;
  "holdfast:session": SessionEvent;
  "holdfast:held-long": HeldLongEvent;
  "holdfast:leak": LeakEvent;
  "holdfast:hint-missed": HintMissedEvent;
  "holdfast:warning": WarningEvent;
}

/**
* Makes the object that all locks of a namespace come from. Returns at once and opens its connection at the first take;
* await `ready()` to fail at start instead. Close it before the process ends, so that nobody has to wait for the ttl.
*
* @param target a backend such as `memory()` or `sqlite(file)`, or a URL: `sqlite:file`, `memory:`
* @throws {TypeError | RangeError} naming the option and the value
*/
declare function holdfast(target: string | Backend, options: HoldfastOptions): Holdfast;

export { type Backend, BackendRefusedError, BackendUnavailableError, type Barrier, type Cell, type ClaimView, ClosedError, DeadlockError, type Duration, type Election, type ErrorByCode, type EventByChannel, type FrontOptions, type HeldLongEvent, type HintMissedEvent, type Holdfast, HoldfastError, type HoldfastOptions, type Latch, type Leader, type LeakEvent, type Lease, LeaseLostError, type LeasesOf, type LineView, type Lockable, type LossReason, type LostEvent, type MultiLease, type MutexOptions, NotHeldError, type PermitLease, type PermitOptions, QuorumError, type Ran, type ReadLease, type ReleaseEvent, type Semaphore, type SessionEvent, type Slot, type SlotLease, StaleFenceError, type Status, type TakeEvent, type TakeOptions, UnsupportedError, type Vote, WaitTimeoutError, type WarningEvent, type WriteLease, duration, holdfast, isHoldfastError };
