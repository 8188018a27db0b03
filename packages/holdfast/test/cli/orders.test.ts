/** What a command line asks for, once it is found to make sense. */
import { describe, expect, test } from 'vitest'
import { parseCommandLine } from '../../src/cli/arguments.ts'
import { COMMANDS, commandOf, GENERAL_FLAGS, OWN_FLAGS, refuseForeignFlags } from '../../src/cli/command-names.ts'
import { FLAGS } from '../../src/cli/flags.ts'
import { helpText } from '../../src/cli/help.ts'
import { acquireOrder, labelFor, releaseOrder, runOrder, storeSetting } from '../../src/cli/orders.ts'

const run = (...words: string[]) => runOrder(parseCommandLine(['run', ...words]))
const setting = (words: string[], environment: Record<string, string> = {}) =>
  storeSetting(parseCommandLine(['ls', ...words]), environment)

describe('run', () => {
  test('without flags waits for half a minute, gives five seconds of grace and exits with 75 when busy', () => {
    expect(run('x', '--', 'make', '-j', '4')).toEqual({
      name: 'x',
      mode: 'exclusive',
      wait: '30s',
      maxHold: null,
      label: 'make -j 4',
      file: 'make',
      args: ['-j', '4'],
      graceMs: 5000,
      busyExitCode: 75,
    })
  })

  test('takes everything that its flags say', () => {
    expect(
      run(...'x --wait 0 --max-hold 5m --permits 2/3 --grace 7s --conflict-exit-code 0 --label L -- true'.split(' ')),
    ).toMatchObject({
      wait: 0,
      maxHold: { text: '5m', ms: 300_000 },
      mode: { permits: 2, capacity: 3 },
      graceMs: 7000,
      busyExitCode: 0,
      label: 'L',
    })
    expect(run('x', '--wait', 'forever', '--shared', '--', 'true')).toMatchObject({ wait: 'forever', mode: 'shared' })
  })

  test.each([
    [['x'], 'a command to run must stand behind "--"'],
    [['x', '--'], 'a command to run must stand behind "--"'],
    [['x', '--', ''], 'a command to run must stand behind "--"'],
    [['x', 'make', 'all'], 'the command to run must stand behind "--": -- "make" "all"'],
    [['--', 'make'], 'run needs a NAME'],
    [['x', 'y', '--', 'make'], 'run takes one NAME; "y" is too much'],
    [['x', '--shared', '--permits', '1/2', '--', 'true'], '--permits "1/2" and --shared exclude each other'],
    [['x', '--max-hold', '5s', '--grace', '5s', '--', 'true'], '--grace must be shorter than --max-hold 5s, not "5s"'],
  ])('%j is refused: %s', (words, message) => {
    expect(() => run(...words)).toThrow(message)
  })

  test('leaves the default grace to be cut by a short --max-hold', () => {
    expect(run('x', '--max-hold', '3s', '--', 'true').graceMs).toBe(5000)
  })
})

describe('acquire', () => {
  test('needs an end, for nobody renews it', () => {
    expect(() => acquireOrder(parseCommandLine(['acquire', 'x']))).toThrow('acquire needs --max-hold')
  })

  test('takes a name that begins with a dash behind "--"', () => {
    expect(acquireOrder(parseCommandLine(['acquire', '--max-hold', '1m', '--', '-x'])).name).toBe('-x')
  })
})

describe('release', () => {
  test('needs an id or force, so that nobody is ended by a slip', () => {
    expect(() => releaseOrder(parseCommandLine(['release', 'x']))).toThrow('release needs --id ID, or --force')
  })

  test('takes both', () => {
    const order = releaseOrder(parseCommandLine(['release', 'x', '--force', '--id', 'a']))
    expect(order).toEqual({ name: 'x', id: 'a', force: true })
  })
})

describe('the store', () => {
  test('is named by the flag before the variable', () => {
    expect(
      setting(['--url', 'sqlite:/a', '--namespace', 'n'], { HOLDFAST_URL: 'sqlite:/b', HOLDFAST_NAMESPACE: 'm' }),
    ).toMatchObject({ url: 'sqlite:/a', urlFrom: '--url', namespace: 'n' })
    expect(setting([], { HOLDFAST_URL: 'sqlite:/b', HOLDFAST_NAMESPACE: 'm' })).toMatchObject({
      url: 'sqlite:/b',
      urlFrom: 'HOLDFAST_URL',
      namespace: 'm',
    })
  })

  test('takes a longer ttl where the namespace was set up for one', () => {
    expect(setting(['--ttl', '5m', '--max-ttl', '10m'])).toMatchObject({ ttl: '5m', ttlMs: 300_000, maxTtl: '10m' })
  })
})

describe('a label', () => {
  test('is the command on one line, shortened to what every store keeps', () => {
    expect(labelFor(['sh', '-c', 'a\n\tb\u001b[31m'])).toBe('sh -c a b [31m')
    expect(labelFor(['x'.repeat(60)])).toBe('x'.repeat(60))
    expect(labelFor(['x'.repeat(61)])).toBe(`${'x'.repeat(60)}…`)
    expect(Buffer.byteLength(labelFor(['\u{1f512}'.repeat(1000)]) ?? '')).toBeLessThanOrEqual(256)
    expect(labelFor(['\n'])).toBeNull()
  })
})

describe('commands and flags', () => {
  test('only the five commands exist', () => {
    for (const command of COMMANDS) expect(commandOf(command)).toBe(command)
    for (const word of ['frob', 'constructor', '__proto__', '', 'RUN']) {
      expect(() => commandOf(word)).toThrow(`there is no command ${JSON.stringify(word)}`)
    }
    expect(() => commandOf(null)).toThrow('which command?')
  })

  test('a flag of another command is refused by name', () => {
    expect(() => refuseForeignFlags('ls', ['json', 'grace'])).toThrow('--grace is no flag of ls')
    expect(() => refuseForeignFlags('run', ['json', 'grace'])).not.toThrow()
  })

  test('every flag belongs to a command or to all, and the help of whom it belongs to explains it', () => {
    const known = new Set<string>(GENERAL_FLAGS)
    for (const flag of GENERAL_FLAGS) expect(helpText(null)).toContain(`--${flag}`)
    for (const command of COMMANDS) {
      for (const flag of OWN_FLAGS[command]) {
        known.add(flag)
        expect(helpText(command)).toContain(`--${flag} `)
      }
    }
    expect([...known].sort()).toEqual(Object.keys(FLAGS).sort())
  })

  test('the help fits a terminal', () => {
    for (const command of [null, ...COMMANDS]) {
      for (const line of helpText(command).split('\n')) expect(line.length).toBeLessThanOrEqual(118)
    }
  })
})
