/** Medians and percentiles of the benchmark. */
import { expect, test } from 'vitest'
import { median, medianRound, percentile } from '../src/bench/statistics.ts'

test('a percentile is a number that was measured', () => {
  const numbers = [40, 10, 30, 20]
  expect(percentile(numbers, 50)).toBe(20)
  expect(percentile(numbers, 95)).toBe(40)
  expect(percentile(numbers, 0)).toBe(10)
  expect(numbers).toEqual([40, 10, 30, 20])
})

test('numbers are ordered by size and not as text', () => {
  expect(percentile([9, 10, 100], 50)).toBe(10)
})

test('the median of nothing is no number', () => {
  expect(median([])).toBeNaN()
})

test('the median is taken figure by figure', () => {
  const rounds = [
    { rawUs: 1, oursUs: 30 },
    { rawUs: 3, oursUs: 10 },
    { rawUs: 2, oursUs: 20 },
  ]
  expect(medianRound(rounds)).toEqual({ rawUs: 2, oursUs: 20 })
})
