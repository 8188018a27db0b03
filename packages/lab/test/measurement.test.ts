/** How a figure is judged and shown. */
import { expect, test } from 'vitest'
import { atLeast, atMost } from '../src/bench/measurement.ts'
import { checkTable, figure, figureRows } from '../src/bench/report.ts'
import { handOvers } from '../src/bench/sections.ts'

test('a figure on its limit keeps the promise, one beyond it misses it', () => {
  expect([atMost('x', 5, 5).ok, atMost('x', 5.001, 5).ok]).toEqual([true, false])
  expect([atLeast('x', 5, 5).ok, atLeast('x', 4.999, 5).ok]).toEqual([true, false])
})

test('a figure that could not be measured misses every promise', () => {
  expect([atMost('x', Number.NaN, 5).ok, atLeast('x', Number.NaN, 5).ok]).toEqual([false, false])
})

test('the table of promises names those that were missed', () => {
  const table = checkTable([atMost('quick enough', 3, 5), atMost('small enough', 7, 5)])
  expect(table).toMatch(/kept.*quick enough/)
  expect(table).toMatch(/MISSED.*small enough.*at most 5.*7/)
})

test('the table of figures has the median and both ends', () => {
  const measurement = { name: 'm', what: '', measure: () => Promise.reject(new Error('not here')) }
  const rounds = [{ oursMs: 1 }, { oursMs: 9 }, { oursMs: 2 }]
  expect(figureRows({ measurement, rounds })).toEqual([['m', 'oursMs', '2', '1', '9']])
})

test('figures are shown with three digits', () => {
  expect([0.123456, 12.3456, 1234.5, 100000].map(figure)).toEqual(['0.123', '12.3', '1,235', '100,000'])
})

test('only a change of the process is a hand-over between processes', () => {
  const first = [
    [0, 1],
    [2, 3],
    [10, 11],
  ] as const
  const second = [[7, 8]] as const
  expect(handOvers([first, second])).toEqual([4, 2])
})
