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

/** A text, or bytes. */
type RedisValue = string | Uint8Array;
/** `Redis` and `Cluster` of ioredis 5 or 6. */
interface IoredisScripts {
  evalsha(...args: never[]): unknown;
  eval(...args: never[]): unknown;
}
/** What `createClient`, `createCluster` and `createSentinel` of redis 5 or 6 give. */
interface NodeRedisScripts {
  evalSha(...args: never[]): unknown;
  eval(...args: never[]): unknown;
}
type RedisScripts = IoredisScripts | NodeRedisScripts;

interface RedisWork {
  /** `KEYS[2]` and on; `KEYS[1]` is the guarded value. In a cluster all of them must be in its slot. */
  readonly keys?: readonly string[];
  /** `ARGV[1]` and on. */
  readonly args?: readonly RedisValue[];
}
type Holder = Parameters<Guard["enter"]>[1];
/**
* Refuses holders that others have passed, at one value on a Redis server. `enter(undefined, lease)` comes before the
* first read; there is no transaction, so `set` and `run` check again in the step that writes.
*/
interface RedisGuard extends Guard {
  /** Where the fences are kept, as you would name it to the same client. Never let it be evicted or end. */
  readonly fencesKey: string;
  /**
  * Checks the lease and sets the value to this text or these bytes, in one step. As plain `SET`, it ends a time to
  * live that the value had.
  *
  * @throws {StaleFenceError} a newer holder has entered; nothing was written
  * @throws {TypeError} the lease is one to read
  */
  set(lease: Holder, value: RedisValue): Promise<void>;
  /**
  * Checks the lease and runs your Lua in the same step; gives what it returns. In it `KEYS[1]` is the guarded value,
  * and `KEYS` and `ARGV` go on with what `work` has. A read lease passes too: let it only read.
  *
  * @param script always the same text for the same work: what differs goes into `args`, or the server's cache of
  *   scripts grows with each call
  * @throws {StaleFenceError} a newer holder has entered; your Lua was not run
  */
  run(lease: Holder, script: string, work?: RedisWork): Promise<unknown>;
}
/**
* A guard for a value on a Redis or Valkey server, alone, under Sentinel or in a cluster, over a client of ioredis or
* redis. The fences are made by the first lease that enters, and are as durable as the server.
*
* @param key of the value. Whoever guards it uses the same key, with the same key prefix of the client
* @throws {TypeError | RangeError} naming what is wrong
*/
declare function redisGuard(client: RedisScripts, key: string): RedisGuard;

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
  /**
  * Executes one statement in the transaction and gives the number of changed rows, whatever the driver calls it.
  * Writing the type of `tx` here, or as `sqlGuard<Transaction>`, is what types the guard.
  */
  readonly run: (tx: Tx, sql: string, params: readonly string[]) => Promise<number>;
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

export { type Guard, type IoredisScripts, type NodeRedisScripts, type RedisGuard, type RedisScripts, type RedisValue, type RedisWork, type SqlDialect, type SqlGuardOptions, guardTable, memoryGuard, redisGuard, sqlGuard };
