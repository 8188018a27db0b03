/** What was found wrong in a history, and which kinds of events it had. */
import { EVENT_KINDS, type EventKind } from './observer.ts'

export interface Verdict {
  readonly rule: string
  readonly atMs: number
  readonly what: string
}

/** Enough to see what is wrong; the rest mostly follows from the first. */
const VERDICTS_MAX = 20

export class Verdicts {
  readonly list: Verdict[] = []
  readonly #counts = new Map<EventKind, number>(EVENT_KINDS.map((kind) => [kind, 0]))
  readonly #nowMs: () => number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  wrong(rule: string, what: string): void {
    const known = this.list.some((verdict) => verdict.rule === rule && verdict.what === what)
    if (!known && this.list.length < VERDICTS_MAX) this.list.push({ rule, atMs: this.#nowMs(), what })
  }

  happened(kind: EventKind): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1)
  }

  get counts(): ReadonlyMap<EventKind, number> {
    return this.#counts
  }
}
