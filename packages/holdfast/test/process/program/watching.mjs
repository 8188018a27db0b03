/**
 * Orders that measure for how long the event loop of a party is held at a stretch. Time in which the thread could have
 * run but others had the processor is taken off, for it says nothing about what the party does.
 */
import { readFileSync } from 'node:fs'
import { nowMs } from './voice.mjs'

const NOTHING = { heldMs: 0, gapMs: 0, ranMs: 0, atMs: 0 }

let watching = false
let longest = NOTHING
let ticks = 0

export function watchLoop() {
  watching = true
  longest = NOTHING
  ticks = 0
  let last = { atMs: nowMs(), ...scheduled() }
  const tick = () => {
    const now = { atMs: nowMs(), ...scheduled() }
    const gapMs = now.atMs - last.atMs
    const heldMs = gapMs - (now.queuedMs - last.queuedMs)
    if (heldMs > longest.heldMs) longest = { heldMs, gapMs, ranMs: now.ranMs - last.ranMs, atMs: now.atMs }
    ticks++
    last = now
    if (watching) setTimeout(tick, 1)
  }
  setTimeout(tick, 1)
}

export function loopHeld() {
  watching = false
  return { ...longest, ticks }
}

/** Holds the event loop for so long, as it is measured here. */
export function occupy({ ms }) {
  const passedMs = () => nowMs() - scheduled().queuedMs
  const endMs = passedMs() + ms
  while (passedMs() < endMs);
}

/** How long this thread has run and has waited for a processor so far; zeros where the system does not tell. */
function scheduled() {
  try {
    const [ran, queued] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')
    return { ranMs: Number(ran) / 1e6, queuedMs: Number(queued) / 1e6 }
  } catch {
    return { ranMs: 0, queuedMs: 0 }
  }
}
