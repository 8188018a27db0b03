/**
 * What a history consists of: processes, operations and faults, all fixed before it begins; types only. A shorter plan
 * is a plan too, which is what makes shrinking possible.
 */
import type { Weather } from './network.ts'

export interface Plan {
  readonly seed: number
  /** Nothing goes wrong, so that order and waiting times can be judged. */
  readonly calm: boolean
  /** Messages of one connection keep their order. */
  readonly ordered: boolean
  readonly maxTtlMs: number
  readonly quarantine: boolean
  readonly serverRate: number
  readonly weather: Weather
  readonly processes: readonly ProcessPlan[]
  readonly operations: readonly Operation[]
  readonly faults: readonly Fault[]
  /** From here on nothing more goes wrong. */
  readonly healMs: number
}

export interface ProcessPlan {
  readonly ttlMs: number
  readonly front: false | { readonly passes: number; readonly sliceMs: number; readonly lingerMs: number }
  readonly rate: number
  readonly parks: boolean
}

interface Planned {
  readonly id: number
  /** Which process does it: whichever host has this place at that time. */
  readonly place: number
  readonly atMs: number
}

export type Thing =
  | { readonly type: 'mutex' | 'reentrant' | 'read' | 'write' | 'election'; readonly name: string }
  | {
      readonly type: 'permit'
      readonly name: string
      readonly capacity: number
      readonly permits: number
      readonly slot: boolean
    }
  | { readonly type: 'all'; readonly names: readonly string[] }

/**
 * When the waiting is aborted: after a time; so many microtask turns after the answer that grants it was handed to the
 * client; or so many turns after the kernel has begun that event of the history.
 */
export type Abort =
  | { readonly afterMs: number }
  | { readonly turns: number }
  | { readonly inEvent: number; readonly turn: number }

export interface Work {
  readonly ms: number
  /** How often the holder looks at its lease and acts on it. */
  readonly acts: number
  /** Goes on although the lease is lost. */
  readonly overruns: boolean
  /** Never ends by itself. */
  readonly hangs: boolean
  readonly confirms: boolean
  /** A writer reads only from the middle on. */
  readonly downgrades: boolean
  /** Takes of the same name inside, at once. */
  readonly children: number
  /** Takes of the same name that are begun inside and waited for by nobody. */
  readonly strays: number
  /** Asks for the lease's signal, which must be aborted once it is lost. */
  readonly heeds: boolean
  /** `elsewhere`: by another process and by id. `never`: its end takes it away. Both are for detached leases. */
  readonly release: 'here' | 'elsewhere' | 'never'
  readonly releasesTwice: boolean
}

export interface LockOperation extends Planned {
  readonly kind: 'lock'
  readonly thing: Thing
  readonly verb: 'run' | 'tryRun' | 'acquire' | 'tryAcquire'
  /** Infinite: for ever. */
  readonly waitMs: number
  readonly maxHoldMs: number | null
  readonly fair: boolean
  readonly detached: boolean
  readonly abort: Abort | null
  readonly work: Work
}

export type Operation =
  | LockOperation
  | (Planned & { readonly kind: 'force'; readonly name: string })
  | (Planned & { readonly kind: 'arrive'; readonly name: string; readonly count: number; readonly member: string })
  | (Planned & { readonly kind: 'await'; readonly name: string; readonly count: number; readonly waitMs: number })
  | (Planned & {
      readonly kind: 'meet'
      readonly name: string
      readonly parties: number
      readonly waitMs: number
      readonly workMs: number | null
    })
  | (Planned & { readonly kind: 'lead'; readonly name: string; readonly forMs: number; readonly termMs: number })
  | (Planned & { readonly kind: 'observe'; readonly name: string; readonly forMs: number })
  | (Planned & { readonly kind: 'count'; readonly name: string })
  | (Planned & { readonly kind: 'look'; readonly name: string })

export type Fault =
  | { readonly kind: 'stall' | 'sleep'; readonly atMs: number; readonly place: number; readonly ms: number }
  | { readonly kind: 'step'; readonly atMs: number; readonly place: number; readonly ms: number }
  | { readonly kind: 'crash'; readonly atMs: number; readonly place: number; readonly backMs: number }
  | {
      readonly kind: 'close'
      readonly atMs: number
      readonly place: number
      readonly drainMs: number
      readonly backMs: number
    }
  | { readonly kind: 'cut'; readonly atMs: number; readonly place: number; readonly ms: number }
  | {
      readonly kind: 'partition'
      readonly atMs: number
      readonly place: number
      readonly ms: number
      readonly up: boolean
      readonly down: boolean
    }
  | { readonly kind: 'weather'; readonly atMs: number; readonly ms: number; readonly weather: Weather }
  | { readonly kind: 'server-stall'; readonly atMs: number; readonly ms: number }
  | { readonly kind: 'server-step'; readonly atMs: number; readonly ms: number }
  | { readonly kind: 'lose'; readonly atMs: number }
