/**
 * The end of `holdfast run`: whoever called gets the command's own exit code, or 76 when the lock did not last,
 * whatever the command made of it, because part of its work may have been done beside another holder.
 */
import type { LossReason } from '../errors.ts'
import { type Answer, NO_TEXT, type Place } from './answer.ts'
import { EXIT, signalExitCode } from './exit-code.ts'
import type { Ended } from './process-group.ts'
import type { Course } from './run.ts'
import type { Taken } from './taking.ts'
import { quoted } from './visible-text.ts'

type NotStarted = Extract<Course, { readonly kind: 'not-started' }>
type CommandEnded = Extract<Course, { readonly kind: 'ended' }>

const WHY: Readonly<Record<LossReason | 'not-renewed', string>> = {
  'not-renewed': 'it could not be renewed in time',
  expired: 'it was not renewed in time',
  'max-hold': 'its --max-hold is over',
  revoked: 'it was released by force',
  forgotten: 'the store no longer has it',
  stalled: 'this process did not run for too long',
  closed: 'it was closed',
}

export function notStartedAnswer(course: NotStarted, file: string, place: Place): Answer {
  const missing = course.errno === 'ENOENT'
  const exitCode = missing ? EXIT.notFound : EXIT.notExecutable
  const what = missing ? 'there is no such command, or no interpreter for it' : 'the command cannot be executed'
  return {
    exitCode,
    document: { outcome: 'not-started', exitCode, ...place, error: { code: course.errno, message: course.message } },
    text: NO_TEXT,
    remarks: [`${quoted(file)}: ${what} (${course.errno})`],
  }
}

export function endedAnswer(course: CommandEnded, lease: Taken, place: Place): Answer {
  const lost = course.told !== null || !course.held
  const exitCode = lost ? EXIT.lost : exitCodeOf(course.ended)
  const reason = course.told ?? (lost ? 'forgotten' : null)
  return {
    exitCode,
    document: {
      outcome: lost ? 'lost' : 'ran',
      exitCode,
      ...place,
      id: lease.id,
      fence: lease.fence === undefined ? null : String(lease.fence),
      waitedMs: Math.round(lease.waitedMs),
      reason,
      command: { exitCode: course.ended?.code ?? null, signal: course.ended?.signal ?? null, killed: course.killed },
    },
    text: NO_TEXT,
    remarks: lost ? [lossRemark(course, reason ?? 'forgotten', place)] : [],
  }
}

function lossRemark(course: CommandEnded, reason: LossReason | 'not-renewed', place: Place): string {
  return `${quoted(place.name)} was lost, ${WHY[reason]}; the command ${fateOf(course)}`
}

function fateOf({ ended, told, killed }: CommandEnded): string {
  if (ended === null) return 'could not be killed and may still run'
  const status = ended.signal === null ? `exited with ${ended.code}` : `was ended by ${ended.signal}`
  if (told === null) return `${status} after that`
  return killed ? `${status}; its group was killed` : `${status} when told to end`
}

function exitCodeOf(ended: Ended | null): number {
  if (ended === null) return EXIT.lost
  return ended.signal === null ? (ended.code ?? EXIT.internal) : signalExitCode(ended.signal)
}
