/**
 * How the command ends, as scripts see it. Where sysexits.h has a number for it, that one is used; the child's own
 * status always passes through unchanged, so a script that must tell them apart picks `--conflict-exit-code`.
 */
import { constants } from 'node:os'

export const EXIT = {
  done: 0,
  /** EX_USAGE: a flag or an argument is wrong. */
  usage: 64,
  /** EX_UNAVAILABLE: the store could not be asked, or refuses. */
  unavailable: 69,
  /** EX_SOFTWARE: a fault of this program. */
  internal: 70,
  /** EX_IOERR: the answer could not be written. */
  output: 74,
  /** EX_TEMPFAIL: others hold the lock. */
  busy: 75,
  /** EX_PROTOCOL's number, used here for a lock that was lost. */
  lost: 76,
  /** As shells say it: the command is there but cannot be started. */
  notExecutable: 126,
  /** As shells say it: there is no such command. */
  notFound: 127,
} as const

/** 128 + n, as shells tell of a program ended by signal n. */
export function signalExitCode(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal]
}
