/**
 * What a granted take holds: the record behind a lease. The library keeps grants, never the lease objects that users
 * hold, so that a lease that nobody has any more can be noticed. Loss is final and told once.
 */
import type { Timer } from '../clock.ts'
import { LeaseLostError, type LossReason } from '../errors.ts'
import { emit, type ReleaseEvent, wanted } from '../events.ts'
import type { Hold } from './hold.ts'
import type { Nest } from './nest.ts'

/** Local hand-overs that one claim can number. */
export const COUNT_MAX = 1023

export class Grant {
  readonly hold: Hold
  readonly count: number
  readonly label: string | null
  readonly sinceMs: number
  readonly waitedMs: number
  /** Monotonic moment of its own end; null: it has none besides its claim's. */
  readonly #ownEndMs: number | null
  /** The grant in which this one is nested. */
  readonly parent: Grant | null
  state: 'held' | 'released' | 'lost' = 'held'
  reason: LossReason | null = null
  /** Counts as a reader for the fence, also after a downgrade. */
  shared: boolean
  /** Takes of the same call chain, nested in this grant. */
  nest: Nest | null = null
  /** What this grant became by a downgrade. */
  successor: Grant | null = null
  #aborter: AbortController | null = null
  #timer: Timer | null = null

  constructor(
    hold: Hold,
    init: {
      count: number
      label: string | null
      sinceMs: number
      waitedMs: number
      endMs: number | null
      parent: Grant | null
      shared: boolean
    },
  ) {
    this.hold = hold
    this.count = init.count
    this.label = init.label
    // Whole milliseconds take no memory of their own.
    this.sinceMs = Math.floor(init.sinceMs)
    this.waitedMs = Math.round(init.waitedMs)
    this.#ownEndMs = init.endMs
    this.parent = init.parent
    this.shared = init.shared
    this.arm()
  }

  /** When it ends by the monotonic clock: with its claim at the latest, whose end may have moved. */
  get endMs(): number | null {
    const { endMs } = this.hold.claim
    if (this.#ownEndMs === null || endMs === null) return this.#ownEndMs ?? endMs
    return Math.min(this.#ownEndMs, endMs)
  }

  /** Sees to it that its end is told when it comes. */
  arm(): void {
    this.#timer?.cancel()
    const { endMs } = this
    const { clock } = this.hold.keeper
    if (endMs === null || this.state !== 'held') return
    this.#timer = clock.after(Math.max(0, endMs - clock.monotonicMs()) + 0.5, () => {
      this.check()
      // An answer may have told a later end meanwhile.
      this.arm()
    })
  }

  get fence(): bigint {
    return BigInt(this.hold.claim.seq) * 1024n + BigInt(this.count)
  }
  get id(): string {
    return this.count === 0 ? this.hold.claim.id : `${this.hold.claim.id}/${this.count}`
  }
  get signal(): AbortSignal {
    if (this.#aborter === null) {
      this.#aborter = new AbortController()
      if (this.state === 'lost') this.#aborter.abort(this.lossError())
    }
    return this.#aborter.signal
  }

  /** The truth by our clocks, in this very step. */
  check(): 'held' | 'suspect' | 'released' | 'lost' {
    if (this.state !== 'held') return this.state
    const standing = this.hold.standing()
    if (this.state !== 'held') return this.state
    const { endMs } = this
    if (endMs !== null && this.hold.keeper.clock.monotonicMs() >= endMs) {
      this.hold.expire(this)
      return this.state
    }
    return standing === 'suspect' ? 'suspect' : 'held'
  }

  validForMs(): number {
    if (this.check() !== 'held') return 0
    const own = (this.endMs ?? Number.POSITIVE_INFINITY) - this.hold.keeper.clock.monotonicMs()
    return Math.max(0, Math.min(own, this.hold.validForMs()))
  }

  lossError(settled: PromiseSettledResult<unknown> | null = null): LeaseLostError {
    const reason = this.#aborter?.signal.reason
    if (settled === null && reason instanceof LeaseLostError) return reason
    return new LeaseLostError(this.hold.name, this.reason ?? 'expired', settled)
  }

  /** Called by its hold only, once. */
  end(state: 'released' | 'lost', reason: LossReason | null): void {
    this.state = state
    this.reason = reason
    this.#timer?.cancel()
    if (state === 'released') {
      if (wanted('holdfast:release')) emit('holdfast:release', () => this.#event())
      return
    }
    emit('holdfast:lost', () => ({ ...this.#event(), reason: reason ?? 'expired' }))
    this.#aborter?.abort(this.lossError())
  }

  #event(): ReleaseEvent {
    const { hold, label, fence } = this
    const { clock, settings } = hold.keeper
    return {
      namespace: settings.namespace,
      name: hold.name,
      kind: hold.kind,
      label,
      heldMs: clock.monotonicMs() - this.sinceMs,
      fence,
    }
  }
}
