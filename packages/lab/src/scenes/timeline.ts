/** Who did and believed what, when: what a scene leaves behind to be drawn and read. */
import { BELIEF } from '../shop/moment.ts'

export interface Happening {
  /** Since the scene began. */
  readonly atMs: number
  /** A customer, or null for the data and the weather. */
  readonly who: string | null
  readonly what: string
}

export interface Belief {
  readonly who: string
  readonly fromMs: number
  readonly toMs: number
}

/** When each believed to be alone. One that never let go believes so to the end. */
export function beliefs(happenings: readonly Happening[], endMs: number): readonly Belief[] {
  return happenings.flatMap(({ atMs, who, what }, index) => {
    if (who === null || what !== BELIEF.from) return []
    const end = happenings.slice(index).find((later) => later.who === who && ENDS.has(later.what))
    return [{ who, fromMs: atMs, toMs: end?.atMs ?? endMs }]
  })
}

const ENDS: ReadonlySet<string> = new Set([BELIEF.to, 'let go', 'is killed', 'sold', 'sold out', 'busy'])

/** How many believed it at once, at most. */
export function mostAtOnce(all: readonly Belief[]): number {
  const at = (ms: number): number => all.filter(({ fromMs, toMs }) => fromMs <= ms && ms < toMs).length
  return Math.max(0, ...all.map(({ fromMs }) => at(fromMs)))
}

/** A line for each happening. */
export function linesOf(happenings: readonly Happening[]): readonly string[] {
  const width = Math.max(4, ...happenings.map(({ who }) => (who ?? '').length))
  return happenings.map(
    ({ atMs, who, what }) => `${atMs.toFixed(0).padStart(6)} ms  ${(who ?? '').padEnd(width)}  ${what}`,
  )
}
