/** How a command line is cut up. */
import { describe, expect, test } from 'vitest'
import { parseCommandLine, wantsJson } from '../../src/cli/arguments.ts'
import { UsageError } from '../../src/cli/usage-error.ts'

const parsed = (...words: string[]) => {
  const { command, operands, flags, rest } = parseCommandLine(words)
  return { command, operands, flags: Object.fromEntries(flags), rest }
}

describe('a command line', () => {
  test('is a command, its operands, its flags, and what stands behind "--"', () => {
    expect(parsed('run', 'nightly', '--wait', '5s', '--shared', '--', 'make', '--jobs', '--', '4')).toEqual({
      command: 'run',
      operands: ['nightly'],
      flags: { wait: '5s', shared: true },
      rest: ['make', '--jobs', '--', '4'],
    })
  })

  test('may have flags anywhere before "--", also before the command', () => {
    expect(parsed('--json', 'ls', '--ttl=2s', 'a')).toEqual({
      command: 'ls',
      operands: ['a'],
      flags: { json: true, ttl: '2s' },
      rest: null,
    })
  })

  test('with an empty word keeps it: a forgotten variable is not a forgotten argument', () => {
    expect(parsed('show', '').operands).toEqual([''])
  })

  test('with a name that objects have by birth is taken as it stands', () => {
    expect(parsed('show', '__proto__', '--namespace', 'constructor')).toMatchObject({
      operands: ['__proto__'],
      flags: { namespace: 'constructor' },
    })
  })
})

describe('a value', () => {
  test('is the next word, also when that begins with a dash', () => {
    expect(parsed('run', '--wait', '-5s').flags).toEqual({ wait: '-5s' })
    expect(parsed('run', '--wait', '--json').flags).toEqual({ wait: '--json' })
  })

  test('after "=" may be empty or hold another "="', () => {
    expect(parsed('run', '--label=', '--url=redis://h?a=b').flags).toEqual({ label: '', url: 'redis://h?a=b' })
  })
})

test.each([
  [['run', '--bogus'], 'there is no flag "--bogus"'],
  [['run', '--__proto__=1'], 'there is no flag "--__proto__"'],
  [['run', '--constructor'], 'there is no flag "--constructor"'],
  [['run', '-w', '5s'], 'there is no flag "-w"'],
  [['run', '--=5'], 'there is no flag "--"'],
  [['run', '--wait'], '--wait needs a value'],
  [['run', 'x', '--wait', '--', 'true'], '--wait needs a value'],
  [['run', '--shared=yes'], '--shared takes no value, not "yes"'],
  [['run', '--wait', '1s', '--wait', '2s'], '--wait is given twice'],
  [['ls', '--json', '--json'], '--json is given twice'],
])('%j is refused: %s', (words, message) => {
  expect(() => parseCommandLine(words)).toThrow(UsageError)
  expect(() => parseCommandLine(words)).toThrow(message)
})

test('whether JSON is wanted is known also when the rest makes no sense, but not from the words of the command to run', () => {
  expect(wantsJson(['run', '--bogus', '--json'])).toBe(true)
  expect(wantsJson(['run', 'x', '--', 'tool', '--json'])).toBe(false)
})
