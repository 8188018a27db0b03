/**
 * What every store decides in the same way: which claims could never be served, what number comes next, and that all
 * who use a namespace agree on its constants. Pure; imported by the backends, imports none of them.
 */
import { BackendRefusedError } from '../errors.ts'
import type { ClaimDraft, SessionDraft } from '../port.ts'

/** What everybody in a namespace must agree on; the first `open` fixes it. */
export interface Constants {
  readonly maxTtlMs: number
  readonly quarantine: boolean
}

/** Lines that are watched as a whole, by who does not stand in them: their name is hinted at each change. */
export function isWatched(line: string): boolean {
  return line.startsWith('election:') || line.startsWith('barrier:')
}

/** @throws {RangeError} for a claim that would stand in its line for ever, or that nobody could end */
export function requireClaim(sessionId: string, draft: ClaimDraft): void {
  if (!draft.id.startsWith(sessionId)) throw new RangeError(`claim ${draft.id} is not one of session ${sessionId}`)
  requireWhole('capacity', draft.capacity, 2 ** 31)
  requireWhole('weight', draft.weight, draft.capacity)
  if (draft.maxHoldMs !== null) requireHold(draft.maxHoldMs)
  if (draft.detached && draft.maxHoldMs === null) throw new RangeError('a detached claim needs a maxHold')
}

/** @throws {RangeError} when a claim would grow: a weight may only shrink, for nothing granted is taken back */
export function requireSmaller(weight: number, current: number): void {
  requireWhole('weight', weight, current)
}

/** @throws {RangeError} */
export function requireHold(maxHoldMs: number): void {
  if (!(maxHoldMs > 0 && maxHoldMs < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`maxHold must be above 0 ms and finite, got ${maxHoldMs}`)
  }
}

/** @throws {RangeError} when a session would live longer than a loss of data is waited out */
export function requireSession(draft: SessionDraft, constants: Constants): void {
  if (!(draft.ttlMs > 0 && draft.ttlMs <= constants.maxTtlMs)) {
    throw new RangeError(`ttl must be above 0 and at most maxTtl (${constants.maxTtlMs} ms), got ${draft.ttlMs} ms`)
  }
}

/** @throws {BackendRefusedError} naming both values, when the namespace was made with others */
export function requireSame(stored: Constants, wanted: Constants): void {
  const differing = (name: string, there: string, here: string): BackendRefusedError =>
    new BackendRefusedError(`${name} is ${there} in this namespace, fixed by its first user; ${here} was asked for`)
  if (stored.maxTtlMs !== wanted.maxTtlMs) {
    throw differing('maxTtl', `${stored.maxTtlMs} ms`, `${wanted.maxTtlMs} ms`)
  }
  if (stored.quarantine !== wanted.quarantine) {
    throw differing('quarantine', `${stored.quarantine}`, `${wanted.quarantine}`)
  }
}

/**
 * The next number: above all given out, not below what the caller has seen, and not behind the wall clock in
 * microseconds, so that numbers rise also when the store has lost them.
 */
export function nextSeq(last: number, minSeq: number, wallMs: number): number {
  const seq = Math.max(last + 1, minSeq, wallMicros(wallMs))
  requireNumber(seq)
  return seq
}

/** @throws {RangeError} for what is no number of a claim or a version, nor could become one */
export function requireNumber(seq: number): void {
  if (!Number.isSafeInteger(seq)) throw new RangeError(`the next number, ${seq}, would not be below 2^53`)
}

/** What `last` is raised to at the birth of a namespace and at each noticed loss. */
export function birthSeq(last: number, wallMs: number, maxTtlMs: number): number {
  return Math.max(last, wallMicros(wallMs) + Math.ceil(maxTtlMs * 1000))
}

/** A store of a quorum takes numbers up to so far above its clock, and begins so far above it. */
export function aheadMs(maxTtlMs: number): number {
  return maxTtlMs + 5000
}

/** How far above the clock numbers begin, at the birth and after a loss. Held back, it may be a node of a quorum. */
export function riseMs({ maxTtlMs, quarantine }: Constants): number {
  return quarantine ? aheadMs(maxTtlMs) : maxTtlMs
}

/** Why a store of a quorum does not take the number that was proposed; null: it does. */
export function refuseSeq(
  seq: number,
  last: number,
  wallMs: number,
  maxTtlMs: number,
): { readonly state: 'too-low'; readonly last: number } | { readonly state: 'too-high'; readonly now: number } | null {
  if (seq <= last) return { state: 'too-low', last }
  const now = wallMicros(wallMs)
  return seq > now + aheadMs(maxTtlMs) * 1000 ? { state: 'too-high', now } : null
}

/** The floor of all numbers. */
export function wallMicros(wallMs: number): number {
  return Math.floor(wallMs * 1000)
}

function requireWhole(what: string, value: number, most: number): void {
  if (!Number.isSafeInteger(value) || value < 1 || value > most) {
    throw new RangeError(`${what} must be a whole number from 1 to ${most}, got ${value}`)
  }
}
