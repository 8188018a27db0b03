/** The program as scripts see it: one test for each way to end. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { holdfast } from '../../src/index.ts'
import { CommandLine, programFile } from './cli/command-line.ts'

let line: CommandLine

beforeEach(() => {
  line = new CommandLine()
})
afterEach(() => line.dispose())

describe('the exit code', () => {
  test.each([0, 1, 3, 75, 255])('of a command passes through: %i', async (exitCode) => {
    expect(await line.run('run', 'x', '--', 'sh', '-c', `exit ${exitCode}`)).toEqual({
      exitCode,
      stdout: '',
      stderr: '',
    })
  })

  test.each([
    ['TERM', 143],
    ['KILL', 137],
    ['USR1', 138],
  ])('of a command that SIG%s ended is %i', async (signal, exitCode) => {
    expect(await line.run('run', 'x', '--', 'sh', '-c', `kill -${signal} $$`)).toMatchObject({ exitCode, stderr: '' })
  })

  test('is 75 when the lock is busy, and the message names the holder and the store', async () => {
    const holder = line.start('run', 'x', '--label', 'nightly job', '--', 'sh', '-c', 'echo in; sleep 60')
    await holder.untilSaid('in')
    const { exitCode, stdout, stderr } = await line.run('run', 'x', '--wait', '0', '--', 'echo', 'never')
    expect({ exitCode, stdout }).toEqual({ exitCode: 75, stdout: '' })
    expect(stderr).toMatch(/"x" is busy: held by \S+ pid \d+ \(nightly job\) since \d{4}-\d\d-\d\dT/)
    expect(stderr).toContain(`pid ${holder.pid} `)
    expect(stderr).toContain(`store ${line.url}, namespace "default"`)
  })

  test('is 75 when it is still busy after the wait', async () => {
    const holder = line.start('run', 'x', '--', 'sh', '-c', 'echo in; sleep 60')
    await holder.untilSaid('in')
    const document = await line.document('run', 'x', '--wait', '300ms', '--', 'true')
    expect(document).toMatchObject({ exitCode: 75, outcome: 'busy', store: line.url, namespace: 'default' })
    expect(document.holder).toMatchObject({ pid: holder.pid, label: 'sh -c echo in; sleep 60' })
    expect(document.waitedMs).toBeGreaterThanOrEqual(300)
    expect(document.waitedMs).toBeLessThan(2000)
  })

  test.each([0, 9])('is %i instead when --conflict-exit-code says so', async (code) => {
    const holder = line.start('run', 'x', '--', 'sh', '-c', 'echo in; sleep 60')
    await holder.untilSaid('in')
    const busy = await line.run('run', 'x', '--wait', '0', '--conflict-exit-code', String(code), '--', 'true')
    expect(busy.exitCode).toBe(code)
    expect(busy.stderr).toContain('is busy')
  })

  test.each([
    [
      'a file that is no database',
      (file: string) => writeFileSync(file, 'not a database, and longer than a header is'.repeat(50)),
    ],
    ['a folder', (file: string) => mkdirSync(file)],
  ])('is 69 when the store is %s, and the message names the store', async (_, spoil) => {
    spoil(line.file)
    const { exitCode, stderr } = await line.run('run', 'x', '--wait', '2s', '--', 'true')
    expect(exitCode).toBe(69)
    expect(stderr).toContain(`store ${line.url}`)
    expect(await line.document('ls')).toMatchObject({ exitCode: 69, outcome: 'unavailable' })
  })

  test('is 69 and not 75 when the store does not answer within the wait, and comes soon after it', async () => {
    await using locks = holdfast(line.url, { namespace: 'default' })
    await using _held = await locks.mutex('other').acquire()
    const writer = line.startProgram(programFile('stopped-writer.mjs'), [line.file])
    await writer.untilSaid('until')
    const start = performance.now()
    const { exitCode, stderr } = await line.run('run', 'x', '--wait', '1s', '--ttl', '2s', '--', 'true')
    expect(exitCode).toBe(69)
    expect(stderr).toContain(`store ${line.url}`)
    expect(performance.now() - start).toBeLessThan(4000)
    writer.signal('SIGKILL')
    await writer.finished
  })

  test('is 69 when the folder of the default store cannot be made', async () => {
    writeFileSync(join(line.folder, 'state'), 'in the way')
    line.environment.HOLDFAST_URL = undefined
    expect(await line.run('ls')).toMatchObject({ exitCode: 69, stdout: '' })
  })

  test.each([
    [['run', 'x', '--wait', '-5s', '--', 'true'], '--wait must be', '"-5s"'],
    [['run', 'x', '--url', 'gopher://h', '--', 'true'], '--url "gopher://h" does not work', 'sqlite:'],
    [['run', 'x', '--url', 'memory:', '--', 'true'], '--url "memory:" does not work', 'excludes nobody'],
    [['show'], 'show needs a NAME', 'holdfast show --help'],
    [['frob'], 'there is no command "frob"', 'holdfast --help'],
    [['ls', '--grace', '5s'], '--grace is no flag of ls', 'holdfast ls --help'],
  ])('is 64 for %j', async (words, ...parts) => {
    const { exitCode, stdout, stderr } = await line.run(...words)
    expect({ exitCode, stdout }).toEqual({ exitCode: 64, stdout: '' })
    for (const part of parts) expect(stderr).toContain(part)
  })

  test('is 127 for a command that does not exist and 126 for one that cannot be executed', async () => {
    const file = join(line.folder, 'data')
    writeFileSync(file, 'x', { mode: 0o644 })
    expect(await line.run('run', 'x', '--', 'no-such-command')).toMatchObject({ exitCode: 127 })
    expect(await line.run('run', 'x', '--', file)).toMatchObject({ exitCode: 126 })
    await line.untilLine('x', 0, 0)
  })

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('is that of %s when it ends the waiting, and the line is left', async (signal, exitCode) => {
    const holder = line.start('run', 'x', '--', 'sh', '-c', 'echo in; sleep 60')
    await holder.untilSaid('in')
    const waiter = line.start('run', 'x', '--wait', 'forever', '--', 'echo', 'never')
    await line.untilLine('x', 1, 1)
    waiter.signal(signal)
    expect(await waiter.finished).toMatchObject({ exitCode, stdout: '' })
    await line.untilLine('x', 1, 0)
  })

  test('of --help and --version is 0, and of nothing at all 64', async () => {
    expect(await line.run('--help')).toMatchObject({ exitCode: 0, stderr: '' })
    expect((await line.run('run', '--help')).stdout).toContain('HOLDFAST_FENCE')
    expect((await line.run('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(await line.document('--version')).toBeDefined()
    expect(await line.run()).toMatchObject({ exitCode: 64 })
  })
})
