/**
 * What a command has to say at its end, independent of the form: for programs one document, for people text on stdout
 * and remarks on stderr. Printing is done in one place, so every command has both forms.
 */
import { type ClaimView, endOf, isHoldfastError } from '../errors.ts'
import { EXIT, signalExitCode } from './exit-code.ts'
import { Interrupted } from './signals.ts'
import type { Style } from './table.ts'
import { UsageError } from './usage-error.ts'
import { quoted, visible } from './visible-text.ts'

export interface Answer {
  readonly exitCode: number
  readonly document: Readonly<Record<string, unknown>>
  /** For stdout, when not JSON. */
  readonly text: (style: Style) => string
  /** For stderr, when not JSON; made visible, without the program's name. */
  readonly remarks: readonly string[]
}

export const NO_TEXT: Answer['text'] = () => ''

/** Where a take was tried, for the messages about it. */
export interface Place {
  readonly name: string
  readonly store: string
  readonly namespace: string
}

export function claimDocument(claim: ClaimView): Readonly<Record<string, unknown>> {
  const { id, fence, host, pid, label, since, detached, until } = claim
  return {
    ...{ id, fence: String(fence), host, pid, label, since: since.toISOString(), detached },
    until: until === null ? null : until.toISOString(),
  }
}

export function busyAnswer(place: Place, holder: ClaimView | null, waitedMs: number, exitCode: number): Answer {
  const by = holder === null ? 'by others' : `by ${described(holder)}`
  const waited = waitedMs < 500 ? '' : `, after a wait of ${(waitedMs / 1000).toFixed(1)} s`
  return {
    exitCode,
    document: {
      outcome: 'busy',
      exitCode,
      ...place,
      waitedMs: Math.round(waitedMs),
      holder: holder && claimDocument(holder),
    },
    text: NO_TEXT,
    remarks: [
      `${quoted(place.name)} is busy: held ${by}${waited}`,
      `store ${visible(place.store)}, namespace ${quoted(place.namespace)}`,
    ],
  }
}

/** What went wrong, as an exit code and a sentence. Unknown errors are faults of this program and say so. */
export function failureAnswer(error: unknown, place: Partial<Place>, busyExitCode: number): Answer {
  if (error instanceof Interrupted) {
    return failed(signalExitCode(error.signal), 'interrupted', `${error.message} while waiting`, place, null)
  }
  if (isHoldfastError(error, 'WAIT_TIMEOUT') && place.name !== undefined) {
    const { name, store = '', namespace = '' } = place
    return busyAnswer({ name, store, namespace }, error.holder, error.waitedMs, busyExitCode)
  }
  if (error instanceof UsageError) return failed(EXIT.usage, 'usage', error.message, place, null)
  const message = error instanceof Error ? error.message : String(error)
  const code = codeOf(error)
  if (code === 'LEASE_LOST' || code === 'NOT_HELD') return failed(EXIT.lost, 'lost', message, place, code)
  if (code !== null && UNAVAILABLE.has(code)) return failed(EXIT.unavailable, 'unavailable', message, place, code)
  const stack = error instanceof Error ? (error.stack ?? message) : message
  return failed(EXIT.internal, 'internal', `a fault of this program: ${stack}`, place, code)
}

const UNAVAILABLE: ReadonlySet<string> = new Set(['BACKEND_UNAVAILABLE', 'BACKEND_REFUSED', 'QUORUM', 'UNSUPPORTED'])

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'holdfast' in error && 'code' in error ? String(error.code) : null
}

function failed(
  exitCode: number,
  outcome: string,
  message: string,
  place: Partial<Place>,
  code: string | null,
): Answer {
  const where = outcome === 'unavailable' && place.store !== undefined ? [`store ${visible(place.store)}`] : []
  return {
    exitCode,
    document: { outcome, exitCode, ...place, error: { code, message } },
    text: NO_TEXT,
    remarks: [message, ...where],
  }
}

function described(claim: ClaimView): string {
  const { host, pid, label, since, id } = claim
  const what = label === null ? '' : ` (${visible(label)})`
  return `${visible(host)} pid ${pid}${what} since ${since.toISOString()}${endOf(claim)}, id ${visible(id)}`
}
