/**
 * Notices leases that were garbage collected unreleased, gives them back and says so. Registering each lease would cost
 * more than a hand-over, so only those that live longer than a moment are registered.
 */
import type { Clock, Timer } from '../clock.ts'
import { emit } from '../events.ts'
import type { Front } from './front.ts'
import type { Grant } from './grant.ts'

const YOUNG_MS = 1000

export class LeakWatch {
  readonly #clock: Clock
  readonly #young = new Map<Grant, object>()
  readonly #registry = new FinalizationRegistry<Grant>((grant) => leaked(grant))
  #timer: Timer | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  began(lease: object, grant: Grant): void {
    this.#young.set(grant, lease)
    this.#timer ??= this.#clock.after(YOUNG_MS, () => this.#promote())
  }
  ended(grant: Grant): void {
    this.#young.delete(grant)
  }

  close(): void {
    this.#timer?.cancel()
    this.#timer = null
    this.#young.clear()
  }

  #promote(): void {
    this.#timer = null
    for (const [grant, lease] of this.#young) this.#registry.register(lease, grant)
    this.#young.clear()
  }
}

function leaked(grant: Grant): void {
  if (grant.state !== 'held' || grant.hold.claim.wish.detached) return
  const { hold, label, fence, id } = grant
  const heldMs = hold.keeper.clock.monotonicMs() - grant.sinceMs
  const { namespace } = hold.keeper.settings
  void (hold.owner as Front).release(grant)
  emit('holdfast:leak', () => ({ namespace, name: hold.name, kind: hold.kind, label, heldMs, fence, id }))
}
