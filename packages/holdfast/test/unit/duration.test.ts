/** Lengths of time: digits, then a unit, and nothing that only looks right. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { duration, parseDuration, show } from '../../src/duration.ts'

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

test('digits and a unit are so many milliseconds', () => {
  const units = fc.constantFrom(...(Object.keys(UNITS) as (keyof typeof UNITS)[]))
  const property = fc.property(fc.nat({ max: 36_525 }), units, (count, unit) => {
    expect(parseDuration('ttl', `${count}${unit}`)).toBe(count * UNITS[unit])
    expect(duration(`${count}${unit}`)).toBe(`${count}${unit}`)
  })
  fc.assert(property)
})

describe('what only looks right is a RangeError that names option and text', () => {
  const looks = [
    ...[
      '',
      ' ',
      '5',
      '0',
      '-5s',
      '+5s',
      '1e3s',
      '0.5s',
      '1.0s',
      '.5s',
      ' 5s',
      '5s ',
      '5 s',
      '5S',
      '5sec',
      '5min',
      '5M',
    ],
    ...[
      '٥s',
      '5ｓ',
      '5s\n',
      '\n5s',
      '5s5s',
      'NaNs',
      'Infinitys',
      '0x5s',
      '5_000ms',
      '5,0s',
      's',
      'ms',
      'forever',
      '5w',
    ],
    ...['36526d', `${'9'.repeat(400)}ms`, `${'1'.repeat(20)}s`],
  ]
  test.each(looks)('%j', (text) => {
    expect(() => parseDuration('ttl', text)).toThrow(RangeError)
    expect(() => parseDuration('ttl', text)).toThrow('ttl must be')
    expect(() => parseDuration('ttl', text)).toThrow(show(text))
    expect(() => duration(text)).toThrow(RangeError)
  })
})

test.each([5, 0, Number.NaN, -1, Number.POSITIVE_INFINITY, 5n, null, undefined, true, {}, ['5s'], () => '5s'])(
  'what is no text is a TypeError: %s',
  (value) => {
    expect(() => parseDuration('ttl', value)).toThrow(TypeError)
    expect(() => parseDuration('ttl', value)).toThrow('ttl must be a duration with its unit')
  },
)

test('a value is shown on one line that is never long', () => {
  const property = fc.property(fc.anything(), (value) => {
    const shown = show(value)
    expect(shown.length).toBeLessThan(500)
    expect(shown).not.toContain('\n')
  })
  fc.assert(property)
  expect(show('x'.repeat(10_000)).length).toBeLessThan(80)
})
