/** Time in process tests: one clock for all processes of the machine, and waits that always end. */
import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds on the machine's monotonic clock. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** Sleeps until the moment, if it has not passed. */
export async function reach(atMs: number): Promise<void> {
  await pause(Math.max(0, atMs - nowMs()))
}

const LOOK_MS = 10

/** Looks until it finds something other than null or false. @throws {Error} naming what was waited for */
export async function until<T>(
  what: string,
  look: () => T | null | false | Promise<T | null | false>,
  limitMs = 10_000,
): Promise<T> {
  const endMs = nowMs() + limitMs
  for (;;) {
    const found = await look()
    if (found !== null && found !== false) return found
    if (nowMs() > endMs) throw new Error(`${what}: not within ${limitMs} ms`)
    await pause(LOOK_MS)
  }
}

/** The promise's value, but within a time limit. @throws {Error} naming what was waited for */
export async function within<T>(what: string, limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not within ${limitMs} ms`)), limitMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
