/**
 * The lock ends before the command does. Every command here is a process with a child, neither of which obeys SIGTERM;
 * what is asserted is when both were last seen to live, on the clock that all processes of the machine share.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CommandLine, nowMs, programFile, type Running } from './cli/command-line.ts'
import { Family } from './cli/family.ts'

const TTL_MS = 2000
const BEAT_MS = TTL_MS / 3
/** What counts of the default grace at this ttl. */
const GRACE_MS = TTL_MS / 3

let line: CommandLine
let family: Family

beforeEach(() => {
  line = new CommandLine()
  family = new Family(line, ['SIGTERM'])
})
afterEach(() => line.dispose())

async function started(...flags: string[]): Promise<Running> {
  const running = line.start('run', 'x', '--ttl', '2s', ...flags, '--', ...family.words)
  await family.bothLive()
  return running
}

function lastMs(): number {
  return Math.max(family.lastMs('parent'), family.lastMs('child'))
}

async function bothSilent(): Promise<boolean> {
  return (await family.isSilent('parent')) && (await family.isSilent('child'))
}

describe('released by force', () => {
  test('the command is told within a beat, and it and its child are killed after the grace', async () => {
    const holder = await started()
    const before = nowMs()
    expect(await line.document('release', 'x', '--force')).toMatchObject({ exitCode: 0, released: 1 })
    const after = nowMs()
    const { exitCode, stderr } = await holder.finished
    expect(exitCode).toBe(76)
    expect(stderr).toContain('"x" was lost, it was released by force')
    expect(await bothSilent()).toBe(true)
    const [told = Number.NaN] = family.toldMs('parent', 'SIGTERM')
    expect(told).toBeGreaterThan(before)
    expect(told - after).toBeLessThan(BEAT_MS + 100)
    expect(family.toldMs('child', 'SIGTERM')).toHaveLength(1)
    expect(lastMs() - told).toBeLessThan(GRACE_MS + 100)
    expect(lastMs() - after).toBeLessThan(BEAT_MS + GRACE_MS + 200)
  })

  test('by the id of another nothing happens to the command', async () => {
    const holder = await started()
    expect(await line.document('release', 'x', '--force', '--id', 'nobody')).toMatchObject({
      exitCode: 76,
      released: 0,
    })
    await pause(2 * BEAT_MS)
    expect(await bothSilent()).toBe(false)
    holder.signal('SIGHUP')
    expect(await holder.finished).toMatchObject({ exitCode: 129 })
  })
})

describe('a writer stopped inside a transaction on the store', () => {
  test('has the command told and killed, its child too, before the lock can be given to anybody', async () => {
    const holder = await started()
    const next = new Family(line, [], 'next')
    const waiter = line.start('run', 'x', '--ttl', '2s', '--wait', '1m', '--', ...next.words)
    await line.untilLine('x', 1, 1)
    const writer = line.startProgram(programFile('stopped-writer.mjs'), [line.file])
    const endMs = Number((await writer.untilSaid('until')).split(' ')[1])
    const { exitCode, stderr } = await holder.finished
    expect(exitCode).toBe(76)
    expect(stderr).toContain('could not be renewed in time')
    expect(lastMs()).toBeLessThan(endMs)
    // Not much earlier either: the time until then belongs to the command.
    expect(lastMs()).toBeGreaterThan(endMs - 400)
    expect(await bothSilent()).toBe(true)
    const [told = Number.NaN] = family.toldMs('parent', 'SIGTERM')
    expect(lastMs() - told).toBeGreaterThan(GRACE_MS / 2)
    writer.signal('SIGKILL')
    await next.bothLive()
    expect(next.startMs('parent')).toBeGreaterThan(lastMs())
    waiter.signal('SIGTERM')
    expect(await waiter.finished).toMatchObject({ exitCode: 143 })
  })

  test('that goes on in time costs nothing', async () => {
    const holder = await started()
    const writer = line.startProgram(programFile('stopped-writer.mjs'), [line.file])
    await writer.untilSaid('until')
    await pause(BEAT_MS / 2)
    writer.signal('SIGCONT')
    await writer.finished
    await pause(TTL_MS)
    expect(family.toldMs('parent', 'SIGTERM')).toEqual([])
    holder.signal('SIGHUP')
    expect(await holder.finished).toMatchObject({ exitCode: 129 })
  })
})

describe('--max-hold', () => {
  test('ends the command and its child before so much time is over, after the grace', async () => {
    const start = nowMs()
    const holder = line.start('run', 'x', '--ttl', '2s', '--max-hold', '3s', '--grace', '500ms', '--', ...family.words)
    await family.bothLive()
    const { exitCode, stderr } = await holder.finished
    expect(exitCode).toBe(76)
    expect(stderr).toContain('"x" was lost, its --max-hold is over')
    const [told = Number.NaN] = family.toldMs('parent', 'SIGTERM')
    expect(lastMs() - told).toBeGreaterThan(300)
    expect(lastMs() - told).toBeLessThan(500)
    expect(lastMs() - start).toBeGreaterThan(2500)
    expect(lastMs()).toBeLessThan(family.startMs('parent') + 3000)
    expect(await bothSilent()).toBe(true)
  })

  test('is no concern of a command that ends before', async () => {
    expect(await line.run('run', 'x', '--max-hold', '1m', '--', 'true')).toMatchObject({ exitCode: 0, stderr: '' })
  })
})

describe('holdfast itself', () => {
  test('killed: the command and its child are told at once and gone before the lock is', async () => {
    const holder = await started()
    holder.signal('SIGKILL')
    const killed = nowMs()
    const next = new Family(line, [], 'next')
    const waiter = line.start('run', 'x', '--wait', '1m', '--', ...next.words)
    await next.bothLive()
    const [told = Number.NaN] = family.toldMs('parent', 'SIGTERM')
    expect(told - killed).toBeLessThan(200)
    expect(lastMs() - killed).toBeLessThan(GRACE_MS + 200)
    expect(next.startMs('parent')).toBeGreaterThan(lastMs())
    waiter.signal('SIGTERM')
    await waiter.finished
  })

  test('stopped: the command and its child are gone before the lock is, and it says so when it goes on', async () => {
    const holder = await started()
    const stopped = nowMs()
    holder.signal('SIGSTOP')
    const next = new Family(line, [], 'next')
    const waiter = line.start('run', 'x', '--wait', '1m', '--', ...next.words)
    await next.bothLive()
    expect(lastMs() - stopped).toBeLessThan(TTL_MS)
    expect(family.toldMs('parent', 'SIGTERM')).toHaveLength(1)
    expect(next.startMs('parent')).toBeGreaterThan(lastMs())
    holder.signal('SIGCONT')
    expect(await holder.finished).toMatchObject({ exitCode: 76 })
    waiter.signal('SIGTERM')
    await waiter.finished
  })

  test('stopped by Ctrl-Z stops the command and its child, and goes on with them', async () => {
    const holder = await started()
    holder.signal('SIGTSTP')
    await pause(100)
    expect(await bothSilent()).toBe(true)
    holder.signal('SIGCONT')
    await pause(100)
    expect(await bothSilent()).toBe(false)
    expect(family.toldMs('parent', 'SIGTERM')).toEqual([])
    holder.signal('SIGHUP')
    expect(await holder.finished).toMatchObject({ exitCode: 129 })
  })

  test('stopped by Ctrl-Z for longer than the ttl: the command and its child are gone before the lock is', async () => {
    const holder = await started()
    const stopped = nowMs()
    holder.signal('SIGTSTP')
    const next = new Family(line, [], 'next')
    const waiter = line.start('run', 'x', '--wait', '1m', '--', ...next.words)
    await next.bothLive()
    expect(lastMs() - stopped).toBeLessThan(TTL_MS)
    expect(next.startMs('parent')).toBeGreaterThan(lastMs())
    holder.signal('SIGCONT')
    expect(await holder.finished).toMatchObject({ exitCode: 76 })
    waiter.signal('SIGTERM')
    await waiter.finished
  })
})

test('a command that ends when it is told has its own grace to do so', async () => {
  const script = `trap 'echo cleaning; sleep 0.2; echo clean; exit 3' TERM; echo in; while :; do sleep 0.02; done`
  const holder = line.start('run', 'x', '--ttl', '2s', '--', 'sh', '-c', script)
  await holder.untilSaid('in')
  await line.run('release', 'x', '--force')
  const { exitCode, stdout, stderr } = await holder.finished
  expect({ exitCode, stdout }).toEqual({ exitCode: 76, stdout: 'in\ncleaning\nclean\n' })
  expect(stderr).toContain('the command exited with 3 when told to end')
})

test('a child that outlives the command is killed as well when the lock is lost', async () => {
  const script = `trap 'exit 0' TERM; "$@" & echo in; wait`
  const holder = line.start('run', 'x', '--ttl', '2s', '--', 'sh', '-c', script, 'sh', ...family.words)
  await holder.untilSaid('in')
  await family.bothLive()
  await line.run('release', 'x', '--force')
  const released = nowMs()
  expect(await holder.finished).toMatchObject({ exitCode: 76 })
  expect(await bothSilent()).toBe(true)
  expect(lastMs() - released).toBeLessThan(BEAT_MS + GRACE_MS + 200)
})

test('a success is no success when the lock was lost before it', async () => {
  const script = 'echo in; while [ ! -e go ]; do sleep 0.01; done'
  const holder = line.start('run', 'x', '--ttl', '2s', '--', 'sh', '-c', script)
  await holder.untilSaid('in')
  await line.run('release', 'x', '--force')
  writeFileSync(join(line.folder, 'go'), '')
  const { exitCode, stderr } = await holder.finished
  expect(exitCode).toBe(76)
  expect(stderr).toContain('"x" was lost')
})

test('the outcome of a lost run is one line of JSON on stderr', async () => {
  const script = 'echo in; exec sleep 60'
  const holder = line.start('run', 'x', '--json', '--ttl', '2s', '--', 'sh', '-c', script)
  await holder.untilSaid('in')
  await line.run('release', 'x', '--force')
  const { stderr } = await holder.finished
  expect(JSON.parse(stderr)).toMatchObject({
    outcome: 'lost',
    exitCode: 76,
    name: 'x',
    reason: 'revoked',
    fence: expect.stringMatching(/^\d+$/),
    command: { exitCode: null, signal: 'SIGTERM', killed: false },
  })
})

test('a hard end that is shorter than the ttl leaves the command half of its time', async () => {
  const { exitCode, stdout } = await line.run('run', 'x', '--max-hold', '3s', '--', 'sh', '-c', 'sleep 0.5; echo done')
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'done\n' })
})
