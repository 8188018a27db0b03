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

/** How coarse the boot clock is. A session is given this much more, so that no other process sees it end early. */
export const GRAIN_MS: number = process.platform === 'darwin' ? 1000 : 0

export class BootClock {
  readonly #clock: Pick<Clock, 'bootMs' | 'monotonicMs'>
  #offsetMs = Number.NEGATIVE_INFINITY
  #measuredMs = Number.NEGATIVE_INFINITY

  constructor(clock: Pick<Clock, 'bootMs' | 'monotonicMs'>) {
    this.#clock = clock
  }

  nowMs(): number {
    const monotonicMs = this.#clock.monotonicMs()
    if (monotonicMs - this.#measuredMs >= BELIEVED_MS) {
      // A coarse clock only ever shows too little, and the distance only grows: the largest one seen is the best.
      this.#offsetMs = Math.max(this.#offsetMs, this.#clock.bootMs() - monotonicMs)
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
