/** The chapters of the suite, and how a test runner runs them against one store. */
import { describe, test, vi } from 'vitest'
import { chapters } from './chapters.ts'
import type { Chapter, Fact, Subject } from './fact.ts'
import { inWorld } from './world.ts'

/** Longer than any fact waits by itself. */
const FACT_MS_MAX = 60_000
/** Facts mostly wait. */
const TOGETHER_MAX = 12

/** @param chosen all chapters, unless others run against the same kind of store */
export function describeConformance(subject: Subject, chosen: readonly Chapter[] = chapters): void {
  vi.setConfig({ maxConcurrency: TOGETHER_MAX })
  const had = chosen.filter((chapter) => !lacking(chapter, subject))
  const groups = [had.filter(({ alone = false }) => !alone), had.filter(({ alone = false }) => alone)]
  for (const [index, group] of groups.entries()) {
    if (group.length === 0) continue
    describe(`${subject.name}${index === 0 ? '' : ', one at a time'}`, { concurrent: index === 0 }, () => {
      for (const { title, facts } of group) {
        describe(title, () => {
          for (const [sentence, fact] of Object.entries(facts)) {
            if (lacking(fact, subject)) continue
            test(sentence, { timeout: FACT_MS_MAX }, () => inSteadyWorld(subject, fact))
          }
        })
      }
    })
  }
}

function lacking({ needs = [] }: Pick<Chapter, 'needs'>, { lacks }: Subject): boolean {
  return needs.some((feature) => lacks.includes(feature))
}

/** Where a store is away for moments, a fact that met one is tried once more, in another world. */
async function inSteadyWorld(subject: Subject, fact: Fact): Promise<void> {
  for (let triesLeft = subject.shaky === true ? 3 : 0; ; triesLeft--) {
    try {
      return await inWorld(subject, fact)
    } catch (error) {
      if (
        triesLeft === 0 ||
        !/BackendUnavailableError|BACKEND_UNAVAILABLE/.test(`${error} ${(error as { code?: unknown }).code}`)
      )
        throw error
    }
  }
}
