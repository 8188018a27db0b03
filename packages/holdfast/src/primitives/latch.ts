/**
 * The count-down latch. Arrivals are counted by their ids, so one that is repeated opens nothing early, and they belong
 * to nobody's session: a worker may die after its arrival. At zero it is open until the next new arrival, which begins
 * the next round.
 */
import type { Latch, TakeOptions } from '../api.ts'
import { BackendUnavailableError, isHoldfastError, reasonOf, WaitTimeoutError } from '../errors.ts'
import { AGAIN } from '../keeper/again.ts'
import { checkName } from '../names.ts'
import { checkWaiting, parseWait, whole } from '../options.ts'
import { patienceOf } from './defaults.ts'
import type { Home } from './home.ts'
import { repeated } from './repeated.ts'

const COUNT_MAX = 1_000_000
/** A latch that nobody touched for so long is forgotten. */
const KEPT_MS = 7 * 86_400_000

export function latch(home: Home, name: string, count: number): Latch {
  return new CountDown(home, checkName('name', name), whole('count', count, 1, COUNT_MAX))
}

class CountDown implements Latch {
  readonly #home: Home
  readonly #name: string
  readonly #count: number

  constructor(home: Home, name: string, count: number) {
    this.#home = home
    this.#name = name
    this.#count = count
  }

  async countDown(id: string): Promise<number> {
    checkName('id', id)
    const { state, count } = await repeated(this.#home, (notAfterMs) =>
      this.#home.ask((ledger) => ledger.cells.add(this.#key, id, { notAfterMs, ttlMs: KEPT_MS })),
    )
    if (state === 'counted') return this.#left(count)
    throw new BackendUnavailableError(`the arrival at latch "${this.#name}" came too late to the store each time`)
  }

  async wait(options?: TakeOptions): Promise<void> {
    const { wait, signal } = checkWaiting(options)
    const limitMs = wait === undefined ? patienceOf(this.#home) : parseWait(wait)
    const { clock } = this.#home
    const startedMs = clock.monotonicMs()
    let round: number | null = null
    let outage: unknown = null
    const look = async (): Promise<null | typeof AGAIN> => {
      try {
        const count = await this.#arrived()
        outage = null
        const rounds = Math.floor(count / this.#count)
        round ??= rounds
        return rounds > round || (count > 0 && count % this.#count === 0) ? null : AGAIN
      } catch (error) {
        if (!isHoldfastError(error, 'BACKEND_UNAVAILABLE')) throw error
        outage = error
        return AGAIN
      }
    }
    const late = (): Error => {
      const waitedMs = clock.monotonicMs() - startedMs
      if (outage === null && round !== null) return new WaitTimeoutError(this.#name, waitedMs, null)
      return new BackendUnavailableError(`latch "${this.#name}" could not be looked at: ${reasonOf(outage)}`, {
        cause: outage,
      })
    }
    await this.#home.until(this.#key, look, { signal, limitMs, late })
  }

  async remaining(): Promise<number> {
    return this.#left(await this.#arrived())
  }

  get #key(): string {
    return `latch:${this.#name}`
  }
  #arrived(): Promise<number> {
    return this.#home.ask((ledger) => ledger.cells.count(this.#key))
  }
  #left(count: number): number {
    return count > 0 && count % this.#count === 0 ? 0 : this.#count - (count % this.#count)
  }
}
