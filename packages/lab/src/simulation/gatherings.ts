/**
 * Latches, barriers and cells: none opens before enough have arrived, and of all who wrote over one version of a cell
 * one has succeeded.
 */
import type { Verdicts } from './verdicts.ts'

interface Gathering {
  begun: number
  confirmed: number
  passed: number
}

export class Gatherings {
  readonly #verdicts: Verdicts
  readonly #gatherings = new Map<string, Gathering>()
  readonly #written = new Set<string>()

  constructor(verdicts: Verdicts) {
    this.#verdicts = verdicts
  }

  arrives(name: string): void {
    this.#of(name).begun++
  }
  /** The store has confirmed it. */
  arrived(name: string): void {
    this.#of(name).confirmed++
  }

  /** A latch let somebody through. */
  opened(name: string, count: number): void {
    const { begun } = this.#of(name)
    if (begun < count) this.#verdicts.wrong('latch', `${name} opened after ${begun} of ${count} arrivals`)
  }

  /**
   * A barrier let one party through: all of its generation have begun to come. Once the store has lost its data, those
   * who had not heard of it yet stand for a second time.
   */
  passed(name: string, parties: number, era: number): void {
    if (era > 0) return
    const gathering = this.#of(name)
    gathering.passed++
    const needed = Math.ceil(gathering.passed / parties) * parties
    if (gathering.begun < needed) {
      const what = `the ${gathering.passed}th passed ${name} for ${parties} after ${gathering.begun} arrivals`
      this.#verdicts.wrong('barrier', what)
    }
  }

  /** Everybody who has to come has come, so the latch must be open. */
  complete(name: string, count: number): boolean {
    return this.#of(name).confirmed >= count
  }

  /** `version` null: it was refused. A cell may not exist more than once, for a store may lose it. */
  counted(name: string, over: bigint | null, version: bigint | null): void {
    if (version === null) return
    for (const key of [`${name} as ${version}`, ...(over === null ? [] : [`${name} over ${over}`])]) {
      if (this.#written.has(key)) this.#verdicts.wrong('cell', `${key} was written twice`)
      this.#written.add(key)
    }
  }

  #of(name: string): Gathering {
    const known = this.#gatherings.get(name)
    if (known !== undefined) return known
    const gathering: Gathering = { begun: 0, confirmed: 0, passed: 0 }
    this.#gatherings.set(name, gathering)
    return gathering
  }
}
