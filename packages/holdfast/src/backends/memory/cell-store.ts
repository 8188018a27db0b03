/**
 * The cells of the memory store: named values with a version, and named sets that are counted. An op id is remembered
 * past the moment after which its write is refused anyway, so a repeat never acts twice, whatever happened in between.
 */
import type { Clock } from '../../clock.ts'
import type { CellAnswer, CellValue, CellWrite, Timed } from '../../port.ts'

interface Cell extends CellValue {
  readonly endsAtMs: number
}
interface Group {
  readonly members: Set<string>
  endsAtMs: number
}
type CellOutcome = { readonly state: 'written'; readonly version: number } | { readonly state: 'refused' | 'too-late' }
interface Op {
  readonly outcome: CellOutcome
  readonly keptUntilMs: number
}

/** How long an op id is remembered after its write would be too late. */
const KEEP_MS = 60_000

export class CellStore {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #onHint: (name: string) => void
  readonly #cells = new Map<string, Cell>()
  readonly #groups = new Map<string, Group>()
  readonly #ops = new Map<string, Op>()

  constructor(clock: Pick<Clock, 'monotonicMs'>, onHint: (name: string) => void) {
    this.#clock = clock
    this.#onHint = onHint
  }

  get size(): number {
    return this.#cells.size + this.#groups.size
  }

  get(name: string): CellValue | null {
    const cell = this.#cells.get(name)
    if (cell === undefined || cell.endsAtMs <= this.#clock.monotonicMs()) return null
    return { value: cell.value, version: cell.version }
  }

  /** `number` gives the version, and is called only when something is written. */
  set(name: string, value: string, write: CellWrite, number: () => number): CellAnswer {
    const serverMs = this.#clock.monotonicMs()
    const before = this.#ops.get(write.opId)
    if (before !== undefined && before.keptUntilMs > serverMs) return { serverMs, ...before.outcome }
    if (serverMs > write.notAfterMs) return { serverMs, state: 'too-late' }
    const current = this.get(name)?.version ?? null
    const refused = write.ifVersion !== undefined && write.ifVersion !== current
    const outcome: CellOutcome = refused ? { state: 'refused' } : { state: 'written', version: number() }
    this.#ops.set(write.opId, { outcome, keptUntilMs: write.notAfterMs + KEEP_MS })
    if (outcome.state === 'written') {
      const endsAtMs = write.ttlMs === null ? Number.POSITIVE_INFINITY : serverMs + write.ttlMs
      this.#cells.set(name, { value, version: outcome.version, endsAtMs })
      this.#onHint(name)
    }
    return { serverMs, ...outcome }
  }

  add(
    name: string,
    member: string,
    terms: { readonly notAfterMs: number; readonly ttlMs: number },
  ): Timed & { readonly state: 'counted' | 'too-late'; readonly count: number } {
    const serverMs = this.#clock.monotonicMs()
    if (serverMs > terms.notAfterMs) return { serverMs, state: 'too-late', count: this.count(name) }
    let group = this.#groups.get(name)
    if (group === undefined || group.endsAtMs <= serverMs) {
      group = { members: new Set(), endsAtMs: 0 }
      this.#groups.set(name, group)
    }
    if (!group.members.has(member)) {
      group.members.add(member)
      group.endsAtMs = Math.max(group.endsAtMs, serverMs + terms.ttlMs)
      this.#onHint(name)
    }
    return { serverMs, state: 'counted', count: group.members.size }
  }

  count(name: string): number {
    const group = this.#groups.get(name)
    return group === undefined || group.endsAtMs <= this.#clock.monotonicMs() ? 0 : group.members.size
  }

  remove(name: string): void {
    const had = this.get(name) !== null || this.count(name) > 0
    this.#cells.delete(name)
    this.#groups.delete(name)
    if (had) this.#onHint(name)
  }

  /** Forgets what has ended, so that nothing stays for ever. */
  sweep(): void {
    const nowMs = this.#clock.monotonicMs()
    for (const [name, cell] of this.#cells) if (cell.endsAtMs <= nowMs) this.#cells.delete(name)
    for (const [name, group] of this.#groups) if (group.endsAtMs <= nowMs) this.#groups.delete(name)
    for (const [id, op] of this.#ops) if (op.keptUntilMs <= nowMs) this.#ops.delete(id)
  }
}
