/** The commands that look at a store, and those that leave a lock there. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CommandLine, type Line } from './cli/command-line.ts'

/** An id as the library makes them, of nobody. */
const NOBODY = 'aaaaaaaaaaaaaaaa.00000000'

let line: CommandLine

beforeEach(() => {
  line = new CommandLine()
})
afterEach(() => line.dispose())

const linesOf = (document: Record<string, unknown>): readonly Line[] => document.lines as readonly Line[]

describe('acquire', () => {
  test('prints the id and nothing else, and the lock outlives it', async () => {
    const { exitCode, stdout, stderr } = await line.run('acquire', 'x', '--max-hold', '5m', '--label', 'deploy')
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toMatch(/^\S+\n$/)
    const [held] = linesOf(await line.document('show', 'x'))
    expect(held).toMatchObject({ kind: 'lock', holders: [{ id: stdout.trimEnd(), label: 'deploy' }] })
    expect(await line.run('run', 'x', '--wait', '0', '--', 'true')).toMatchObject({ exitCode: 75 })
  })

  test('says in its document until when', async () => {
    const before = Date.now()
    const document = await line.document('acquire', 'x', '--max-hold', '5m')
    expect(document).toMatchObject({ outcome: 'acquired', name: 'x', fence: expect.stringMatching(/^\d+$/) })
    const until = Date.parse(String(document.until))
    expect(until).toBeGreaterThan(before + 295_000)
    expect(until).toBeLessThanOrEqual(Date.now() + 300_000)
  })

  test('ends by itself when --max-hold is over', async () => {
    await line.run('acquire', 'x', '--max-hold', '1s')
    const start = performance.now()
    expect(await line.run('run', 'x', '--wait', '10s', '--', 'true')).toMatchObject({ exitCode: 0 })
    expect(performance.now() - start).toBeLessThan(3000)
  })

  test('is busy as run is', async () => {
    await line.run('acquire', 'x', '--max-hold', '5m')
    const { exitCode, stdout, stderr } = await line.run('acquire', 'x', '--max-hold', '5m', '--wait', '0')
    expect({ exitCode, stdout }).toEqual({ exitCode: 75, stdout: '' })
    expect(stderr).toContain(`store ${line.url}`)
  })

  test('keeps no lock whose id reached nobody', async () => {
    const running = line.start('acquire', 'x', '--max-hold', '5m')
    running.process.stdout?.destroy()
    expect(await running.finished).toMatchObject({ exitCode: 74 })
    await line.untilLine('x', 0, 0)
  })

  test.each([['--shared'], ['--permits', '2/3']])(
    'takes %s as well, and release finds it by its id',
    async (...flags) => {
      const { stdout } = await line.run('acquire', 'x', '--max-hold', '5m', ...flags)
      expect(await line.run('release', 'x', '--id', stdout.trimEnd())).toMatchObject({ exitCode: 0 })
      await line.untilLine('x', 0, 0)
    },
  )
})

describe('release', () => {
  test('by id gives the lock back, once; after that the exit code says that it had ended', async () => {
    const id = (await line.run('acquire', 'x', '--max-hold', '5m')).stdout.trimEnd()
    expect(await line.run('release', 'x', '--id', id)).toEqual({ exitCode: 0, stdout: '', stderr: '' })
    expect(await line.run('run', 'x', '--wait', '0', '--', 'true')).toMatchObject({ exitCode: 0 })
    const again = await line.run('release', 'x', '--id', id)
    expect(again).toMatchObject({ exitCode: 76, stdout: '' })
    expect(again.stderr).toContain('not held by')
    expect(await line.document('release', 'x', '--id', id)).toMatchObject({
      exitCode: 76,
      outcome: 'lost',
      released: 0,
    })
  })

  test('by the id of somebody else leaves the holder', async () => {
    await line.run('acquire', 'x', '--max-hold', '5m')
    expect(await line.run('release', 'x', '--id', NOBODY)).toMatchObject({ exitCode: 76 })
    await line.untilLine('x', 1, 0)
  })

  test('by what is no id is a fault of the command line', async () => {
    const { exitCode, stderr } = await line.run('release', 'x', '--id', 'somebody')
    expect(exitCode).toBe(64)
    expect(stderr).toContain('--id must be the id of a holder, not "somebody"')
  })

  test('by force ends every holder of the name and lets the first waiter in', async () => {
    for (let reader = 0; reader < 3; reader++) await line.run('acquire', 'x', '--shared', '--max-hold', '5m')
    const waiter = line.start('run', 'x', '--wait', '30s', '--', 'echo', 'served')
    await line.untilLine('x', 3, 1)
    const { exitCode, stderr } = await line.run('release', 'x', '--force')
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: 'holdfast: 3 holders of "x" ended by force\n' })
    expect(await waiter.finished).toMatchObject({ exitCode: 0, stdout: 'served\n' })
  })

  test('by force of one id ends that holder only', async () => {
    const ids: string[] = []
    for (let reader = 0; reader < 2; reader++) {
      ids.push((await line.run('acquire', 'x', '--shared', '--max-hold', '5m')).stdout.trimEnd())
    }
    expect(await line.document('release', 'x', '--force', '--id', ids[0] ?? '')).toMatchObject({ released: 1 })
    const [held] = linesOf(await line.document('show', 'x'))
    expect(held?.holders.map(({ id }) => id)).toEqual([ids[1]])
  })

  test('by force of what nobody holds is no error', async () => {
    expect(await line.run('release', 'x', '--force')).toMatchObject({
      exitCode: 0,
      stderr: 'holdfast: nobody holds "x"\n',
    })
  })
})

describe('ls and show', () => {
  test('list what begins with the prefix, a line each with tabs, and name the store on stderr', async () => {
    for (const name of ['b:1', 'a:2', 'a:1'])
      await line.run('acquire', name, '--max-hold', '5m', '--label', `for ${name}`)
    await line.run('acquire', 'a:1', '--permits', '1/2', '--max-hold', '5m')
    const { exitCode, stdout, stderr } = await line.run('ls', 'a:')
    expect(exitCode).toBe(0)
    expect(stderr).toBe(`holdfast: store ${line.url}, namespace "default"\n`)
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((row) => row.split('\t'))
    expect(rows.map(([name, kind, holders, waiters]) => [name, kind, holders, waiters])).toEqual([
      ['a:1', 'lock', '1', '0'],
      ['a:1', 'semaphore', '1', '0'],
      ['a:2', 'lock', '1', '0'],
    ])
    expect(rows[0]?.[8]).toBe('for a:1')
    expect(linesOf(await line.document('ls')).map(({ name }) => name)).toEqual(['a:1', 'a:1', 'a:2', 'b:1'])
  })

  test('name holders and waiters in their order', async () => {
    const holder = line.start('run', 'x', '--label', 'first', '--', 'sh', '-c', 'echo in; sleep 60')
    await holder.untilSaid('in')
    const waiter = line.start('run', 'x', '--label', 'second', '--', 'true')
    await line.untilLine('x', 1, 1)
    const rows = (await line.run('show', 'x')).stdout
      .trimEnd()
      .split('\n')
      .map((row) => row.split('\t'))
    expect(rows.map(([kind, state, , , , pid, , , label]) => [kind, state, pid, label])).toEqual([
      ['lock', 'holds', String(holder.pid), 'first'],
      ['lock', 'waits', String(waiter.pid), 'second'],
    ])
    expect(rows[0]?.[3]).toMatch(/^[1-9]\d*$/)
  })

  test('of nothing say so and name the store, which is no error', async () => {
    const store = `holdfast: store ${line.url}, namespace "default"\n`
    expect(await line.run('show', 'x')).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: `holdfast: nobody holds "x"\n${store}`,
    })
    expect(await line.run('ls')).toEqual({ exitCode: 0, stdout: '', stderr: `holdfast: nothing is held\n${store}` })
    expect(await line.document('show', 'x')).toMatchObject({ lines: [] })
  })

  test('say of a detached lease that it is one and until when it lasts, and so does a busy run', async () => {
    await line.run('acquire', 'x', '--max-hold', '5m', '--label', 'deploy')
    const [held] = linesOf(await line.document('show', 'x'))
    const { until, ...holder } = held?.holders[0] ?? {}
    expect(holder).toMatchObject({ detached: true, label: 'deploy' })
    const said = [until]
    for (const words of [['ls'], ['show', 'x']]) {
      const [end, label] = (await line.run(...words)).stdout.trimEnd().split('\t').slice(-2)
      expect({ end, label }).toEqual({ end: expect.stringMatching(/ detached$/), label: 'deploy' })
      said.push(end?.split(' ')[0])
    }
    const { stderr } = await line.run('run', 'x', '--wait', '0', '--', 'true')
    const [, end] = /\(deploy\) since .*, detached, until (\S+) at the latest, id /.exec(stderr) ?? []
    for (const moment of [...said, end]) {
      const leftMs = Date.parse(moment ?? '') - Date.now()
      expect(leftMs).toBeGreaterThan(280_000)
      expect(leftMs).toBeLessThan(300_100)
    }
  })

  test('say until when a command may hold at most', async () => {
    const holder = line.start('run', 'x', '--max-hold', '5m', '--', 'sh', '-c', 'echo in; sleep 60')
    await holder.untilSaid('in')
    const [held] = linesOf(await line.document('show', 'x'))
    expect(held?.holders[0]).toMatchObject({ detached: false, until: expect.stringMatching(/Z$/) })
    expect((await line.run('run', 'x', '--wait', '0', '--', 'true')).stderr).toMatch(/, until \S+Z at the latest, id /)
  })

  test('let no control character of a name or label through, while JSON gives them back exactly', async () => {
    const name = 'a\u001b[2J\nb'
    await line.run('acquire', name, '--max-hold', '5m', '--label', 'c\u009b2J\u202e')
    for (const words of [['ls'], ['show', name], ['--json', 'ls'], ['--json', 'show', name]]) {
      const { stdout, stderr } = await line.run(...words)
      expect((stdout + stderr).replaceAll(/[\n\t]/g, '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
      expect(stdout.split('\n')).toHaveLength(2)
    }
    const [held] = linesOf(await line.document('ls'))
    expect(held).toMatchObject({ name, holders: [{ label: 'c\u009b2J\u202e' }] })
    const busy = await line.run('run', name, '--wait', '0', '--', 'true')
    expect(busy.stderr).toContain('"a\\u001b[2J\\nb" is busy')
  })

  test('in another namespace see nothing of this one', async () => {
    await line.run('acquire', 'x', '--max-hold', '5m')
    line.environment.HOLDFAST_NAMESPACE = 'other'
    expect(linesOf(await line.document('ls'))).toEqual([])
  })
})

describe('the default store', () => {
  beforeEach(() => {
    line.environment.HOLDFAST_URL = undefined
  })

  test('is a file in a folder that only its user may enter, and both ls and a busy run name it', async () => {
    const file = join(line.folder, 'state', 'holdfast', 'holdfast.db')
    await line.run('acquire', 'x', '--max-hold', '5m')
    expect(statSync(join(line.folder, 'state', 'holdfast')).mode & 0o777).toBe(0o700)
    expect(statSync(file).isFile()).toBe(true)
    expect((await line.run('ls')).stderr).toContain(`store sqlite:${file}`)
    expect((await line.run('run', 'x', '--wait', '0', '--', 'true')).stderr).toContain(`store sqlite:${file}`)
  })
})

test.each([
  ['a store', ['--url', 'sqlite:/nowhere/at/all.db', 'ls'], 'unavailable'],
  ['a flag', ['ls', '--bogus'], 'usage'],
])('with --json an error of %s is a document on stdout', async (_, words, outcome) => {
  const { stdout, stderr } = await line.run('--json', ...words)
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toMatchObject({ outcome, error: { message: expect.any(String) } })
})
