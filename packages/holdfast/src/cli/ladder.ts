/**
 * When a command is told to end and when it is ended. Pure. The one thing to get right: both moments lie *before* the
 * lock can be somebody else's, so the time for an orderly end comes out of the time that the lock is still ours.
 */
import type { LossReason } from '../errors.ts'

/** Moments on the monotonic clock. */
export interface Limits {
  /** SIGTERM to the group. */
  readonly termAtMs: number
  /** SIGKILL to the group. */
  readonly killAtMs: number
}

export interface Grace {
  /** Before the end of what is known of the lock: at most a third of the ttl, or a single missed beat would tell. */
  readonly lossMs: number
  /** Before the hard end, which is known from the start. */
  readonly hardEndMs: number
  /** A holder may believe in a hard end that is so much earlier, and nothing renews that one. */
  readonly hardEndEarlyMs: number
}

/**
 * How long before the end of validity the command is ended. SQLite may hold our thread for 50 ms, and a large process
 * needs some to go.
 */
export const KILL_MARGIN_MS = 100

/** A holder trusts 1 % less of a `maxHold`, and counts it from before he was told. */
const EARLY = { part: 0.01, ms: 1000 }

/** `graceMs` as asked for, cut to what the ttl and the hard end leave room for. */
export function graceOf(graceMs: number, ttlMs: number, maxHoldMs: number | null): Grace {
  return {
    lossMs: Math.min(graceMs, Math.floor(ttlMs / 3)),
    hardEndMs: maxHoldMs === null ? graceMs : Math.min(graceMs, Math.floor(maxHoldMs / 2)),
    hardEndEarlyMs: (maxHoldMs ?? 0) * EARLY.part + EARLY.ms,
  }
}

/** While the lock is ours: each renewal moves both moments on, the hard end never does. */
export function limitsWhileHeld(nowMs: number, validForMs: number, hardEndAtMs: number | null, grace: Grace): Limits {
  const hardEnd = hardEndAtMs ?? Number.POSITIVE_INFINITY
  const endMs = Math.min(nowMs + validForMs, hardEnd)
  const isHardEnd = hardEnd - endMs <= grace.hardEndEarlyMs
  return {
    termAtMs: isHardEnd ? endMs - grace.hardEndMs : Math.min(endMs - grace.lossMs, hardEnd - grace.hardEndMs),
    killAtMs: endMs - KILL_MARGIN_MS,
  }
}

/**
 * Once the lock is lost. Taken away while its time was not over (`revoked`, `forgotten`): the command is told now and
 * has the grace, but never longer than the lock would have lasted. In all other cases the time is over.
 */
export function limitsOnceLost(nowMs: number, reason: LossReason, last: Limits, grace: Grace): Limits {
  const early = reason === 'revoked' || reason === 'forgotten'
  return { termAtMs: nowMs, killAtMs: early ? Math.min(last.killAtMs, nowMs + grace.lossMs) : nowMs }
}
