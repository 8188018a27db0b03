/**
 * What happened, as a running hash and, when asked for, as lines for people. Two runs of one seed must end with the
 * same hash; ids, the names of this machine and real time are kept out of it.
 */

const LINES_MAX = 20_000

export class Trace {
  readonly #keep: boolean
  readonly lines: string[] = []
  #high = 0x811c9dc5
  #low = 0x1b873593
  events = 0

  constructor(keepLines: boolean) {
    this.#keep = keepLines
  }

  get hash(): string {
    return (this.#high >>> 0).toString(16).padStart(8, '0') + (this.#low >>> 0).toString(16).padStart(8, '0')
  }

  /** `what` is built only when lines are kept. */
  note(atMs: number, who: number, kind: number, what: () => string): void {
    this.events++
    const micros = Math.round(atMs * 1000)
    this.#mix(micros | 0)
    this.#mix((Math.floor(micros / 2 ** 32) ^ (who << 16) ^ (kind << 24)) | 0)
    if (this.#keep && this.lines.length < LINES_MAX) this.lines.push(`${atMs.toFixed(3).padStart(11)}  ${what()}`)
  }

  text(value: string): void {
    for (let at = 0; at < value.length; at++) this.#mix(value.charCodeAt(at))
  }

  #mix(word: number): void {
    this.#high = Math.imul(this.#high ^ word, 0x01000193)
    this.#low = Math.imul(this.#low ^ (word + this.#high), 0x85ebca6b) ^ (this.#low >>> 15)
  }
}
