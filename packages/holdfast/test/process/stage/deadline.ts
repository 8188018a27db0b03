/**
 * What the manual promises in time, held against what was measured. Set HOLDFAST_TEST_TIMES to a path to have each
 * measured time appended there, with its promise.
 */
import { appendFileSync } from 'node:fs'
import { expect } from 'vitest'

const report = process.env.HOLDFAST_TEST_TIMES

export function expectInTime(what: string, tookMs: number, limitMs: number): void {
  if (report !== undefined) {
    appendFileSync(report, `${Math.round(tookMs)} of ${Math.round(limitMs)} ms: ${what}\n`)
  }
  expect(tookMs, what).toBeLessThanOrEqual(limitMs)
}
