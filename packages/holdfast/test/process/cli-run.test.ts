/** A command under a lock: what it is given, what reaches it, and whom it excludes. */
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Holdfast, holdfast } from '../../src/index.ts'
import { CommandLine, programFile } from './cli/command-line.ts'

let line: CommandLine

beforeEach(() => {
  line = new CommandLine()
})
afterEach(() => line.dispose())

const ENVIRONMENT = 'echo "$HOLDFAST_NAME|$HOLDFAST_FENCE|$HOLDFAST_DEADLINE"'

async function environmentOf(...flags: string[]): Promise<string[]> {
  const { exitCode, stdout } = await line.run('run', 'job 7', ...flags, '--', 'sh', '-c', ENVIRONMENT)
  expect(exitCode).toBe(0)
  return stdout.trimEnd().split('|')
}

describe('the environment of the command', () => {
  test('has the name and a fence that rises with each holder', async () => {
    const [name, first = ''] = await environmentOf()
    const [, second = ''] = await environmentOf()
    expect(name).toBe('job 7')
    expect(first).toMatch(/^[1-9]\d*$/)
    expect(BigInt(second)).toBeGreaterThan(BigInt(first))
    expect(BigInt(second)).toBeLessThan(2n ** 63n)
  })

  test('has the hard end as the deadline', async () => {
    const before = Date.now()
    const [, , deadline = ''] = await environmentOf('--max-hold', '5m')
    expect(new Date(deadline).toISOString()).toBe(deadline)
    expect(Date.parse(deadline) - before).toBeGreaterThan(300_000 - 100)
    expect(Date.parse(deadline) - Date.now()).toBeLessThan(300_000)
  })

  test('without a hard end has the end of what is known of the lock as the deadline', async () => {
    const before = Date.now()
    const [, , deadline = ''] = await environmentOf('--ttl', '20s')
    expect(Date.parse(deadline) - before).toBeGreaterThan(15_000)
    expect(Date.parse(deadline) - Date.now()).toBeLessThan(20_000)
  })

  test('has no fence for permits, also inside another run', async () => {
    line.environment.HOLDFAST_FENCE = '5'
    expect((await environmentOf('--permits', '1/2'))[1]).toBe('')
    expect((await environmentOf('--shared'))[1]).toMatch(/^[1-9]\d*$/)
  })
})

test('the command gets its words as they are, without a shell', async () => {
  const words = ['a b', '$HOME', '*', '', '--wait', '"', "'", '日本', '--']
  const print = 'for (const word of process.argv.slice(1)) console.log(JSON.stringify(word))'
  const { stdout } = await line.run('run', 'x', '--', process.execPath, '-e', print, '--', ...words)
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text)),
  ).toEqual(words)
})

test('holdfast itself says nothing when all went well', async () => {
  const said = await line.run('run', 'x', '--', 'sh', '-c', 'echo out; echo err >&2')
  expect(said).toEqual({ exitCode: 0, stdout: 'out\n', stderr: 'err\n' })
})

test("with --json the outcome is the last line of stderr, and stdout is the command's", async () => {
  const { stdout, stderr } = await line.run('run', 'x', '--json', '--', 'sh', '-c', 'echo out; echo err >&2; exit 3')
  expect(stdout).toBe('out\n')
  const [err, document = ''] = stderr.split('\n')
  expect(err).toBe('err')
  expect(JSON.parse(document)).toMatchObject({
    outcome: 'ran',
    exitCode: 3,
    name: 'x',
    store: line.url,
    namespace: 'default',
    fence: expect.stringMatching(/^\d+$/),
    reason: null,
    command: { exitCode: 3, signal: null, killed: false },
  })
})

test('signals reach the command and its child, each once', async () => {
  const running = line.start('run', 'x', '--', process.execPath, programFile('signal-teller.mjs'))
  await running.untilSaid('child ready')
  const signals = ['SIGINT', 'SIGTERM', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGWINCH'] as const
  for (const signal of signals) {
    running.signal(signal)
    await running.untilSaid(`parent ${signal}`)
    await running.untilSaid(`child ${signal}`)
  }
  running.signal('SIGHUP')
  const { exitCode, stdout } = await running.finished
  expect(exitCode).toBe(5)
  for (const signal of signals) expect(stdout.split(`parent ${signal}\n`)).toHaveLength(2)
})

test('the lock is given back when the command has ended, not when a ttl is over', async () => {
  const first = line.start('run', 'x', '--ttl', '1m', '--', 'sh', '-c', 'echo in; sleep 0.5')
  await first.untilSaid('in')
  const start = performance.now()
  expect(await line.run('run', 'x', '--wait', '20s', '--', 'true')).toMatchObject({ exitCode: 0 })
  expect(performance.now() - start).toBeLessThan(5000)
})

test('what a command leaves running does not hold the lock, and neither does the watchdog hold stdout', async () => {
  const start = performance.now()
  const left = await line.run('run', 'x', '--', 'sh', '-c', 'sleep 5 >&- 2>&- & echo $$')
  line.endLater(Number(left.stdout))
  expect(left).toMatchObject({ exitCode: 0 })
  expect(performance.now() - start).toBeLessThan(4000)
  expect(await line.run('run', 'x', '--wait', '0', '--', 'true')).toMatchObject({ exitCode: 0 })
})

describe('the program and code', () => {
  let locks: Holdfast

  beforeEach(() => {
    locks = holdfast(line.url, { namespace: 'default' })
  })
  afterEach(() => locks.close())

  const busy = async (...flags: string[]): Promise<boolean> => {
    const { exitCode } = await line.run('run', 'x', '--wait', '0', ...flags, '--', 'true')
    expect([0, 75]).toContain(exitCode)
    return exitCode === 75
  }

  test('exclude each other by name and namespace, and the program names the code', async () => {
    await using lease = await locks.mutex('x').acquire({ label: 'checkout' })
    const document = await line.document('run', 'x', '--wait', '0', '--', 'true')
    expect(document).toMatchObject({ exitCode: 75, holder: { pid: process.pid, label: 'checkout' } })
    expect(await busy('--shared')).toBe(true)
    expect(await busy('--namespace', 'other')).toBe(false)
    expect(await busy('--permits', '1/1')).toBe(false)
    expect(await line.run('run', 'y', '--wait', '0', '--', 'true')).toMatchObject({ exitCode: 0 })
    await lease.release()
    expect(await busy()).toBe(false)
  })

  test('exclude each other while the program holds', async () => {
    const running = line.start('run', 'x', '--', 'sh', '-c', 'echo in; sleep 60')
    await running.untilSaid('in')
    expect(await locks.mutex('x').tryAcquire()).toBeNull()
    running.signal('SIGTERM')
    await running.finished
    await using lease = await locks.mutex('x').tryAcquire()
    expect(lease).not.toBeNull()
  })

  test('share by --shared what code reads', async () => {
    await using _lease = await locks.rwlock('x').read().acquire()
    expect(await busy('--shared')).toBe(false)
    expect(await busy()).toBe(true)
  })

  test('draw from the same permits', async () => {
    await using _lease = await locks.semaphore('x', { capacity: 3 }).acquire({ permits: 2 })
    expect(await busy('--permits', '1/3')).toBe(false)
    expect(await busy('--permits', '2/3')).toBe(true)
  })
})

test('two programs at once on a store that is not there yet both run, one after the other', async () => {
  const log = join(line.folder, 'log')
  const script = `echo in >> ${log}; sleep 0.2; echo out >> ${log}`
  const all = await Promise.all([1, 2, 3].map(() => line.run('run', 'x', '--', 'sh', '-c', script)))
  expect(all.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0])
  const { stdout } = await line.run('run', 'x', '--', 'cat', log)
  expect(stdout).toBe('in\nout\n'.repeat(3))
})
