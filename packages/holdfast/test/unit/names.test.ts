/** Names: what every store can keep, and the lines that they stand for. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkName, checkText, KINDS, lineOf, NAME_BYTES_MAX, partsOf } from '../../src/names.ts'

const short = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 }).filter((text) => !text.includes('\0'))

test('a name that every store can keep is given back as it is', () => {
  const property = fc.property(short, (name) => {
    fc.pre(Buffer.byteLength(name) <= NAME_BYTES_MAX)
    expect(checkName('name', name)).toBe(name)
  })
  fc.assert(property)
})

test('a name that is accepted comes back from UTF-8 unchanged', () => {
  const property = fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (name) => {
    let accepted = false
    try {
      accepted = checkName('name', name) === name
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError)
    }
    const survives = name !== '' && !name.includes('\0') && Buffer.from(name).toString() === name
    expect(accepted).toBe(survives)
  })
  fc.assert(property, { numRuns: 2000 })
})

test('the limit is in bytes, not in characters', () => {
  expect(checkName('name', 'x'.repeat(512))).toHaveLength(512)
  expect(checkName('name', '😀'.repeat(128))).toHaveLength(256)
  expect(() => checkName('name', '😀'.repeat(129))).toThrow('name must have at most 512 bytes, not 516')
})

describe('what cannot be kept is refused, with the option and the value', () => {
  test.each([
    ['', RangeError, 'name must not be empty'],
    ['a\0b', RangeError, 'name must not contain NUL'],
    ['a\ud800', RangeError, 'well-formed'],
    ['\udc00a', RangeError, 'well-formed'],
    ['\ud800\ud800\udc00', RangeError, 'well-formed'],
    ['x'.repeat(513), RangeError, '513'],
    [5, TypeError, 'not 5'],
    [null, TypeError, 'not null'],
    [undefined, TypeError, 'undefined'],
    [{}, TypeError, 'object'],
  ])('%j', (name, kind, message) => {
    expect(() => checkName('name', name)).toThrow(kind)
    expect(() => checkName('name', name)).toThrow(message)
  })
})

test('a text may be empty, a name may not', () => {
  expect(checkText('label', '', 10)).toBe('')
  expect(() => checkText('label', 'x'.repeat(11), 10)).toThrow('label must have at most 10 bytes')
})

test('a line is told apart from every other, and taken apart again', () => {
  const property = fc.property(fc.constantFrom(...KINDS), short, fc.constantFrom(...KINDS), short, (a, one, b, two) => {
    expect(partsOf(lineOf(a, one))).toEqual({ kind: a, name: one })
    expect(lineOf(a, one) === lineOf(b, two)).toBe(a === b && one === two)
  })
  fc.assert(property)
  expect(partsOf(lineOf('lock', 'a:b:c'))).toEqual({ kind: 'lock', name: 'a:b:c' })
})
