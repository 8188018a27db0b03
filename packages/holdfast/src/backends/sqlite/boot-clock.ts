/**
 * Time for liveness: milliseconds since the machine was started, the same in all its processes and threads, never
 * stepped, suspend included. Reading it costs several microseconds, so between readings the monotonic clock is added;
 * after a suspend the result may lag for that long. Lagging is safe: a session then seems alive a little longer, and
 * only a session that was deleted is dead to everybody.
 */
import { readFileSync } from 'node:fs'
import type { Clock } from '../../clock.ts'

/** How long the distance of the two clocks is believed. */
const BELIEVED_MS = 20

export class BootClock {
  readonly #clock: Pick<Clock, 'bootMs' | 'bootGrainMs' | 'monotonicMs'>
  #offsetMs = Number.NEGATIVE_INFINITY
  #measuredMs = Number.NEGATIVE_INFINITY

  constructor(clock: Pick<Clock, 'bootMs' | 'bootGrainMs' | 'monotonicMs'>) {
    this.#clock = clock
  }

  /** How coarse the clock is. What ends is given this much more, so that no other process sees it end early. */
  get grainMs(): number {
    return this.#clock.bootGrainMs ?? 0
  }

  nowMs(): number {
    let monotonicMs = this.#clock.monotonicMs()
    if (monotonicMs - this.#measuredMs >= BELIEVED_MS) {
      const bootMs = this.#clock.bootMs()
      // Read again behind it: a pause between the two readings must make this clock lag, never run ahead.
      monotonicMs = this.#clock.monotonicMs()
      // So each distance is too small, by the grain and the pause, and the largest one seen is the best.
      this.#offsetMs = Math.max(this.#offsetMs, bootMs - monotonicMs)
      this.#measuredMs = monotonicMs
    }
    return monotonicMs + this.#offsetMs
  }
}

/**
 * Names this start of the machine; empty where the system has no such name. There a boot clock below one that was
 * recorded in the file tells that the machine was started again.
 */
export function bootId(): string {
  if (process.platform !== 'linux') return ''
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}
