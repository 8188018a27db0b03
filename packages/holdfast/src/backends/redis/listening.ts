/**
 * A subscription that is kept: on a connection of its own, which is opened anew when it has ended, perhaps to another
 * server. What was published meanwhile is lost, so whoever listens is told of every gap, after it is closed.
 */
import { type Clock, type Timer, within } from '../../clock.ts'
import { type MakeSpare, opened, type Spare } from './spare.ts'
import type { Subscription } from './wire.ts'

const PAUSE_MS = { first: 50, max: 1000 }
const LOOK_MS = 5000
const ANSWER_MS = 2000

export interface Listener {
  readonly channels: readonly string[]
  readonly onMessage: (message: string) => void
  readonly onGap: () => void
}

/** All subscriptions of one client. */
export class Listenings {
  readonly #clock: Clock
  readonly #make: MakeSpare
  readonly #failsOver: boolean
  readonly #open = new Set<Listening>()

  /** @param failsOver another server may become the one to listen to while this one only hangs */
  constructor(clock: Clock, make: MakeSpare, failsOver: boolean) {
    this.#clock = clock
    this.#make = make
    this.#failsOver = failsOver
  }

  get size(): number {
    return this.#open.size
  }

  async open(listener: Listener): Promise<Subscription> {
    const listening = new Listening(this.#clock, this.#make, this.#failsOver, listener)
    const close = (): void => {
      this.#open.delete(listening)
      listening.close()
    }
    this.#open.add(listening)
    try {
      await listening.open()
    } catch (error) {
      close()
      throw error
    }
    return { close: async () => close() }
  }

  close(): void {
    for (const listening of this.#open) listening.close()
    this.#open.clear()
  }
}

class Listening {
  readonly #clock: Clock
  readonly #make: MakeSpare
  readonly #failsOver: boolean
  readonly #listener: Listener
  #spare: Spare | null = null
  #timer: Timer | null = null
  #pauseMs = PAUSE_MS.first
  #closed = false

  constructor(clock: Clock, make: MakeSpare, failsOver: boolean, listener: Listener) {
    this.#clock = clock
    this.#make = make
    this.#failsOver = failsOver
    this.#listener = listener
  }

  async open(): Promise<void> {
    const spare = await opened(this.#clock, () => this.#make(null))
    this.#spare = spare
    spare.onEnd(() => this.#lost(spare))
    const { channels, onMessage } = this.#listener
    const outcome = await within(this.#clock, ANSWER_MS, spare.subscribe(channels, onMessage))
    if (outcome.kind === 'value' && !this.#closed) return this.#look(spare)
    this.#spare = null
    spare.close()
    throw outcome.kind === 'error' ? outcome.error : new Error('the subscription was not confirmed')
  }

  close(): void {
    this.#closed = true
    this.#timer?.cancel()
    this.#spare?.close()
    this.#spare = null
  }

  #lost(spare: Spare): void {
    if (this.#spare !== spare) return
    this.#spare = null
    spare.close()
    this.#later()
  }

  #later(): void {
    if (this.#closed) return
    this.#timer?.cancel()
    this.#timer = this.#clock.after(this.#pauseMs, () => void this.#again())
    this.#pauseMs = Math.min(this.#pauseMs * 2, PAUSE_MS.max)
  }

  async #again(): Promise<void> {
    try {
      await this.open()
      this.#pauseMs = PAUSE_MS.first
      this.#listener.onGap()
    } catch {
      this.#later()
    }
  }

  /** A server that hangs ends no connection, and tells nobody that another one has taken its place. */
  #look(spare: Spare): void {
    if (!this.#failsOver) return
    this.#timer?.cancel()
    this.#timer = this.#clock.after(LOOK_MS, async () => {
      const { kind } = await within(this.#clock, ANSWER_MS, spare.send(['PING']))
      if (this.#spare !== spare || this.#closed) return
      if (kind === 'value') this.#look(spare)
      else this.#lost(spare)
    })
  }
}
