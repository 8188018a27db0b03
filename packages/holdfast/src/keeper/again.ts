/** What a look gives that has not found what it waits for, and how long to go on looking. */
export const AGAIN: unique symbol = Symbol('again')

export interface Until {
  readonly signal: AbortSignal | undefined
  readonly limitMs: number
  /** The error when the time is over. */
  readonly late: () => Error
}
