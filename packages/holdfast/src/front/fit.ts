/**
 * Whether an open claim of this process may serve the next task: the rules of the hand-over in one place, pure but for
 * the clocks.
 */
import type { Settings } from '../options.ts'
import type { Hold } from './hold.ts'
import type { Wish } from './task.ts'

/**
 * `now`: grant it. `soon`: its users must finish or an answer is on its way. `ask`: what we know of it is too old.
 * A change: it fits once the store has confirmed another end or weight. `never`: the task needs a claim of its own.
 */
export type Fit = 'now' | 'soon' | 'ask' | 'never' | { readonly maxHoldMs?: number | null; readonly weight?: number }

/** `now`: by the monotonic clock. `crowded`: tasks of this process wait in the line with claims of their own. */
export function fit(
  hold: Hold,
  wish: Wish,
  settings: Pick<Settings, 'sliceMs' | 'passes'>,
  now: number,
  crowded: boolean,
): Fit {
  if (hold.alone || hold.over || wish.alone || hold.exhausted || !alike(hold, wish)) return 'never'
  if (hold.used) {
    if (!wish.shared || !hold.shared) return exclusive(hold) ? 'soon' : 'never'
    // Readers share a claim only if no end of its own could cut one of them short.
    if (wish.maxHoldMs !== null || hold.claim.endMs !== null) return 'never'
  }
  if (hold.preparing) return 'soon'
  const lasts = hold.lasts()
  if (!lasts && hold.standing() === 'lost') return 'never'
  const budget = mayPass(hold, settings, now, crowded)
  if (budget !== 'now') return budget
  if (!lasts) return 'ask'
  return hold.used ? 'now' : ends(hold, wish, settings.sliceMs, now)
}

/** The same kind of use of the same line: a freed claim passes only to a task that it could have been made for. */
function alike(hold: Hold, wish: Wish): boolean {
  const { capacity, slot } = hold.claim.wish
  return (
    capacity === wish.capacity && slot === wish.slot && hold.shared === wish.shared && hold.claim.weight >= wish.weight
  )
}

function exclusive(hold: Hold): boolean {
  return hold.claim.weight >= hold.claim.wish.capacity
}

/** Within the budget while others wait; without bound while nobody does, but only on a fresh answer. */
function mayPass(
  hold: Hold,
  { sliceMs, passes }: Pick<Settings, 'sliceMs' | 'passes'>,
  now: number,
  crowded: boolean,
): 'now' | 'ask' | 'never' {
  if (hold.fresh) return 'now'
  const inSlice = now - hold.baseMs < sliceMs
  if (hold.claim.contended || crowded) {
    // A reader that joins would keep the claim from ever falling free.
    return inSlice && hold.passes <= passes && !hold.used ? 'now' : 'never'
  }
  return inSlice ? 'now' : 'ask'
}

/** The hard end of the claim must lie between the task's own end and one slice after it, or be none for both. */
function ends(hold: Hold, wish: Wish, sliceMs: number, now: number): Fit {
  if (hold.claim.weight > wish.weight) return { weight: wish.weight, maxHoldMs: wish.maxHoldMs }
  const { endMs } = hold.claim
  if (endMs === null && wish.maxHoldMs === null) return 'now'
  if (endMs !== null && wish.maxHoldMs !== null) {
    const ownEndMs = now + wish.maxHoldMs
    // A claim made or restamped for such a task ends as the store says, a trifle earlier by our cautious reckoning.
    const madeFor = hold.stampedMs ?? (hold.fresh ? hold.claim.wish.maxHoldMs : null)
    if (madeFor === wish.maxHoldMs) return endMs > now ? 'now' : 'never'
    if (endMs >= ownEndMs && endMs <= ownEndMs + sliceMs) return 'now'
  }
  return { maxHoldMs: wish.maxHoldMs }
}
