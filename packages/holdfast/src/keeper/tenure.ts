/**
 * Until when a session is ours, in memory that the heartbeat thread shares, so that the first instruction after a
 * stall sees the truth. Main and worker each write a record of their own (one writer a word); the later start counts.
 * What a reader would get wrong: a start is the moment *before* a request was handed over, never when it was answered.
 */
import type { Clock } from '../clock.ts'

/** The start of a confirmed stretch of session life, on all three clocks. */
export interface Start {
  readonly monotonicMs: number
  readonly wallMs: number
  readonly bootMs: number
}

export function startNow(clock: Clock): Start {
  return { monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs(), bootMs: clock.bootMs() }
}

/** `suspect`: only the wall or boot clock is past; a confirmed beat heals it. `lost`: final. */
export type Standing = 'live' | 'suspect' | 'lost'

/** Records: 0 main's, 1 the worker's. Each is a sequence count and three floats. */
const FLOATS_A_RECORD = 3
const COUNTS_BYTES = 8
export const TENURE_BYTES: number = COUNTS_BYTES + 2 * FLOATS_A_RECORD * 8
/** How long a reading of the boot clock is good while wall and monotonic clock agree. */
const BOOT_FRESH_MS = 10
/** Wall and monotonic clock are slewed apart by less than this between two looks. */
const DRIFT_MS = 5

/** The part of a ttl that a holder may believe in: 1 % for clocks of different rate, 2 ms for their grain. */
export function trustedMs(ttlMs: number): number {
  return ttlMs * 0.99 - 2
}

/** Two readings may differ by so much more than the time between them. No machine sleeps and wakes in less. */
const WALL_GRAIN_MS = 1
const BOOT_GRAIN_MS = 10
const LOOKS_MAX = 10_000
const NEVER: Start = {
  monotonicMs: Number.NEGATIVE_INFINITY,
  wallMs: Number.NEGATIVE_INFINITY,
  bootMs: Number.NEGATIVE_INFINITY,
}

/** How long after a start the next beat is sent: early enough that it is answered before a third is over. */
export function beatMs(ttlMs: number): number {
  return ttlMs * 0.3
}

/** Writes one record; given to the thread that owns it. */
export class TenureWriter {
  readonly #counts: Int32Array
  readonly #floats: Float64Array
  readonly #record: 0 | 1

  constructor(buffer: SharedArrayBuffer, record: 0 | 1) {
    this.#counts = new Int32Array(buffer, 0, 2)
    this.#floats = new Float64Array(buffer, COUNTS_BYTES, 2 * FLOATS_A_RECORD)
    this.#record = record
  }

  write(start: Start): void {
    const at = this.#record * FLOATS_A_RECORD
    Atomics.add(this.#counts, this.#record, 1)
    this.#floats[at] = start.monotonicMs
    this.#floats[at + 1] = start.wallMs
    this.#floats[at + 2] = start.bootMs
    Atomics.add(this.#counts, this.#record, 1)
  }
}

/**
 * The boot clock is dear to read (7 µs on Linux), so it is read anew only when it may have moved differently: when some
 * time went by, or when the wall clock moved against the monotonic one, as it does when the machine slept.
 */
export class BootWatch {
  readonly #clock: Clock
  #seen = { readAtMs: Number.NEGATIVE_INFINITY, offsetMs: 0, drift: 0 }

  constructor(clock: Clock) {
    this.#clock = clock
  }

  nowMs(monotonicMs: number, wallMs: number): number {
    const drift = wallMs - monotonicMs
    const seen = this.#seen
    if (monotonicMs - seen.readAtMs > BOOT_FRESH_MS || Math.abs(drift - seen.drift) > DRIFT_MS) {
      this.#seen = { readAtMs: monotonicMs, offsetMs: this.#clock.bootMs() - monotonicMs, drift }
    }
    return monotonicMs + this.#seen.offsetMs
  }

  /** What a stretch of `lengthMs` that began at `start` is by now. */
  standing(start: Start, lengthMs: number): Standing {
    const now = this.#clock.monotonicMs()
    if (!(now - start.monotonicMs <= lengthMs)) return 'lost'
    return this.#ahead(start, now) > lengthMs ? 'suspect' : 'live'
  }

  /** What is left of it by the clock that ran furthest. */
  leftMs(start: Start, lengthMs: number): number {
    const now = this.#clock.monotonicMs()
    return lengthMs - Math.max(now - start.monotonicMs, this.#ahead(start, now))
  }

  /** What has passed by the wall or the boot clock, at the least. */
  #ahead(start: Start, now: number): number {
    const wall = this.#clock.wallMs()
    return Math.max(wall - start.wallMs - WALL_GRAIN_MS, this.nowMs(now, wall) - start.bootMs - BOOT_GRAIN_MS)
  }
}

const bootWatches = new WeakMap<Clock, BootWatch>()

/** One for each clock: what is read for one session is good for the next. */
export function bootWatchOf(clock: Clock): BootWatch {
  const known = bootWatches.get(clock) ?? new BootWatch(clock)
  bootWatches.set(clock, known)
  return known
}

/** Reads both records and compares them with the clocks. */
export class Tenure {
  readonly buffer: SharedArrayBuffer
  readonly #counts: Int32Array
  readonly #floats: Float64Array
  readonly #boot: BootWatch
  readonly #trustedMs: number
  /** The last reading of each record that was whole, and the count at which it was read. */
  readonly #good: [Start, Start] = [NEVER, NEVER]
  readonly #goodAt: [number, number] = [0, 0]
  /** Without a buffer: a tenure that has not begun. */
  constructor(clock: Clock, ttlMs: number, buffer?: SharedArrayBuffer) {
    this.#boot = bootWatchOf(clock)
    this.#trustedMs = trustedMs(ttlMs)
    this.buffer = buffer ?? new SharedArrayBuffer(TENURE_BYTES)
    this.#counts = new Int32Array(this.buffer, 0, 2)
    this.#floats = new Float64Array(this.buffer, COUNTS_BYTES, 2 * FLOATS_A_RECORD)
    if (buffer === undefined) this.#floats.fill(Number.NEGATIVE_INFINITY)
  }

  /** The moment of the latest confirmed start, on the monotonic clock. */
  get startMs(): number {
    return this.#latest().monotonicMs
  }

  /** Monotonic moment until which the session is ours if no clock was stepped. */
  get untilMs(): number {
    return this.startMs + this.#trustedMs
  }

  standing(): Standing {
    return this.#boot.standing(this.#latest(), this.#trustedMs)
  }

  leftMs(): number {
    return this.#boot.leftMs(this.#latest(), this.#trustedMs)
  }

  #latest(): Start {
    const main = this.#read(0)
    const worker = this.#read(1)
    return worker.monotonicMs > main.monotonicMs ? worker : main
  }

  #read(record: 0 | 1): Start {
    const at = record * FLOATS_A_RECORD
    for (let looks = 1; ; looks++) {
      const before = Atomics.load(this.#counts, record)
      if (before === this.#goodAt[record]) return this.#good[record]
      const start = {
        monotonicMs: this.#floats[at] ?? Number.NaN,
        wallMs: this.#floats[at + 1] ?? Number.NaN,
        bootMs: this.#floats[at + 2] ?? Number.NaN,
      }
      if (before % 2 === 0 && Atomics.load(this.#counts, record) === before) {
        this.#good[record] = start
        this.#goodAt[record] = before
        return start
      }
      // The other thread is inside its three stores, which takes it nanoseconds, unless it was stopped or ended right
      // there: then what was read before stands, which is older and so on the safe side.
      if (looks === LOOKS_MAX) return this.#good[record]
    }
  }
}
