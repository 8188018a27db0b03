/** A short run of what `npm run sim` does at length: histories from seeds, twice each, and aborted takes. */
import { expect, test } from 'vitest'
import { abortEverywhere } from '../../src/simulation/aborts.ts'
import { planOf } from '../../src/simulation/generator.ts'
import { runHistory } from '../../src/simulation/history.ts'
import { shrink } from '../../src/simulation/shrink.ts'
import { addOutcome, missingKinds, noSums, tableOf } from '../../src/simulation/tally.ts'
import { tryOut } from '../../src/simulation/trial.ts'
import { MUTANTS } from './mutants.ts'

test('no history of 150 seeds breaks a rule, and each runs twice in the same way', { timeout: 120_000 }, async () => {
  const sums = noSums()
  for (let seed = 1; seed <= 150; seed++) {
    const { outcome, failures } = await tryOut(seed)
    expect(failures).toEqual([])
    addOutcome(sums, outcome)
  }
  expect(sums.operations / sums.histories).toBeGreaterThanOrEqual(200)
  expect(sums.faults / sums.histories).toBeGreaterThanOrEqual(5)
  expect([missingKinds(sums), tableOf(sums)]).toEqual([[], expect.any(String)])
})

test('another seed is another history', async () => {
  const [one, other] = [await runHistory(planOf(1)), await runHistory(planOf(2))]
  expect(one.hash).not.toBe(other.hash)
})

test('a take that is aborted at any point leaves nothing behind and wakes whoever is next', {
  timeout: 60_000,
}, async () => {
  const { failures, takes, points } = await abortEverywhere({ from: 1, count: 2 })
  expect(failures).toEqual([])
  expect(takes).toBe(2)
  expect(points).toBeGreaterThan(100)
})

test('a failing plan is made smaller and fails by the same rule', { timeout: 60_000 }, async () => {
  const mutant = MUTANTS.find(({ name }) => name === 'a local hand-over has the fence of the holder before')
  const undo = mutant?.plant() ?? (() => {})
  try {
    const plan = planOf(2)
    const small = await shrink(plan, 'fence')
    expect(small.operations.length).toBeLessThan(10)
    expect(small.faults).toEqual([])
  } finally {
    undo()
  }
})
