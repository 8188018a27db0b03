/**
 * A scene makes one failure certain: it leads the customers of one strategy, each to a moment between two commands, and
 * looks at what they believe and at what the data says. The same scene shows that a better strategy withstands it.
 */
import type { Stage } from './stage.ts'

export interface Outcome {
  readonly broken: boolean
  /** One sentence: what happened. */
  readonly says: string
}

export interface Case {
  /** Name of the strategy. */
  readonly strategy: string
  readonly expect: 'breaks' | 'holds'
}

export interface Scene {
  /** In kebab case; how it is named on the command line. */
  readonly name: string
  readonly title: string
  /** Completes "right until …". */
  readonly until: string
  readonly cases: readonly Case[]
  readonly play: (stage: Stage) => Promise<Outcome>
}
