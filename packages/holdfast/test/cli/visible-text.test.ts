/** Other people's text on a terminal and in JSON. */
import { describe, expect, test } from 'vitest'
import { clipped, columnsOf, jsonLine, quoted, visible, visibleLines } from '../../src/cli/visible-text.ts'

const HOSTILE = {
  'an escape sequence': ['a\u001b[2Jb', 'a\\u{1b}[2Jb'],
  'a bell': ['\u0007', '\\u{7}'],
  'a line break': ['a\nb\r', 'a\\u{a}b\\u{d}'],
  'a tab': ['a\tb', 'a\\u{9}b'],
  'the one-byte form of an escape sequence': ['\u009b2J', '\\u{9b}2J'],
  'a delete': ['\u007f', '\\u{7f}'],
  'what shows nothing': ['a\u200bb\u{e0041}', 'a\\u{200b}b\\u{e0041}'],
  'a turn of the direction of writing': ['a\u202eb\u2066', 'a\\u{202e}b\\u{2066}'],
  'a line separator': ['a\u2028b', 'a\\u{2028}b'],
  'half a character': ['a\ud800', 'a\\u{d800}'],
} as const

describe.each(Object.entries(HOSTILE))('%s', (_, [text, shown]) => {
  test('is written out', () => {
    expect(visible(text)).toBe(shown)
  })

  test('never reaches JSON output as it is, and is what a reader of the JSON gets', () => {
    const line = jsonLine({ text })
    expect(line).toMatch(/^[\x20-\x7e]*$/)
    expect(JSON.parse(line)).toEqual({ text })
  })
})

test('letters of all kinds stay as they are', () => {
  for (const text of ['Zürich', '日本語', 'שלום', '👩‍👩‍👧', 'a\\b"c']) {
    expect(visible(text)).toBe(text)
    expect(JSON.parse(jsonLine(text))).toBe(text)
  }
})

test('messages of our own keep their lines and nothing else', () => {
  expect(visibleLines('a\nb\u001bc\r')).toBe('a\nb\\u{1b}c\\u{d}')
})

test('a quoted value is short and on one line', () => {
  expect(quoted('a"b\n')).toBe('"a\\"b\\n"')
  expect(quoted('x'.repeat(10_000))).toBe(`"${'x'.repeat(60)}…"`)
})

test('a fence in JSON is a decimal string', () => {
  expect(jsonLine({ fence: 2n ** 63n - 1n })).toBe('{"fence":"9223372036854775807"}')
})

test('columns count what a terminal draws', () => {
  expect(columnsOf('abc')).toBe(3)
  expect(columnsOf('日本')).toBe(4)
  expect(columnsOf('é')).toBe(1)
  expect(columnsOf('🔒')).toBe(2)
})

test('a text is cut to columns with a mark that it was', () => {
  expect(clipped('abcdef', 6)).toBe('abcdef')
  expect(clipped('abcdef', 4)).toBe('abc…')
  expect(clipped('日本語', 4)).toBe('日…')
})
