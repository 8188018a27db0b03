/**
 * What the scripts answer, as the port wants it. Replies are arrays of texts and small whole numbers; numbers that may
 * be long come as text, so that no client rounds them.
 */
import { BackendUnavailableError } from '../../errors.ts'
import type { AuditRow, ClaimRow, Closed, EnterAnswer, Open, Standing } from '../../port.ts'

export type Reply = readonly unknown[]

/** Where a reply names a claim that must be sent once more: one step removes a bounded number of the dead. */
export const AGAIN: unique symbol = Symbol('again')

/** @throws {BackendUnavailableError} what answers is no server that ran our script */
export function replyOf(value: unknown): Reply {
  if (Array.isArray(value) && value.length >= 2) return value
  throw new BackendUnavailableError('the Redis server gave an answer that is none of our scripts')
}

export function serverMsOf(reply: Reply): number {
  return Number(reply[0]) / 1000
}

export function stateOf(reply: Reply): string {
  return String(reply[1])
}

export function standingOf(value: unknown): Standing | typeof AGAIN {
  // A number alone: it is open, and nothing else is to be said.
  if (typeof value === 'string')
    return { state: 'open', seq: Number(value), slot: null, remainingMs: null, contended: false }
  const [state, seq, third, fourth, fifth] = value as Reply
  if (state === 'open') return openOf(seq, third, fourth, fifth)
  if (state === 'closed') return closedOf(seq, third, fourth, fifth)
  return state === 'again' ? AGAIN : { state: 'gone' }
}

export function enterAnswerOf(value: unknown, serverMs: number): EnterAnswer | typeof AGAIN {
  const [state, second] = typeof value === 'string' ? ['open'] : (value as Reply)
  switch (state) {
    case 'open':
    case 'closed': {
      const standing = standingOf(value)
      if (standing === AGAIN || standing.state === 'gone') return AGAIN
      const heldBack = typeof value === 'string' ? undefined : (value as Reply)[5]
      return heldBack === undefined || standing.state === 'closed'
        ? { serverMs, ...standing }
        : { serverMs, ...standing, heldBackMs: Number(heldBack) / 1000 }
    }
    case 'refused':
      return { serverMs, state, holder: rowOf(second) }
    case 'too-late':
      return { serverMs, state }
    case 'too-low':
      return { serverMs, state, last: Number(second) }
    case 'too-high':
      return { serverMs, state, now: Number(second) }
    case 'held-back':
      return { serverMs, state, retryMs: Number(second) / 1000 }
    default:
      return AGAIN
  }
}

function openOf(seq: unknown, slot: unknown, remaining: unknown, contended: unknown): Open {
  return {
    state: 'open',
    seq: Number(seq),
    slot: slotOf(slot),
    remainingMs: msOf(remaining),
    contended: Number(contended) === 1,
  }
}

function closedOf(seq: unknown, first: unknown, recheck: unknown, holder: unknown): Closed {
  return {
    state: 'closed',
    seq: Number(seq),
    first: Number(first) === 1,
    recheckMs: msOf(recheck),
    holder: rowOf(holder),
  }
}

function slotOf(slot: unknown): number | null {
  return Number(slot) < 0 ? null : Number(slot)
}

function msOf(micros: unknown): number | null {
  const number = Number(micros)
  return number < 0 ? null : number / 1000
}

/** A row of a script: id, record, who has it, notes. Empty: nobody. */
export function rowOf(value: unknown): ClaimRow | null {
  const [id, record, who, notes] = value as readonly string[]
  if (id === undefined || record === undefined) return null
  const [seq, open, dead, slot, , since, weight, capacity, flags] = record.split(' ', 9)
  const [, pid = '0', ...host] = (who ?? '').split(' ')
  const { label, value: shown } = notesOf(notes)
  return {
    id,
    seq: Number(seq),
    open: open === '1',
    weight: Number(weight),
    capacity: Number(capacity),
    slot: slotOf(slot),
    detached: (Number(flags) & DETACHED) !== 0,
    host: host.join(' '),
    pid: Number(pid),
    label,
    value: shown,
    sinceWallMs: Number(since) / 1000,
    untilWallMs: dead === '0' ? null : Number(dead) / 1000,
  }
}

export const SLOT = 1
export const DETACHED = 2

interface Notes {
  readonly label: string | null
  readonly value: string | null
}

export function notesText({ label, value }: Notes): string {
  return label === null && value === null ? '' : JSON.stringify([label, value])
}

function notesOf(text: string | undefined): Notes {
  if (text === undefined || text === '') return { label: null, value: null }
  const [label, value] = JSON.parse(text) as [string | null, string | null]
  return { label, value }
}

export function auditOf(value: unknown): readonly AuditRow[] {
  const flat = value as readonly unknown[]
  return Array.from({ length: flat.length / 4 }, (_, row) => ({
    id: String(flat[row * 4]),
    seq: Number(flat[row * 4 + 1]),
    line: String(flat[row * 4 + 2]),
    contended: Number(flat[row * 4 + 3]) === 1,
  }))
}
