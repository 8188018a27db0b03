/**
 * Whether every promise of the library settles by its deadline. Deadlines are kept on the clock of the process that
 * waits, and a process that stood still has a moment to work off what piled up.
 */
import type { Timer } from '../../../holdfast/src/clock.ts'
import type { Host } from './host.ts'
import type { Verdicts } from './verdicts.ts'

/** Timers have a grain, and a burst takes its time. */
const GRACE_MS = 40

export class Promises {
  readonly #verdicts: Verdicts
  readonly #open = new Set<{ readonly host: Host; readonly what: string }>()

  constructor(verdicts: Verdicts) {
    this.#verdicts = verdicts
  }

  /** What has not settled; the promises of the dead never do. */
  get open(): readonly string[] {
    return [...this.#open]
      .filter(({ host }) => !host.actor.dead)
      .map(({ host, what }) => `${what} of ${host.actor.name}`)
  }

  /**
   * Call the answer when the promise has settled. It must be called within `waitMs`, which passes by itself, and
   * `asksMs`, in which the store is asked: whoever stood still meanwhile may have yet to ask.
   */
  due(host: Host, waitMs: number, asksMs: number, what: string): () => void {
    let timer: Timer | null = null
    const { clock } = host.actor
    const check = (): void => {
      const mostMs = asksMs + host.connectMs + GRACE_MS
      const leftMs = mostMs - (clock.monotonicMs() - host.actor.wokeMs)
      if (leftMs > 0) timer = clock.aside(leftMs, check)
      else
        this.#verdicts.wrong(
          'deadline',
          `${what} of ${host.actor.name} has not settled in time (${Math.round(waitMs)} ms)`,
        )
    }
    if (waitMs !== Number.POSITIVE_INFINITY) timer = clock.aside(waitMs + asksMs + host.connectMs + GRACE_MS, check)
    const entry = { host, what }
    this.#open.add(entry)
    return () => {
      this.#open.delete(entry)
      timer?.cancel()
    }
  }
}
