/**
 * Counts how the lock was taken in this process, by listening on the library's diagnostics channel: a remote take asked
 * the store, a local hand-over went from one task of this process to the next without asking.
 */
import { subscribe } from 'node:diagnostics_channel'

export interface Takes {
  readonly remote: number
  readonly local: number
}

/** Starts counting and gives a function that reads the counters. */
export function countTakes(): () => Takes {
  let remote = 0
  let local = 0
  subscribe('holdfast:take', (event) => {
    const { outcome, local: handedOver } = event as { readonly outcome: string; readonly local: boolean }
    if (outcome !== 'granted') return
    if (handedOver) local += 1
    else remote += 1
  })
  return () => ({ remote, local })
}

export function addTakes(all: readonly Takes[]): Takes {
  return all.reduce((sum, one) => ({ remote: sum.remote + one.remote, local: sum.local + one.local }), NO_TAKES)
}

const NO_TAKES: Takes = { remote: 0, local: 0 }
