/** What the main thread and the heartbeat worker say to each other. A member is one Holdfast object. */
import type { BeatAnswer, ClaimKey, WorkerRecipe } from '../port.ts'
import type { Start } from './tenure.ts'

/** The gate's first word: the process is ending, and nothing more may begin. */
export const CLOSING = 0
/** Its second word: how many requests of the worker are on their way. */
export const BUSY = 1

export type ToWorker =
  | {
      readonly type: 'join'
      readonly member: number
      readonly recipe: WorkerRecipe
      readonly namespace: string
      readonly maxTtlMs: number
      readonly quarantine: boolean
      readonly maxStallMs: number
      /** Monotonic milliseconds at which the main thread last showed that it runs. */
      readonly ticks: SharedArrayBuffer
    }
  | {
      readonly type: 'watch'
      readonly member: number
      readonly bucket: number
      readonly id: string
      readonly ttlMs: number
      /** The session's era; told anew when main has drawn the consequences of a new one. */
      readonly era: string | undefined
      readonly auditedTo: string
      readonly tenure: SharedArrayBuffer
    }
  | { readonly type: 'drop'; readonly member: number; readonly id: string }
  | { readonly type: 'leave'; readonly member: number; readonly bucket: number; readonly claims: readonly ClaimKey[] }
  | { readonly type: 'part'; readonly member: number }

export type FromWorker =
  | { readonly type: 'ready'; readonly member: number }
  | { readonly type: 'failed'; readonly member: number; readonly why: string }
  | { readonly type: 'left'; readonly member: number; readonly ids: readonly string[] }
  | {
      readonly type: 'beaten'
      readonly member: number
      readonly id: string
      readonly answer: BeatAnswer
      readonly after: string
      readonly start: Start
    }
