/**
 * Who believes to hold what, by the clocks of its own process, and whether two beliefs contradict each other. A belief
 * is looked at whenever its holder acts, when a contradicting one begins, and when its process runs again after it
 * stood still.
 *
 * Two exceptions are documented and kept to the letter: a claim that was ended by force may be believed in until its
 * process has been told, and claims from before a loss of data that nobody held grants back for.
 */
import type { Lease } from '../../../holdfast/src/api.ts'
import { isHoldfastError } from '../../../holdfast/src/errors.ts'
import type { Host } from './host.ts'
import type { Verdicts } from './verdicts.ts'

export interface HoldingTerms {
  readonly op: number
  readonly host: Host
  readonly resource: string
  readonly lease: Omit<Lease, 'fence'>
  readonly fence: bigint | null
  readonly weight: number
  readonly capacity: number
  readonly exclusive: boolean
  readonly slot: number | null
  /** Its hard end, if it is detached. */
  readonly detachedMs: number | null
  /** The holding in which it is nested: relatives share. */
  readonly parent: Holding | null
}

export interface Holding extends HoldingTerms {
  readonly claimId: string
  readonly sinceMs: number
  over: boolean
  /** Aborted when it is lost; null until somebody asked for it. */
  signal: AbortSignal | null
  heed(): void
  /** For a detached lease whose process is gone: until when it counts. */
  untilMs: number | null
}

/** What the store did that a belief may rest on. */
export interface Ground {
  /** When the claim was ended by force, if it was. */
  evictedMs(claimId: string): number | undefined
  /** How often the store had lost its data when the claim was entered. */
  eraOf(claimId: string): number
  /** Whether grants were held back after the loss that began this era. */
  heldBack(era: number): boolean
}

export class Beliefs {
  readonly #verdicts: Verdicts
  readonly #ground: Ground
  readonly #nowMs: () => number
  readonly #resources = new Map<string, Holding[]>()

  constructor(verdicts: Verdicts, ground: Ground, nowMs: () => number) {
    this.#verdicts = verdicts
    this.#ground = ground
    this.#nowMs = nowMs
  }

  /** A lease was handed out. */
  begin(terms: HoldingTerms): Holding {
    const [claimId = ''] = terms.lease.id.split('/')
    const holding: Holding = {
      ...terms,
      claimId,
      sinceMs: this.#nowMs(),
      over: false,
      signal: null,
      heed: () => {
        holding.signal = terms.lease.signal
      },
      untilMs: null,
    }
    const others = this.#resources.get(terms.resource)
    if (others === undefined) this.#resources.set(terms.resource, [holding])
    else others.push(holding)
    terms.host.holdings.add(holding)
    this.look(holding)
    return holding
  }

  end(holding: Holding): void {
    if (holding.over) return
    holding.over = true
    holding.host.holdings.delete(holding)
    const all = this.#resources.get(holding.resource) ?? []
    all.splice(all.indexOf(holding), 1)
  }

  /** The process of a detached lease ends: whoever knows its id goes on believing in it. */
  outlive(holding: Holding, untilMs: number): void {
    holding.untilMs = untilMs
  }

  /** True: its holder believes in it now, and rightly so as far as others are concerned. */
  look(holding: Holding): boolean {
    if (!this.#believed(holding)) return false
    const others = this.#resources.get(holding.resource) ?? []
    if (others.length > 1) this.#compare(holding, others)
    return true
  }

  #compare(holding: Holding, others: readonly Holding[]): void {
    const believed = others.filter(
      (other) =>
        other !== holding && !related(other, holding) && !this.#excused(holding, other) && this.#believed(other),
    )
    for (const other of believed) {
      if (holding.exclusive || other.exclusive) this.#contradict(holding, [other], 'exclusion')
      if (holding.slot !== null && holding.slot === other.slot) this.#contradict(holding, [other], 'slot')
    }
    if (holding.exclusive) return
    const weight = believed.reduce((sum, other) => sum + other.weight, holding.weight)
    const capacity = believed.reduce((least, other) => Math.min(least, other.capacity), holding.capacity)
    if (weight > capacity) this.#contradict(holding, believed, 'capacity')
  }

  #believed(holding: Holding): boolean {
    if (holding.over) return false
    if (holding.untilMs !== null) return this.#nowMs() < holding.untilMs
    if (!holding.host.actor.runs) return false
    if (!holding.lease.isHeld()) {
      this.#unheld(holding)
      return false
    }
    this.#requireEnd(holding)
    return true
  }

  /** In doubt, or lost and told so. */
  #unheld(holding: Holding): void {
    try {
      holding.lease.assertHeld()
    } catch (error) {
      if (isHoldfastError(error, 'NOT_HELD')) this.#verdicts.happened('suspect')
      else if (holding.signal !== null && !holding.signal.aborted) {
        this.#verdicts.wrong('told', `${described(holding)} is lost and its signal is not aborted`)
      }
    }
  }

  /** What the store does not have any more is believed in for a ttl at most: then a beat has told, or none came. */
  #requireEnd(holding: Holding): void {
    const { claimId, host, detachedMs } = holding
    const endedMs = this.#ground.evictedMs(claimId)
    if (endedMs === undefined || this.#nowMs() - endedMs <= (detachedMs ?? host.ttlMs) * 1.02) return
    this.#verdicts.wrong('told', `${described(holding)} was ended by force at ${endedMs.toFixed(3)} and is believed in`)
  }

  #excused(a: Holding, b: Holding): boolean {
    if (this.#ground.evictedMs(a.claimId) !== undefined || this.#ground.evictedMs(b.claimId) !== undefined) return true
    const [eraA, eraB] = [this.#ground.eraOf(a.claimId), this.#ground.eraOf(b.claimId)]
    if (eraA === eraB) return false
    // Grants are held back for the largest ttl, which a detached claim may outlast.
    return (eraA < eraB ? a : b).detachedMs !== null || !this.#ground.heldBack(Math.max(eraA, eraB))
  }

  #contradict(holding: Holding, others: readonly Holding[], rule: string): void {
    const all = [holding, ...others].map(described).join(' and ')
    this.#verdicts.wrong(rule, `${holding.resource}: ${all} are believed in at once`)
  }
}

/** One of them is nested in the other. Siblings are not related: they exclude each other. */
function related(a: Holding, b: Holding): boolean {
  for (let up = a.parent; up !== null; up = up.parent) if (up === b) return true
  for (let up = b.parent; up !== null; up = up.parent) if (up === a) return true
  return false
}

function described({ op, host, fence, weight, capacity, slot, sinceMs }: Holding): string {
  const what = slot === null ? `${weight}/${capacity}` : `slot ${slot}`
  return `op ${op} of ${host.actor.name} (${what}, fence ${fence}, since ${sinceMs.toFixed(3)})`
}
