/** Orders that keep a party from its event loop, and what it believes in the first instruction after. */
import { leaseOf, question } from './holding.mjs'
import { nowMs, say } from './voice.mjs'

/** A gap between two looks at the clock that only a stopped process has. */
const GAP_MS = 500

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
 * Asks without a pause, never turning to the event loop, until the process was stopped and goes on. A question counts
 * as asked after the stop when the clock was read after it and before the question.
 */
export function askThroughStop({ as, ms }) {
  const lease = leaseOf(as)
  const heldBefore = lease.isHeld()
  say({ event: 'asking', atMs: nowMs() })
  const endMs = nowMs() + ms
  for (let lastMs = nowMs(); lastMs < endMs; ) {
    const askedMs = nowMs()
    const held = lease.isHeld()
    if (askedMs - lastMs >= GAP_MS) return { heldBefore, held, gapMs: askedMs - lastMs }
    lastMs = askedMs
  }
  throw new Error(`was not stopped within ${ms} ms`)
}
