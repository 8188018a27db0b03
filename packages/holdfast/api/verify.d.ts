/**
* What was seen of a lock service: events in the order of one monotonic clock, written as JSON lines. The format is not
* bound to Holdfast: whoever can record when a lock was asked for and when it was had can have his service checked.
*/
declare const KINDS: readonly ["mutex", "rwlock", "semaphore", "election", "latch", "barrier", "register"];
type Kind = (typeof KINDS)[number];
/**
* `acquire` and `release`: of a mutex, read–write lock, semaphore or election. `arrive` and `await`: of a latch; a
* barrier has `await` alone. `read` and `write`: of a register, the data behind a lock.
*/
declare const ACTIONS: readonly ["acquire", "release", "arrive", "await", "read", "write"];
type Action = (typeof ACTIONS)[number];
interface Moment {
  /** Nanoseconds of a monotonic clock that all processes share, such as `process.hrtime.bigint()`. */
  readonly ns: bigint;
  readonly process: string;
}
/** A process begins an operation. It may have several on their way at once. */
interface Invoked extends Moment {
  readonly type: "invoke";
  /** Names the operation in the events that follow. */
  readonly op: string;
  readonly kind: Kind;
  readonly name: string;
  readonly action: Action;
  /** Of a read–write lock: whether it is a reader's. */
  readonly shared: boolean;
  /** Of a semaphore: how many permits. */
  readonly permits: number;
  /** Of a semaphore its capacity, of a latch its count, of a barrier its parties, as the caller believes. */
  readonly capacity: number;
  /** Of a release: the operation that acquired. */
  readonly of: string | null;
  /** What is written, or who arrives: an arrival that is repeated counts once. */
  readonly value: string | null;
}
/**
* How it ended. `ok`: it took effect. `fail`: it had and will have none. `unknown`: it may have taken effect, or may do
* so yet; an operation without an end is one of these.
*/
interface Ended extends Moment {
  readonly type: "ok" | "fail" | "unknown";
  readonly op: string;
  readonly fence: bigint | null;
  readonly slot: number | null;
  /** What was read; null: nothing was there. */
  readonly value: string | null;
}
/**
* `queued`: it is known to stand in line. `lost`: from this moment on its process no longer believed to hold what it had
* acquired. `expired`: from this moment on the service may give it to others, whatever its process believes.
*/
interface Noted extends Moment {
  readonly type: "queued" | "lost" | "expired";
  readonly op: string;
}
/** The process ended, or was stopped for good: it believes in nothing any more. */
interface Died extends Moment {
  readonly type: "died";
}
type HistoryEvent = Invoked | Ended | Noted | Died;
/** One event as a line, without its end. Numbers that JSON would round are decimal text. */
declare function lineOf(event: HistoryEvent): string;
/**
* Reads what `lineOf` wrote, or another program. Lines that are empty are passed over; what is left out counts as null,
* false or 1.
*
* @throws {SyntaxError} naming the line, for what is no event
*/
declare function readHistory(text: string): readonly HistoryEvent[];

interface Operation {
  readonly op: string;
  readonly process: string;
  readonly kind: Kind;
  readonly name: string;
  readonly action: Action;
  readonly shared: boolean;
  readonly permits: number;
  readonly capacity: number;
  readonly of: string | null;
  readonly value: string | null;
  readonly invokedNs: number;
  /** `unknown`: it may take effect at any time after its invocation, or never. */
  readonly outcome: "ok" | "fail" | "unknown";
  /** Infinity where the outcome is unknown. */
  readonly endedNs: number;
  /** When it was known to stand in line; null: it was never said. */
  readonly queuedNs: number | null;
  /** From when on the service may have ended what it acquired; null: it was never said. */
  readonly expiredNs: number | null;
  readonly fence: bigint | null;
  readonly slot: number | null;
  readonly read: string | null;
}

type CheckRule = "exclusion" | "slot" | "fence" | "order" | "latch" | "barrier" | "linearizability";
interface Violation {
  readonly rule: CheckRule;
  readonly kind: Kind;
  readonly name: string;
  /** In a sentence. */
  readonly what: string;
  /** As few as show it. */
  readonly operations: readonly Operation[];
  readonly atNs: number;
  /** The operation with which it was seen. */
  readonly op: string;
}

/**
* ```text
* a  |==acquire 7====)            |=release=)
* b        |==acquire 7==)
*    0.000 ms                            12.300 ms
* ```
* Begun at `|`, answered at `)`; `?`: no answer is known.
*/
declare function pictureOf(operations: readonly Operation[]): string;

interface CheckOptions {
  /** Which rules; without it all but `order`, which only a fair lock keeps. */
  readonly rules?: readonly CheckRule[];
  /** How many states the search for an order may remember for a name; 2,000,000 if not said, some 200 bytes each. */
  readonly statesMax?: number;
}
interface Report {
  readonly operations: number;
  readonly claims: number;
  /** In the order of their moments. Empty: nothing was found wrong. */
  readonly violations: readonly Violation[];
  /** Names for which the search gave up: of these nobody knows. */
  readonly undecided: readonly string[];
}
/**
* @param events in the order of their moments
* @throws {RangeError} for a history that contradicts itself
*/
declare function check(events: readonly HistoryEvent[], options?: CheckOptions): Report;

export { type Action, CheckOptions, type CheckRule, type Died, type Ended, type HistoryEvent, type Invoked, type Kind, type Noted, type Operation, Report, type Violation, check, lineOf, pictureOf, readHistory };
