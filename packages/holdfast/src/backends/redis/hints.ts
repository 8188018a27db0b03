/**
 * What the server publishes for one client, over one subscription that all who listen share. What was published while
 * its connection was down is lost, so after a gap anything may have changed.
 */
import type { Subscription, Wire } from './wire.ts'

export class Hints {
  readonly #wire: Wire
  readonly #channels: readonly string[]
  readonly #onHint: (what: string | null) => void
  #listeners = 0
  #subscribing: Promise<Subscription> | null = null
  #closed = false

  constructor(wire: Wire, channels: readonly string[], onHint: (what: string | null) => void) {
    this.#wire = wire
    this.#channels = channels
    this.#onHint = onHint
  }

  async listen(): Promise<void> {
    const tell = (what: string | null): void => {
      if (!this.#closed && this.#listeners > 0) this.#onHint(what)
    }
    this.#subscribing ??= this.#wire.subscribe(this.#channels, tell, () => tell(null))
    try {
      await this.#subscribing
      this.#listeners++
    } catch (error) {
      this.#subscribing = null
      throw error
    }
  }

  /** The subscription stays: who waits again in a moment finds it open. */
  unlisten(): void {
    this.#listeners--
  }

  async close(): Promise<void> {
    this.#closed = true
    const subscription = await this.#subscribing?.catch(() => null)
    await subscription?.close()
  }
}
