/** A lease and a process group for the watch to look at, on a virtual clock. */

import type { ProcessGroup } from '../../src/cli/process-group.ts'
import type { Watched } from '../../src/cli/watch.ts'
import { LeaseLostError, type LossReason } from '../../src/errors.ts'
import type { VirtualClock } from './virtual-clock.ts'

export class FakeLease implements Watched {
  readonly #clock: VirtualClock
  readonly #loss = new AbortController()
  #endMs: number
  confirms = 0
  /** What the store answers when it is asked. */
  confirmWith: () => Promise<void> = () => Promise.resolve()
  /** As when a wall clock has stepped: not lost, but not relied on. */
  inDoubt = false

  constructor(clock: VirtualClock, validMs: number) {
    this.#clock = clock
    this.#endMs = clock.monotonicMs() + validMs
  }
  get signal(): AbortSignal {
    return this.#loss.signal
  }
  validForMs(): number {
    const leftMs = Math.max(0, this.#endMs - this.#clock.monotonicMs())
    if (leftMs === 0) this.lose('expired')
    return this.#loss.signal.aborted || this.inDoubt ? 0 : leftMs
  }
  confirm(): Promise<void> {
    this.confirms += 1
    return this.confirmWith()
  }
  renew(validMs: number): void {
    this.#endMs = this.#clock.monotonicMs() + validMs
  }
  lose(reason: LossReason): void {
    if (!this.#loss.signal.aborted) this.#loss.abort(new LeaseLostError('x', reason))
  }
}

export class FakeGroup implements ProcessGroup {
  readonly #clock: VirtualClock
  readonly #startMs: number
  /** Each signal with the milliseconds since the start. */
  readonly signals: { readonly signal: string; readonly atMs: number }[] = []
  alive = true
  diesOf: ReadonlySet<string> = new Set(['SIGKILL'])

  constructor(clock: VirtualClock) {
    this.#clock = clock
    this.#startMs = clock.monotonicMs()
  }
  signal(signal: NodeJS.Signals): boolean {
    this.signals.push({ signal, atMs: this.#clock.monotonicMs() - this.#startMs })
    if (this.diesOf.has(signal)) this.alive = false
    return true
  }
  isAlive(): boolean {
    return this.alive
  }
  /** When it was first sent; null: never. */
  at(signal: string): number | null {
    return this.signals.find((one) => one.signal === signal)?.atMs ?? null
  }
}
