/** Whether the checks of the simulation bite: each planted mistake is found within a few seeds, and none is not. */
import { describe, expect, test } from 'vitest'
import { abortEverywhere } from '../../src/simulation/aborts.ts'
import { planOf } from '../../src/simulation/generator.ts'
import { runHistory } from '../../src/simulation/history.ts'
import { MUTANTS, type Mutant } from './mutants.ts'

/** The first seed in which something is found to be wrong, and which rule it broke. */
async function find(mutant: Mutant): Promise<string | null> {
  const undo = mutant.plant()
  try {
    for (let seed = 1; seed <= mutant.seeds; seed++) {
      const found = await look(mutant, seed)
      if (found !== undefined) return `seed ${seed}: ${found}`
    }
    return null
  } finally {
    undo()
  }
}

async function look({ where, prepare }: Mutant, seed: number): Promise<string | undefined> {
  if (where === 'aborts') return (await abortEverywhere({ from: seed, count: 1 })).failures[0]
  const { verdicts } = await runHistory(planOf(seed, where === 'calm'), false, prepare === undefined ? {} : { prepare })
  return verdicts[0]?.rule
}

describe('the simulation finds that', () => {
  test.each(MUTANTS.map((mutant) => ({ mutant, name: mutant.name })))(
    '$name',
    { timeout: 120_000 },
    async ({ mutant }) => {
      const found = await find(mutant)
      console.info(`${mutant.name}: ${found ?? 'not found'}`)
      expect(found).not.toBeNull()
    },
  )
})
