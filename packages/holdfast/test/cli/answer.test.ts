/** Errors and ends as exit codes, sentences and documents. */
import { describe, expect, test } from 'vitest'
import { failureAnswer, type Place } from '../../src/cli/answer.ts'
import { endedAnswer, notStartedAnswer } from '../../src/cli/run-answer.ts'
import { Interrupted } from '../../src/cli/signals.ts'
import type { Taken } from '../../src/cli/taking.ts'
import { UsageError } from '../../src/cli/usage-error.ts'
import {
  BackendRefusedError,
  BackendUnavailableError,
  type ClaimView,
  LeaseLostError,
  NotHeldError,
  UnsupportedError,
  WaitTimeoutError,
} from '../../src/errors.ts'

const place: Place = { name: 'x', store: 'sqlite:/a', namespace: 'n' }
const holder: ClaimView = {
  id: 'c1',
  fence: 9_007_199_254_740_993n,
  host: 'web\u001b[2J',
  pid: 7,
  label: 'make',
  since: new Date(0),
  detached: false,
  until: null,
}

describe('an error', () => {
  test.each([
    [new UsageError('no'), 64],
    [new BackendUnavailableError('no'), 69],
    [new BackendRefusedError('no'), 69],
    [new UnsupportedError('no'), 69],
    [new WaitTimeoutError('x', 5, null), 75],
    [new LeaseLostError('x', 'expired'), 76],
    [new NotHeldError('no'), 76],
    [new Interrupted('SIGINT'), 130],
    [new Interrupted('SIGTERM'), 143],
    [new TypeError('no'), 70],
    ['no', 70],
  ])('%s is exit code %i', (error, exitCode) => {
    expect(failureAnswer(error, place, 75)).toMatchObject({ exitCode, document: { exitCode } })
  })

  test('busy names the holder and the store, and has the exit code that was asked for', () => {
    const answer = failureAnswer(new WaitTimeoutError('x', 1500, holder), place, 9)
    expect(answer.exitCode).toBe(9)
    expect(answer.remarks).toEqual([
      '"x" is busy: held by web\\u{1b}[2J pid 7 (make) since 1970-01-01T00:00:00.000Z, id c1, after a wait of 1.5 s',
      'store sqlite:/a, namespace "n"',
    ])
    expect(answer.document).toMatchObject({ outcome: 'busy', holder: { fence: '9007199254740993', pid: 7 }, ...place })
  })

  test.each([
    [true, 'since 1970-01-01T00:00:00.000Z, detached, until 1970-01-01T00:01:00.000Z at the latest, id c1'],
    [false, 'since 1970-01-01T00:00:00.000Z, until 1970-01-01T00:01:00.000Z at the latest, id c1'],
  ])('busy says until when the holder lasts, and whether it is detached: %s', (detached, text) => {
    const ending = { ...holder, detached, until: new Date(60_000) }
    const answer = failureAnswer(new WaitTimeoutError('x', 5, ending), place, 75)
    expect(answer.remarks[0]).toContain(text)
    expect(answer.document).toMatchObject({ holder: { detached, until: '1970-01-01T00:01:00.000Z' } })
  })

  test('of a store names the store', () => {
    expect(failureAnswer(new BackendUnavailableError('down'), place, 75).remarks).toEqual(['down', 'store sqlite:/a'])
  })
})

describe('the end of a command', () => {
  const lease = { id: 'c1', fence: 5n, waitedMs: 1.4 } as Taken
  const course = { kind: 'ended', told: null, killed: false, held: true } as const

  test.each([
    [{ code: 0, signal: null }, 0],
    [{ code: 3, signal: null }, 3],
    [{ code: 255, signal: null }, 255],
    [{ code: null, signal: 'SIGTERM' }, 143],
    [{ code: null, signal: 'SIGKILL' }, 137],
  ] as const)('%j passes through as %i', (ended, exitCode) => {
    const answer = endedAnswer({ ...course, ended }, lease, place)
    expect(answer).toMatchObject({ exitCode, remarks: [], document: { outcome: 'ran', fence: '5', waitedMs: 1 } })
  })

  test('is 76 when the lock was lost first, also after a success', () => {
    const answer = endedAnswer({ ...course, held: false, ended: { code: 0, signal: null } }, lease, place)
    expect(answer).toMatchObject({ exitCode: 76, document: { outcome: 'lost', reason: 'forgotten' } })
    expect(answer.remarks).toEqual(['"x" was lost, the store no longer has it; the command exited with 0 after that'])
  })

  test('is 76 when the command was told to end, and says how it went', () => {
    const ended = { code: null, signal: 'SIGKILL' } as const
    const answer = endedAnswer({ ...course, told: 'revoked', killed: true, ended }, lease, place)
    expect(answer).toMatchObject({ exitCode: 76, document: { reason: 'revoked', command: { signal: 'SIGKILL' } } })
    expect(answer.remarks[0]).toContain('released by force; the command was ended by SIGKILL; its group was killed')
  })

  test('that never came says so', () => {
    const answer = endedAnswer({ ...course, told: 'expired', killed: true, ended: null }, lease, place)
    expect(answer).toMatchObject({ exitCode: 76 })
    expect(answer.remarks[0]).toContain('could not be killed and may still run')
  })
})

test.each([
  ['ENOENT', 127],
  ['EACCES', 126],
  ['ENOEXEC', 126],
  ['E2BIG', 126],
])('a command that does not start for %s is exit code %i', (errno, exitCode) => {
  expect(notStartedAnswer({ kind: 'not-started', errno, message: 'm' }, 'f', place)).toMatchObject({ exitCode })
})
