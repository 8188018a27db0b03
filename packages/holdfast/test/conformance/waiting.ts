/** Small words for facts about things that take time. All waits are real, short, and end with an error. */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { type Duration, type ErrorByCode, isHoldfastError } from '../../src/index.ts'

export { pause }

/** How much slower than one that has nothing else to do this machine is; set before the first fact. */
export const machine: { slowness: number; answersInMs: number } = { slowness: 1, answersInMs: 100 }

/** A wait that is over soon, but not before the store has answered. */
export function brief(ms: number): Duration {
  return `${briefMs(ms)}ms`
}

export function briefMs(ms: number): number {
  return (ms + machine.answersInMs) * machine.slowness
}

/** Below a third of the default ttl, which is when what was missed would be found by a beat; above any busy machine's delay. */
const SOON_MS = 3000

export function nowMs(): number {
  return performance.now()
}

/** Lets everything run that can run without time going by. */
export async function turns(count = 3): Promise<void> {
  for (let left = count; left > 0; left--) await new Promise((resolve) => setImmediate(resolve))
}

/** Waits until the condition holds, looking every 2 ms. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  limitMs: number = SOON_MS,
): Promise<void> {
  const endMs = nowMs() + limitMs * machine.slowness
  while (!(await holds())) {
    if (nowMs() > endMs) assert.fail(`${what}: not within ${limitMs} ms`)
    await pause(2)
  }
}

/** What a promise gives, or a failure that says what was waited for. */
export async function soon<T>(what: string, promise: PromiseLike<T>, limitMs: number = SOON_MS): Promise<T> {
  const over = new AbortController()
  const late = pause(limitMs * machine.slowness, undefined, { signal: over.signal, ref: true }).then(() =>
    assert.fail(`${what}: not within ${limitMs} ms`),
  )
  late.catch(() => {})
  try {
    return await Promise.race([promise, late])
  } finally {
    over.abort()
  }
}

/** The error a promise rejects with. */
export async function rejection(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  return assert.fail('it should have been rejected, and was not')
}

/** The error of this code that a promise rejects with. */
export async function refusal<C extends keyof ErrorByCode>(
  code: C,
  promise: PromiseLike<unknown>,
): Promise<ErrorByCode[C]> {
  const error = await rejection(promise)
  if (isHoldfastError(error, code)) return error
  assert.fail(`expected ${code}, not ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
}

/** A promise and its two ends. */
export function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open }
}

export interface Watched {
  state: 'pending' | 'fulfilled' | 'rejected'
  reason: unknown
}

/** Watches a promise without touching it. */
export function watch(promise: PromiseLike<unknown>): Watched {
  const seen: Watched = { state: 'pending', reason: null }
  promise.then(
    () => {
      seen.state = 'fulfilled'
    },
    (reason: unknown) => {
      seen.state = 'rejected'
      seen.reason = reason
    },
  )
  return seen
}

export function stillWaits(seen: Watched): void {
  assert.deepEqual(seen, { state: 'pending', reason: null })
}

/** Counts who is inside at once. */
export class Room {
  inside = 0
  most = 0
  readonly visits: number[] = []

  /** A section that takes a turn of the loop, so that others could come in if they may. */
  async visit(number: number, stayMs = 0, weight = 1): Promise<void> {
    this.inside += weight
    this.most = Math.max(this.most, this.inside)
    this.visits.push(number)
    if (stayMs === 0) await turns(1)
    else await pause(stayMs)
    this.inside -= weight
  }
}

export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, number) => number)
}
