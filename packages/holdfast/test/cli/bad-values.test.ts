/**
 * Every flag and every operand against texts that only look right, or that have broken programs before. A flag that is
 * not in the table fails the first test.
 */
import { describe, expect, test } from 'vitest'
import { parseCommandLine } from '../../src/cli/arguments.ts'
import { FLAGS, type FlagName } from '../../src/cli/flags.ts'
import { acquireOrder, listOrder, releaseOrder, runOrder, showOrder, storeSetting } from '../../src/cli/orders.ts'
import { openStore } from '../../src/cli/store.ts'
import { UsageError } from '../../src/cli/usage-error.ts'
import { quoted } from '../../src/cli/visible-text.ts'

const BAD = {
  NaN: 'NaN',
  minus: '-1',
  infinite: 'Infinity',
  bare: '5',
  empty: '',
  blank: '5 s',
  negative: '-5s',
  exponent: '1e3s',
  proto: '__proto__',
  nul: 'a\0b',
  surrogate: 'a\ud800',
  long: 'x'.repeat(10_000),
} as const
type Bad = keyof typeof BAD

const all = Object.keys(BAD) as Bad[]
/** What no text can be; the rest of the table is fine as a text. */
const noText: readonly Bad[] = ['empty', 'nul', 'surrogate', 'long']

/** Which texts a flag refuses. Switches refuse every value. */
const refused: Readonly<Record<FlagName, readonly Bad[]>> = {
  url: all,
  namespace: noText,
  ttl: all,
  'max-ttl': all,
  quarantine: all,
  json: all,
  help: all,
  version: all,
  wait: all,
  'max-hold': all,
  shared: all,
  permits: all,
  grace: all,
  'conflict-exit-code': all.filter((bad) => bad !== 'bare'),
  label: noText,
  id: [...noText, 'blank'],
  force: all,
}

/** A command that understands the flag, and everything that is done with its words before a store is opened. */
function check(words: readonly string[]): void {
  const line = parseCommandLine(words)
  const setting = storeSetting(line, {})
  if (line.command === 'run') runOrder(line)
  if (line.command === 'acquire') acquireOrder(line)
  if (line.command === 'release') releaseOrder(line)
  if (line.command === 'show') showOrder(line)
  if (line.command === 'ls') listOrder(line)
  if (setting.url !== null) openStore(setting)
}

const wordsFor = (flag: FlagName, value: string): string[] =>
  flag === 'id' || flag === 'force'
    ? ['release', 'x', ...(flag === 'id' ? [] : ['--id', 'a']), `--${flag}=${value}`]
    : ['run', 'x', `--${flag}=${value}`, '--', 'true']

test('the table has every flag', () => {
  expect(Object.keys(refused).sort()).toEqual(Object.keys(FLAGS).sort())
})

describe.each(Object.keys(FLAGS) as FlagName[])('--%s', (flag) => {
  test.each(all.filter((bad) => refused[flag].includes(bad)))(
    'refuses what is %s and names itself and the value',
    (bad) => {
      const words = wordsFor(flag, BAD[bad])
      expect(() => check(words)).toThrow(UsageError)
      expect(() => check(words)).toThrow(`--${flag}`)
      expect(() => check(words)).toThrow(quoted(BAD[bad]))
    },
  )

  test('takes what is left of the table', () => {
    for (const bad of all.filter((one) => !refused[flag].includes(one))) check(wordsFor(flag, BAD[bad]))
  })
})

describe.each([
  ['NAME of run', (value: string) => ['run', value, '--', 'true']],
  ['NAME of acquire', (value: string) => ['acquire', '--max-hold', '1m', '--', value]],
  ['NAME of release', (value: string) => ['release', '--force', '--', value]],
  ['NAME of show', (value: string) => ['show', '--', value]],
])('%s', (_, words) => {
  test.each(noText)('refuses what is %s', (bad) => {
    expect(() => check(words(BAD[bad]))).toThrow(/^NAME must /)
  })

  test('takes every other text', () => {
    const dashed = words('x')[0] === 'run' ? ['minus', 'negative'] : []
    for (const bad of all.filter((one) => !noText.includes(one) && !dashed.includes(one))) check(words(BAD[bad]))
  })
})

describe('PREFIX of ls', () => {
  test.each(['nul', 'surrogate', 'long'] as const)('refuses what is %s', (bad) => {
    expect(() => check(['ls', '--', BAD[bad]])).toThrow(/^NAME must /)
  })

  test('may be empty: every name begins with nothing', () => {
    expect(listOrder(parseCommandLine(['ls', '']))).toEqual({ prefix: '' })
  })
})

test.each(all.filter((bad) => bad !== 'empty'))('HOLDFAST_URL refuses what is %s and names itself', (bad) => {
  const setting = storeSetting(parseCommandLine(['ls']), { HOLDFAST_URL: BAD[bad] })
  expect(() => openStore(setting)).toThrow(UsageError)
  expect(() => openStore(setting)).toThrow('HOLDFAST_URL')
})

test.each(['nul', 'surrogate', 'long'] as const)('HOLDFAST_NAMESPACE refuses what is %s and names itself', (bad) => {
  expect(() => storeSetting(parseCommandLine(['ls']), { HOLDFAST_NAMESPACE: BAD[bad] })).toThrow(
    'HOLDFAST_NAMESPACE must',
  )
})

test('an empty variable is none', () => {
  const setting = storeSetting(parseCommandLine(['ls']), { HOLDFAST_URL: '', HOLDFAST_NAMESPACE: '' })
  expect(setting).toMatchObject({ url: null, namespace: 'default' })
})

test.each([
  ['--ttl=999ms', '--ttl must be'],
  ['--ttl=2m', '--ttl must be'],
  ['--max-ttl=11m', '--max-ttl must be'],
  ['--max-hold=0s', '--max-hold must be'],
  ['--permits=0/4', '--permits must be'],
  ['--permits=5/4', '--permits must be'],
  ['--permits=1/', '--permits must be'],
  ['--permits=01/4', '--permits must be'],
  ['--permits=1/99999999999', '--permits must be'],
  ['--conflict-exit-code=256', '--conflict-exit-code must be'],
  ['--conflict-exit-code=075', '--conflict-exit-code must be'],
  ['--wait=never', '--wait must be'],
])('%s is out of bounds: %s', (flag, message) => {
  expect(() => check(['run', 'x', flag, '--', 'true'])).toThrow(message)
})
