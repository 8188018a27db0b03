/** What is read from the sections that several processes tell of. */
import { expect, test } from 'vitest'
import type { Sections } from '../src/bench/redis/crowd.ts'
import { jain, lineFigures } from '../src/bench/redis/line-figures.ts'
import { figureIn, named, rowsOf } from '../src/bench/scenes.ts'

type Row = readonly [task: number, askedAtMs: number, startAtMs: number, endAtMs: number]

function told(rows: readonly Row[], unservedAtMs: readonly number[] = []): Sections {
  const column = (index: 0 | 1 | 2 | 3): readonly number[] => rows.map((row) => row[index])
  return {
    task: column(0),
    askedAtMs: column(1),
    startAtMs: column(2),
    endAtMs: column(3),
    unservedAtMs,
    drained: true,
  }
}

const terms = { tasks: 2, fromMs: 0, toMs: 100, orderMs: 0 }

test('who came first and was served first is no inversion, who was overtaken is one', () => {
  const inOrder = told([
    [0, 1, 10, 20],
    [1, 2, 20, 30],
  ])
  const overtaken = told([
    [1, 2, 10, 20],
    [0, 1, 20, 30],
  ])
  expect(lineFigures([inOrder], terms).inversions).toBe(0)
  expect(lineFigures([overtaken], terms).inversions).toBe(1)
})

test('who never got it was overtaken by all who asked later', () => {
  const rows: readonly Row[] = [
    [0, 5, 10, 20],
    [0, 20, 20, 30],
  ]
  expect(lineFigures([told(rows, [1])], terms)).toMatchObject({ inversions: 2, longestWaitMs: 99 })
})

test('between processes an order that cannot be told is no inversion', () => {
  const first = told([[0, 2, 10, 20]])
  const second = told([[0, 1, 20, 30]])
  expect(lineFigures([first, second], terms).inversions).toBe(1)
  expect(lineFigures([first, second], { ...terms, orderMs: 5 }).inversions).toBe(0)
})

test('a hand-over goes to another task, and between several processes to another process', () => {
  const rows: readonly Row[] = [
    [0, 0, 10, 20],
    [0, 20, 21, 30],
    [1, 0, 33, 40],
  ]
  expect(lineFigures([told(rows)], terms).handOverP50Us).toBe(3_000)
  const other = told([[0, 0, 47, 50]])
  expect(lineFigures([told(rows), other], terms).handOverP50Us).toBe(7_000)
})

test('the index of Jain is 1 when all have had as many and 1/n when one has had all', () => {
  expect(jain([5, 5, 5, 5], 4)).toBe(1)
  expect(jain([20], 4)).toBe(0.25)
})

test('a figure is found by its scene and contender, and a flat round has no rows', () => {
  const round = { ...named('two', 'a@b', { ms: 1 }), ...named('two', 'c', { ms: 2, jain: 1 }) }
  expect(figureIn(round, 'two', 'c', 'ms')).toBe(2)
  expect(rowsOf(round).map(({ who, figures }) => [who, figures])).toEqual([
    ['a@b', { ms: 1 }],
    ['c', { ms: 2, jain: 1 }],
  ])
  expect(rowsOf({ oursMs: 5 })).toEqual([])
})
