/**
 * One node of a quorum: a store of its own, with a time limit around every request. A node that let a request wait for
 * longer, or that cannot be reached, is away: until it answers again it is asked only once in a while, so that nothing
 * piles up before it and nobody pays for it.
 */
import type { Timer } from '../../clock.ts'
import { BackendUnavailableError, isHoldfastError } from '../../errors.ts'
import type { Ledger, LedgerSetup, Port, Timed } from '../../port.ts'
import { jittered } from '../../random.ts'

const PAUSE_MS = { first: 50, max: 2000 }
/** How often a node that could not be reached is asked. */
const PROBE_MS = 100

interface Pending {
  readonly dueMs: number
  readonly late: () => void
}

export class Node {
  readonly name: string
  /** How long a request may take. */
  limitMs: number
  /** Why the node will not do it, until it does. */
  refusal: Error | null = null
  readonly #port: Port
  readonly #setup: LedgerSetup
  /** In the order in which they run out. */
  readonly #pending = new Set<Pending>()
  #timer: Timer | null = null
  #ledger: Ledger | null = null
  #closed = false
  #away = false
  #probeAtMs = 0
  /** The node's clock minus our monotonic one, from the answer that travelled fastest lately. */
  #offsetMs = 0
  #travelMs = Number.POSITIVE_INFINITY

  constructor(name: string, port: Port, setup: LedgerSetup, limitMs: number) {
    this.name = name
    this.#port = port
    this.#setup = setup
    this.limitMs = limitMs
  }

  get connections(): number {
    return this.#ledger?.connections ?? 0
  }
  get ledger(): Ledger | null {
    return this.#ledger
  }

  /** Resolves when it is connected, or closed. Rejects with a refusal, and goes on trying all the same. */
  connect(): Promise<void> {
    return new Promise((resolve, reject) => void this.#connect(resolve, reject))
  }

  async #connect(resolve: () => void, reject: (error: unknown) => void): Promise<void> {
    for (let pauseMs = PAUSE_MS.first; !this.#closed; pauseMs = Math.min(pauseMs * 2, PAUSE_MS.max)) {
      try {
        const ledger = await this.#port.connect(this.#setup)
        if (this.#closed) await ledger.close()
        else this.#ledger = ledger
        this.refusal = null
        break
      } catch (error) {
        if (isHoldfastError(error, 'BACKEND_REFUSED')) {
          this.refusal = error
          reject(error)
        }
        await new Promise<void>((done) => this.#setup.clock.after(jittered(this.#setup.random, pauseMs), done))
      }
    }
    resolve()
  }

  /** Whether a request would be sent now. */
  get open(): boolean {
    return this.#ledger !== null && (!this.#away || this.#setup.clock.monotonicMs() >= this.#probeAtMs)
  }

  /** What the node's clock shows now, as far as answers told. */
  serverNowMs(): number {
    return this.#setup.clock.monotonicMs() + this.#offsetMs
  }

  /** @throws {BackendUnavailableError} not sent, or not answered within the limit */
  call<T>(work: (ledger: Ledger) => Promise<T>): Promise<T> {
    const ledger = this.#ledger
    if (ledger === null || !this.open) {
      const why = ledger === null ? 'is not connected' : 'does not answer'
      return Promise.reject(new BackendUnavailableError(`${this.name} ${why}`))
    }
    const sentMs = this.#setup.clock.monotonicMs()
    if (this.#away) this.#probeAtMs = sentMs + this.limitMs
    return new Promise((resolve, reject) => {
      const late = (): void => {
        this.#isAway(this.limitMs)
        reject(new BackendUnavailableError(`${this.name} gave no answer within ${Math.round(this.limitMs)} ms`))
      }
      const pending: Pending = { dueMs: sentMs + this.limitMs, late }
      this.#pending.add(pending)
      this.#arm()
      work(ledger).then(
        (value) => {
          this.#pending.delete(pending)
          this.#away = false
          this.refusal = null
          this.#noteTime(value, sentMs)
          resolve(value)
        },
        (error: unknown) => {
          this.#pending.delete(pending)
          if (isHoldfastError(error, 'BACKEND_REFUSED')) this.refusal = error
          if (isHoldfastError(error, 'BACKEND_UNAVAILABLE')) this.#isAway(Math.min(PROBE_MS, this.limitMs))
          reject(error)
        },
      )
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#timer?.cancel()
    const pending = [...this.#pending]
    this.#pending.clear()
    for (const { late } of pending) late()
    await this.#ledger?.close()
  }

  #isAway(ms: number): void {
    this.#away = true
    this.#probeAtMs = this.#setup.clock.monotonicMs() + ms
  }

  #arm(): void {
    if (this.#timer !== null || this.#closed) return
    const [first] = this.#pending
    if (first === undefined) return
    const { clock } = this.#setup
    this.#timer = clock.after(Math.max(0, first.dueMs - clock.monotonicMs()), () => this.#expire())
  }

  #expire(): void {
    this.#timer = null
    const now = this.#setup.clock.monotonicMs()
    for (const pending of this.#pending) {
      if (pending.dueMs > now) break
      this.#pending.delete(pending)
      pending.late()
    }
    this.#arm()
  }

  #noteTime(answer: unknown, sentMs: number): void {
    if (typeof answer !== 'object' || answer === null || !('serverMs' in answer)) return
    const now = this.#setup.clock.monotonicMs()
    const travelMs = now - sentMs
    const offsetMs = (answer as Timed).serverMs - now
    const stepped = Math.abs(offsetMs - this.#offsetMs) > travelMs + this.#travelMs
    if (travelMs > this.#travelMs * 2 && !stepped) return
    this.#offsetMs = offsetMs
    this.#travelMs = travelMs
  }
}
