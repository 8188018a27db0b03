/** A short run of what `npm run sim` does at length: histories from seeds, twice each, and aborted takes. */
import { expect, test } from 'vitest'
import { abortEverywhere } from '../../src/simulation/aborts.ts'
import { Dice } from '../../src/simulation/dice.ts'
import { planOf } from '../../src/simulation/generator.ts'
import { runHistory } from '../../src/simulation/history.ts'
import { shrink } from '../../src/simulation/shrink.ts'
import { addOutcome, missingKinds, noSums, tableOf } from '../../src/simulation/tally.ts'
import { tryOut } from '../../src/simulation/trial.ts'
import { MUTANTS } from './mutants.ts'

test('no history of 80 seeds breaks a rule, and each runs twice in the same way', { timeout: 120_000 }, async () => {
  const sums = noSums()
  for (let seed = 1; seed <= 80; seed++) {
    const { outcome, failures } = await tryOut(seed)
    expect(failures).toEqual([])
    addOutcome(sums, outcome)
  }
  expect(sums.operations / sums.histories).toBeGreaterThanOrEqual(200)
  expect(sums.faults / sums.histories).toBeGreaterThanOrEqual(5)
})

test('a kind of event that hardly ever happens is missing from a run', async () => {
  const sums = { ...noSums(), histories: 1000 }
  expect(missingKinds(sums)).toContain('crash')
  for (let times = 0; times < 12; times++)
    addOutcome(sums, { ...(await runHistory(planOf(1))), counts: new Map([['crash', 2]]) })
  expect(missingKinds(sums)).not.toContain('crash')
  expect(tableOf(sums)).toMatch(/crash +1\.2 % +24/)
})

test('chance that enters a history from outside is found out', async () => {
  const honest = Dice.prototype.between
  Dice.prototype.between = function (from, to) {
    return honest.call(this, from, to) + Math.random() / 100
  }
  try {
    const { failures } = await tryOut(3)
    expect(failures[0]?.verdicts.map(({ rule }) => rule)).toContain('determinism')
  } finally {
    Dice.prototype.between = honest
  }
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
