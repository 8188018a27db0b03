/** A moment as text, held against what the language itself writes. */
import { expect, test } from 'vitest'
import { momentText } from '../../src/cli/moment.ts'

const DAY_MS = 86_400_000

test('every day from 1970 to 2200 is written as the language writes it', () => {
  for (let day = 0; day < 84_000; day++) {
    const ms = day * DAY_MS + ((day * 7919) % DAY_MS)
    if (momentText(ms) !== new Date(ms).toISOString()) expect(momentText(ms)).toBe(new Date(ms).toISOString())
  }
  expect(momentText(84_000 * DAY_MS)).toBe('2199-12-26T00:00:00.000Z')
})

test('fractions of a millisecond are cut off', () => {
  expect(momentText(1999.9)).toBe('1970-01-01T00:00:01.999Z')
})
