/**
 * What a fact of the conformance suite is: a plain function over a world, with a name that is a true sentence. Facts
 * know no test runner, so that the same functions run in a suite, in a child process, or against a server somewhere.
 */
import type { Backend, Duration, Holdfast, HoldfastOptions } from '../../src/index.ts'
import type { Cable } from './cable.ts'

/** What a backend may honestly not have. `order`: a line in the store, in which waiters stand and are seen. */
export type Feature = 'order' | 'permits' | 'cells' | 'claims' | 'detached'

/** A store to hold against the suite. */
export interface Subject {
  readonly name: string
  /** A way of its own to the store, which all calls share. */
  connect(): Backend
  /** A short ttl that the store keeps and the machine can. */
  readonly ttl: Duration
  readonly ttlMs: number
  /** Sessions that a process may have here at once. */
  readonly buckets: number
  /** What it has not; each must be refused with `UnsupportedError`. */
  readonly lacks: readonly Feature[]
  /** It holds grants back after every loss of data, asked or not. */
  readonly quarantines?: boolean
  /** It is away for moments: a short wait that ends in one fails as an outage, which is no contradiction to any fact. */
  readonly shaky?: boolean
}

/** What one fact works with. Whatever it makes is closed when the fact has ended. */
export interface World {
  readonly subject: Subject
  /** This fact's own part of the store. */
  readonly namespace: string
  /** Another neighbour on the same store, as if it were another process. */
  make(options?: Partial<HoldfastOptions>): Holdfast
  /** One that is connected already, for waits that are shorter than that may take. */
  ready(options?: Partial<HoldfastOptions>): Promise<Holdfast>
  /** A neighbour whose way to the store is counted and can be cut. */
  cabled(options?: Partial<HoldfastOptions>): { readonly locks: Holdfast; readonly cable: Cable }
  /** Keeps a lease that nobody else keeps, for one that is collected is given back. */
  hold<T>(lease: T | PromiseLike<T>): Promise<T>
  /** Done at the end of the fact, last first, also when it fails. */
  after(work: () => unknown): void
}

export type Fact = ((world: World) => Promise<void>) & { readonly needs?: readonly Feature[] }
/** Facts by their sentences. */
export type Facts = Readonly<Record<string, Fact>>

/** A fact that is none where the backend has not got these. */
export function needing(needs: readonly Feature[], fact: (world: World) => Promise<void>): Fact {
  return Object.assign(fact, { needs })
}

export interface Chapter {
  readonly title: string
  readonly needs?: readonly Feature[]
  /** Its facts measure or disturb the whole process, so nothing may run beside them. */
  readonly alone?: boolean
  readonly facts: Facts
}
