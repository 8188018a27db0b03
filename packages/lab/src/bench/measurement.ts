/**
 * What a measurement is: it runs its rounds and says for each promise of ours what it found. Figures carry their unit
 * at the end of their name.
 */

export interface Setting {
  readonly rounds: number
  /** Rounds for what counts rather than times, and so does not vary. */
  readonly countRounds: number
  /** Rounds for what mostly waits, half a minute or so in each. */
  readonly longRounds: number
  /** A fresh, empty folder. */
  readonly freshFolder: () => string
  /** The program that runs the jobs. */
  readonly childScript: string
}

export type Round = Readonly<Record<string, number>>

export interface Check {
  readonly what: string
  readonly got: number
  readonly limit: number
  readonly kind: 'at most' | 'at least'
  readonly ok: boolean
}

export interface Findings {
  readonly rounds: readonly Round[]
  readonly checks: readonly Check[]
}

/** How a figure of the scenes is drawn. */
export interface Chart {
  readonly figure: string
  readonly title: string
  readonly better: 'more' | 'less'
  /** Where the figures differ by so much that the small ones would not be seen. */
  readonly log?: boolean
}

export interface Measurement {
  readonly name: string
  /** What was done, for somebody who reads only the report. */
  readonly what: string
  /** For the page; only what has scenes can be drawn. */
  readonly charts?: readonly Chart[]
  measure(setting: Setting): Promise<Findings>
}

/** A figure that could not be measured is NaN, and fails. */
export function atMost(what: string, got: number, limit: number): Check {
  return { what, got, limit, kind: 'at most', ok: got <= limit }
}

export function atLeast(what: string, got: number, limit: number): Check {
  return { what, got, limit, kind: 'at least', ok: got >= limit }
}
