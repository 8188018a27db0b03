/** What a checker found wrong, and the operations that show it. */
import type { Kind } from './history.ts'
import type { Operation } from './operations.ts'

export type CheckRule = 'exclusion' | 'slot' | 'fence' | 'order' | 'latch' | 'barrier' | 'linearizability'

export interface Violation {
  readonly rule: CheckRule
  readonly kind: Kind
  readonly name: string
  /** In a sentence. */
  readonly what: string
  /** As few as show it. */
  readonly operations: readonly Operation[]
  readonly atNs: number
  /** The operation with which it was seen. */
  readonly op: string
}
