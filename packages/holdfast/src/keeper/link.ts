/**
 * The way to the store: connects when first needed, puts a time limit of our own around every request, and knows
 * whether the last ones were answered. A driver's own "connected" is never believed.
 */
import { type Clock, within } from '../clock.ts'
import { BackendUnavailableError, ClosedError, HoldfastError, isOutage } from '../errors.ts'
import { emit } from '../events.ts'
import type { Ledger, LedgerSetup, Port, Timed } from '../port.ts'
import { type Failure, type Limited, Limits } from './limits.ts'

/** Least limit of a first connection. */
export const CONNECT_MS = 5000
const ATTEMPT_MS = 2000
/** Where some requests fail and others do not, those that fail are not sent again with each that does not. */
const RESUMED_MS = 100

/** A request, and who is told what becomes of it: one of both functions is called, once. */
export interface Asked<T> {
  readonly limitMs: number
  readonly work: (ledger: Ledger) => Promise<T>
  readonly told: (answer: T) => void
  readonly failed: (error: unknown) => void
}

export class Link {
  readonly #port: Port
  readonly #setup: LedgerSetup
  readonly #ending = new AbortController()
  readonly #clock: Clock
  readonly #limits: Limits
  #ledger: Promise<Ledger> | null = null
  #connected: Ledger | null = null
  #state: 'idle' | 'up' | 'suspended' | 'closed' = 'idle'
  /** The store's clock minus our monotonic clock, from the answer that travelled fastest lately. */
  #offsetMs = 0
  #offsetWorstMs = Number.POSITIVE_INFINITY
  knowsTime = false
  /** Told when the store answers again. */
  onResumed: () => void = () => {}
  #resumedMs = Number.NEGATIVE_INFINITY
  /** Ends a pause before its time. */
  readonly #pauses = new Set<() => void>()

  constructor(port: Port, setup: LedgerSetup) {
    this.#port = port
    this.#setup = { ...setup, signal: this.#ending.signal }
    this.#clock = setup.clock
    this.#limits = new Limits(setup.clock)
  }

  get state(): 'idle' | 'up' | 'suspended' | 'closed' {
    return this.#state
  }
  get connections(): number {
    return this.#connected?.connections ?? 0
  }
  /** The ledger, once connected. */
  get ledger(): Ledger | null {
    return this.#connected
  }

  /** Since when the oldest unanswered request waits; null: none does. */
  get silentSinceMs(): number | null {
    return this.#limits.oldestMs
  }

  /** What the store's clock shows now, as far as answers told. */
  serverNowMs(): number {
    return this.#clock.monotonicMs() + this.#offsetMs
  }

  /**
   * Sends one request and waits at most `limitMs` for its answer.
   *
   * @throws {BackendUnavailableError} no answer, and the request may still take effect
   * @throws {BackendRefusedError} it had no effect and will have none
   */
  call<T>(limitMs: number, work: (ledger: Ledger) => Promise<T>): Promise<T> {
    return new Promise((told, failed) => this.request({ limitMs, work, told, failed }))
  }

  /** As `call`, for who is told by functions: of requests there are many. */
  request<T>(asked: Asked<T>): void {
    const { limitMs, failed } = asked
    if (this.#state === 'closed') failed(new ClosedError('the Holdfast object is closed'))
    else if (this.#connected !== null) this.#send(this.#connected, asked)
    else this.#connectWithin(Math.max(limitMs, CONNECT_MS)).then((ledger) => this.#send(ledger, asked), failed)
  }

  #send<T>(ledger: Ledger, { limitMs, work, told, failed }: Asked<T>): void {
    // It may have been closed while the connection was made.
    if (this.#state === 'closed') return failed(new ClosedError('the Holdfast object is closed'))
    const sentMs = this.#clock.monotonicMs()
    this.#watch(
      limitMs,
      sentMs,
      work(ledger),
      (answer) => {
        this.#up()
        this.#noteTime(answer, sentMs)
        told(answer)
      },
      (failure) => failed(this.#failure(failure, limitMs)),
    )
  }

  /** Waits so long before something is tried again, or until the store answers again. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        timer.cancel()
        this.#pauses.delete(end)
        resolve()
      }
      const timer = this.#clock.after(ms, end)
      this.#pauses.add(end)
    })
  }

  /** A first connection may load code and make files: it has a limit of its own, and one that hangs is begun anew. */
  async #connectWithin(limitMs: number): Promise<Ledger> {
    for (let leftMs = limitMs; ; leftMs -= ATTEMPT_MS) {
      const attempt = this.connect()
      const outcome = await this.#outcome(Math.min(leftMs, ATTEMPT_MS), attempt)
      if (outcome.kind === 'value') return outcome.value
      if (outcome.kind === 'late' && this.#ledger === attempt) this.#ledger = null
      if (outcome.kind === 'error' || leftMs <= ATTEMPT_MS) throw this.#failure(outcome, limitMs)
    }
  }

  /** What came of it within the limit, or until `close`. */
  #outcome<T>(limitMs: number, work: Promise<T>): Promise<{ readonly kind: 'value'; readonly value: T } | Failure> {
    return new Promise((resolve) => {
      this.#watch(limitMs, this.#clock.monotonicMs(), work, (value) => resolve({ kind: 'value', value }), resolve)
    })
  }

  /** A request on its way keeps the process alive, but no longer than somebody waits for its answer. */
  #watch<T>(
    limitMs: number,
    sentMs: number,
    work: Promise<T>,
    told: (value: T) => void,
    fail: (failure: Failure) => void,
  ): void {
    const request: Limited = { limitMs, sentMs, fail }
    this.#limits.begin(request)
    work.then(
      (value) => {
        if (this.#limits.end(request)) told(value)
      },
      (error: unknown) => {
        if (this.#limits.end(request)) fail({ kind: 'error', error })
      },
    )
  }

  #failure(failure: Failure, limitMs: number): HoldfastError {
    const { kind } = this.#port
    const late = `the ${kind} backend gave no answer within ${Math.round(limitMs)} ms`
    const error = failure.kind === 'late' ? new BackendUnavailableError(late) : typed(failure.error, kind)
    if (isOutage(error)) this.#down(error.message)
    return error
  }

  connect(): Promise<Ledger> {
    if (this.#ledger !== null) return this.#ledger
    const sentMs = this.#clock.monotonicMs()
    const attempt = this.#port.connect(this.#setup).then(
      (ledger) => {
        // A connection that comes late is of use only if there is none yet.
        const over = this.#state === 'closed'
        if (over || this.#connected !== null) void ledger.close()
        if (over) throw new ClosedError('the Holdfast object is closed')
        this.#connected ??= ledger
        this.#noteTime(ledger.greeting, sentMs)
        return this.#connected
      },
      (error: unknown) => {
        if (this.#ledger === attempt) this.#ledger = null
        throw error
      },
    )
    this.#ledger = attempt
    return attempt
  }

  async close(limitMs: number): Promise<void> {
    this.#state = 'closed'
    const ledger = this.#connected
    if (ledger === null) this.#ending.abort()
    this.#limits.close(new ClosedError('the Holdfast object is closed'))
    if (ledger !== null) await within(this.#clock, limitMs, ledger.close())
  }

  #up(): void {
    const resumed = this.#state === 'suspended'
    if (this.#state !== 'closed') this.#state = 'up'
    if (!resumed) return
    this.#tell('resumed', null)
    const now = this.#clock.monotonicMs()
    if (now - this.#resumedMs < RESUMED_MS) return
    this.#resumedMs = now
    this.onResumed()
    for (const end of [...this.#pauses]) end()
  }

  #down(detail: string): void {
    if (this.#state === 'closed' || this.#state === 'suspended') return
    this.#state = 'suspended'
    this.#tell('suspended', detail)
  }

  #tell(state: 'suspended' | 'resumed', detail: string | null): void {
    emit('holdfast:session', () => ({
      namespace: this.#setup.namespace,
      state,
      lateByMs: 0,
      placesLost: 0,
      heartbeat: null,
      detail,
    }))
  }

  /** Keeps the estimate of the fastest answer; a slower one replaces it when the clocks may have drifted since. */
  #noteTime(answer: unknown, sentMs: number): void {
    if (typeof answer !== 'object' || answer === null || !('serverMs' in answer)) return
    const now = this.#clock.monotonicMs()
    const travelMs = now - sentMs
    const offsetMs = (answer as Timed).serverMs - now
    const stepped = Math.abs(offsetMs - this.#offsetMs) > travelMs + this.#offsetWorstMs
    if (travelMs > this.#offsetWorstMs * 2 && !stepped) return
    this.knowsTime = true
    this.#offsetMs = offsetMs
    this.#offsetWorstMs = travelMs
  }
}

/** What comes out of a backend is ours already, or becomes an outage with its cause. */
function typed(error: unknown, kind: string): HoldfastError {
  if (error instanceof HoldfastError) return error
  const detail = error instanceof Error ? error.message : String(error)
  return new BackendUnavailableError(`the ${kind} backend failed: ${detail}`, { cause: error })
}
