/** Orders that keep a party from its event loop, and what it believes in the first instruction after. */
import { leaseOf, question } from './holding.mjs'
import { nowMs, say } from './voice.mjs'

/** Runs in a loop for so long, then asks at once. */
export function block({ ms, as }) {
  const endMs = nowMs() + ms
  while (nowMs() < endMs);
  return question({ as })
}

/** Longer than any test lasts, so that a hung party does not outlive a test run that was broken off. */
const HANG_MS = 60_000

/** Never comes back. */
export function hang() {
  say({ event: 'hanging', atMs: nowMs() })
  const endMs = nowMs() + HANG_MS
  while (nowMs() < endMs);
  process.exit(4)
}

/**
 * Asks without a pause, never turning to the event loop, until the answer is no. Says when the last question was asked
 * that was answered with yes, and when the first no came.
 */
export function askUntilLost({ as, ms }) {
  const lease = leaseOf(as)
  say({ event: 'asking', atMs: nowMs() })
  const endMs = nowMs() + ms
  for (let lastYesMs = null; ; ) {
    const askedMs = nowMs()
    if (!lease.isHeld()) return { lastYesMs, firstNoMs: nowMs() }
    if (askedMs > endMs) throw new Error(`still held after ${ms} ms`)
    lastYesMs = askedMs
  }
}
