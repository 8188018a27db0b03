/**
 * Makes a failing plan smaller: fewer faults, then fewer operations, as long as the same rule is broken. Each try is a
 * run of its own, in which chance falls differently, so the result is small and not the smallest.
 */
import { runHistory } from './history.ts'
import type { Plan } from './plan.ts'

const TRIES_MAX = 300

export async function shrink(plan: Plan, rule: string): Promise<Plan> {
  let tries = 0
  const fails = async (candidate: Plan): Promise<boolean> => {
    tries++
    const { verdicts } = await runHistory(candidate)
    return verdicts.some((verdict) => verdict.rule === rule)
  }
  let best = plan
  for (const part of ['faults', 'operations'] as const) {
    let size = Math.max(1, Math.ceil(best[part].length / 2))
    for (;;) {
      const shorter = await without(best, part, size, fails, () => tries < TRIES_MAX)
      if (shorter !== null) best = shorter
      else if (size === 1 || tries >= TRIES_MAX) break
      else size = Math.ceil(size / 2)
    }
  }
  return best
}

/** The plan without one stretch of `size`, if it still fails. */
async function without(
  plan: Plan,
  part: 'faults' | 'operations',
  size: number,
  fails: (candidate: Plan) => Promise<boolean>,
  more: () => boolean,
): Promise<Plan | null> {
  for (let from = 0; from < plan[part].length && more(); from += size) {
    const kept = plan[part].filter((_, index) => index < from || index >= from + size)
    const candidate = { ...plan, [part]: kept }
    if (await fails(candidate)) return candidate
  }
  return null
}
