/**
 * Whether fences rise: each exclusive grant's above all that were granted before it, a reader's above every earlier
 * writer's and below every later one's, and the same for each slot number of a semaphore.
 */
import type { Ground, Holding } from './beliefs.ts'
import type { Verdicts } from './verdicts.ts'

interface Record {
  writer: bigint
  reader: bigint
  /** The era of the highest one. */
  era: number
  readonly seen: Set<bigint>
}

export class Fences {
  readonly #verdicts: Verdicts
  readonly #ground: Ground
  readonly #records = new Map<string, Record>()

  constructor(verdicts: Verdicts, ground: Ground) {
    this.#verdicts = verdicts
    this.#ground = ground
  }

  granted(holding: Holding): void {
    const { fence, parent, exclusive, slot } = holding
    if (fence === null) return
    if (!(fence > 0n && fence < 2n ** 63n)) this.#wrong(holding, `${fence} is out of bounds`)
    if (parent !== null) {
      if (fence !== parent.fence) this.#wrong(holding, `${fence} is not its parent's ${parent.fence}`)
      return
    }
    const record = this.#recordOf(slot === null ? holding.resource : `${holding.resource}#${slot}`)
    const alone = exclusive || slot !== null
    if (alone && record.seen.has(fence)) this.#wrong(holding, `${fence} was given out twice`)
    record.seen.add(fence)
    if (!this.#ordered(holding, record)) return
    const least = alone && record.reader > record.writer ? record.reader : record.writer
    if (fence <= least) this.#wrong(holding, `${fence} is not above ${least}`)
    if (alone && fence > record.writer) record.writer = fence
    if (!alone && fence > record.reader) record.reader = fence
  }

  /** An answer of before a loss, or about a claim ended by force, may come after those that followed it. */
  #ordered(holding: Holding, record: Record): boolean {
    if (this.#ground.evictedMs(holding.claimId) !== undefined) return false
    const era = this.#ground.eraOf(holding.claimId)
    if (era < record.era) return false
    record.era = era
    return true
  }

  #recordOf(key: string): Record {
    const known = this.#records.get(key)
    if (known !== undefined) return known
    const record: Record = { writer: 0n, reader: 0n, era: 0, seen: new Set() }
    this.#records.set(key, record)
    return record
  }

  #wrong(holding: Holding, what: string): void {
    this.#verdicts.wrong('fence', `${holding.resource}: op ${holding.op} of ${holding.host.actor.name}: fence ${what}`)
  }
}
