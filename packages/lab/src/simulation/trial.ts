/** One seed: its history twice, which must be the same twice, and for some seeds the same operations in calm weather. */
import { planOf } from './generator.ts'
import { type Outcome, runHistory } from './history.ts'
import type { Verdict } from './verdicts.ts'

/** Every so many seeds. */
const CALM_EVERY = 10

export interface Failure {
  readonly seed: number
  readonly calm: boolean
  readonly verdicts: readonly Verdict[]
}

export interface Trial {
  readonly outcome: Outcome
  readonly failures: readonly Failure[]
}

export async function tryOut(seed: number): Promise<Trial> {
  const outcome = await runHistory(planOf(seed))
  const again = await runHistory(planOf(seed))
  const verdicts = [...outcome.verdicts]
  if (again.hash !== outcome.hash) {
    verdicts.push({ rule: 'determinism', atMs: 0, what: `two runs differ: ${outcome.hash} and ${again.hash}` })
  }
  const failures: Failure[] = verdicts.length === 0 ? [] : [{ seed, calm: false, verdicts }]
  if (seed % CALM_EVERY === 0) {
    const calm = await runHistory(planOf(seed, true))
    if (calm.verdicts.length > 0) failures.push({ seed, calm: true, verdicts: calm.verdicts })
  }
  return { outcome, failures }
}
