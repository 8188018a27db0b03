/** What clients of ours have in common, whichever library they are of. */
import type { Address } from '../redis-address.ts'

/**
 * A server that owes an answer for so long is taken for gone, and connected to anew. Not less, for a process that stood
 * still finds its timers over before it finds the answers.
 */
export const SILENT_MS = 4000
export const CONNECT_MS = 2000
/** How long a client is waited for: less than an attempt takes, so that it can be said what was wrong. */
export const READY_MS = 1500
const PAUSE_MS = { first: 50, max: 1000 }

export function loginOf({ username, password }: Pick<Address, 'username' | 'password'>): object {
  return { ...(username === null ? {} : { username }), ...(password === null ? {} : { password }) }
}

export function tlsOf(tls: Address['tls']): object {
  return typeof tls === 'object' ? tls : {}
}

/** @param times how often it has failed in a row */
export function pauseMs(times: number): number {
  return Math.min(PAUSE_MS.first * 2 ** Math.min(times, 10), PAUSE_MS.max)
}
