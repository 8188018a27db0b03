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
/** `slot` null: lease-only, because several legal holders have no order. */
interface PermitLease extends Omit<Lease, "fence"> {
  readonly slot: {
    readonly number: number;
    readonly fence: bigint;
  } | null;
}

/** Refuses a holder that others have passed. */
interface Guard<Tx = void> {
  /**
  * Lets the lease into the resource, in the caller's transaction. Call it before the first read, and again in every
  * later transaction that writes.
  *
  * An exclusive lease passes if its fence is not below any that entered; a read lease, also one that was downgraded,
  * if its fence is not below any that entered to write. Readers do not exclude each other.
  *
  * @throws {StaleFenceError} a newer holder has entered; carries its fence. Roll the transaction back
  * @throws {TypeError} a permit without a slot, several leases at once, or no lease: they have no fence to compare
  */
  enter(tx: Tx, lease: Lease | PermitLease): Promise<void>;
}

/**
* A guard that keeps the two fences of one resource in memory. There is no transaction, so pass `undefined` for it:
* `await guard.enter(undefined, lease)`. It protects what only this process can reach, and forgets with it.
*/
declare function memoryGuard(): Guard;

type SqlDialect = "sqlite" | "postgres" | "mysql";
/**
* The statement that creates a guard's table, if it is not there. Each guarded resource is a row of it, put there by
* you: `insert into <table> (resource) values (<key>)`.
*
* @throws {TypeError | RangeError} naming the option and the value
*/
declare function guardTable(dialect: SqlDialect, table: string): string;

interface SqlGuardOptions<Tx> {
  readonly dialect: SqlDialect;
  /** Executes one statement in the transaction and gives the number of changed rows, whatever the driver calls it. */
  readonly run: (tx: Tx, sql: string, params: readonly unknown[]) => Promise<number>;
  /** The table made by `guardTable`; the name is used exactly as written, with a dot after the schema if there is one. */
  readonly table: string;
  /** The resource, a row of the table. */
  readonly key: string;
}
/**
* A guard for a resource in a SQL database. All parameters are texts: the key, and fences in decimal.
*
* After `enter` the guard's row is locked by the transaction until it ends, so what the same transaction reads and
* writes is safe from older and newer holders alike. A refusal costs about 65 small statements, because `run` tells
* nothing but a number of rows.
*
* @throws {TypeError | RangeError} naming the option and the value
*/
declare function sqlGuard<Tx>(options: SqlGuardOptions<Tx>): Guard<Tx>;

export { type Guard, type SqlDialect, type SqlGuardOptions, guardTable, memoryGuard, sqlGuard };
