/**
 * Orders that measure for how long the event loop of a party is held at a stretch. Time in which the thread could have
 * run but others had the processor is taken off, for it says nothing about what the party does.
 */
import { readFileSync } from 'node:fs'
import { nowMs } from './voice.mjs'

let watching = false
let longest = { heldMs: 0, gapMs: 0, atMs: 0 }
let ticks = 0

export function watchLoop() {
  watching = true
  longest = { heldMs: 0, gapMs: 0, atMs: 0 }
  ticks = 0
  let lastMs = nowMs()
  let lastQueuedMs = queuedMs()
  const tick = () => {
    const atMs = nowMs()
    const queued = queuedMs()
    const gapMs = atMs - lastMs
    const heldMs = gapMs - (queued - lastQueuedMs)
    if (heldMs > longest.heldMs) longest = { heldMs, gapMs, atMs }
    ticks++
    lastMs = atMs
    lastQueuedMs = queued
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
  const startMs = nowMs() - queuedMs()
  while (nowMs() - queuedMs() - startMs < ms);
}

/** How long this thread has waited for a processor so far; 0 where the system does not tell. */
function queuedMs() {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}
