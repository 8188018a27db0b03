/** Rows for people and rows for programs. */
import { describe, expect, test } from 'vitest'
import { type Style, styleOf, table } from '../../src/cli/table.ts'

const terminal: Style = { isTerminal: true, colour: false, columns: 40 }
const pipe: Style = { isTerminal: false, colour: false, columns: 80 }

describe('on a terminal', () => {
  test('columns stand below each other, also with wide characters', () => {
    expect(
      table(
        terminal,
        ['NAME', 'PID'],
        [
          ['a', '1'],
          ['日本語', '22'],
        ],
      ),
    ).toBe(['NAME    PID', 'a       1', '日本語  22', ''].join('\n'))
  })

  test('the last column is cut to the width', () => {
    const [, row = ''] = table(terminal, ['NAME', 'LABEL'], [['job', 'x'.repeat(100)]]).split('\n')
    expect(row).toBe(`job   ${'x'.repeat(33)}…`)
    expect(row).toHaveLength(40)
  })

  test('only the heading has colour, and only where colour is wanted', () => {
    const coloured = table({ ...terminal, colour: true }, ['NAME'], [['a']])
    expect(coloured).toBe('\u001b[1mNAME\u001b[22m\na\n')
    expect(table(terminal, ['NAME'], [['a']])).toBe('NAME\na\n')
  })
})

test('elsewhere a row is a line with tabs, uncut and without a heading', () => {
  expect(table(pipe, ['NAME', 'LABEL'], [['a', 'x'.repeat(100)]])).toBe(`a\t${'x'.repeat(100)}\n`)
})

test.each([terminal, pipe])('what a cell brings along cannot break the row or move the cursor: %j', (style) => {
  const text = table(style, ['NAME', 'PID'], [['a\tb\n\u001b[2J', '1']])
  expect(text).toContain('a\\u{9}b\\u{a}\\u{1b}[2J')
  expect(text).not.toContain('\u001b')
})

describe('the style', () => {
  test('is that of a terminal only on one', () => {
    expect(styleOf({ isTTY: true, columns: 100 }, {})).toEqual({ isTerminal: true, colour: true, columns: 100 })
    expect(styleOf({}, {})).toMatchObject({ isTerminal: false, colour: false })
  })

  test('has no colour where NO_COLOR says so or the terminal has none', () => {
    expect(styleOf({ isTTY: true }, { NO_COLOR: '1' })).toMatchObject({ isTerminal: true, colour: false })
    expect(styleOf({ isTTY: true }, { NO_COLOR: '' }).colour).toBe(true)
    expect(styleOf({ isTTY: true }, { TERM: 'dumb' }).colour).toBe(false)
  })
})
