/**
 * A take that waits: what it wants, until when, and whom to tell. It is settled once, in one synchronous step, by
 * whoever comes first: the grant, its deadline, its signal or the end of everything.
 */
import type { ClaimView } from '../errors.ts'
import type { Claim } from '../keeper/claim.ts'
import type { Kind } from '../names.ts'
import type { Patience } from './deadlines.ts'
import type { Grant } from './grant.ts'
import type { Verdict } from './verdict.ts'

/** What a take wants of its line. */
export interface Wish {
  readonly weight: number
  readonly capacity: number
  /** A reader: may share the claim of other readers of this process. */
  readonly shared: boolean
  readonly slot: boolean
  readonly maxHoldMs: number | null
  readonly label: string | null
  readonly value: string | null
  /** Has a claim of its own that is never handed on. */
  readonly alone: boolean
  readonly detached: boolean
}

export type Settled =
  | { readonly kind: 'granted'; readonly grant: Grant }
  | { readonly kind: 'busy'; readonly holder: ClaimView | null }
  | {
      readonly kind: 'failed'
      readonly error: unknown
      readonly outcome: 'timeout' | 'aborted' | 'outage' | 'refused' | 'closed'
    }

export interface TakeTerms {
  readonly kind: Kind
  readonly name: string
  readonly line: string
  readonly wish: Wish
  /** Infinite: for ever. 0: at once or not at all. */
  readonly waitMs: number
  readonly signal: AbortSignal | undefined
  readonly within: Grant | null
  readonly reentrant: boolean
}

/** What became of a take, and the moment of its beginning. */
export type Told = (settled: Settled, sinceMs: number) => void

/** Sees to what a task leaves behind, and tells it. */
export interface TaskOwner {
  settled(task: Task, settled: Settled): void
}

export interface Place {
  drop(task: Task): void
  overdue(task: Task): Verdict
}

export class Task {
  readonly terms: TakeTerms
  readonly wish: Wish
  /** Told its end once. */
  readonly told: Told
  /** Monotonic moment of its beginning. */
  readonly sinceMs: number
  readonly #owner: TaskOwner
  settled = false
  /** Where it stands; told when it steps out. */
  place: Place | null = null
  /** Its place among those with the same patience. */
  patience: Patience | null = null
  earlier: Task | null = null
  later: Task | null = null
  dueMs = 0
  /** A try that waits for an answer on its way, and for nothing else. */
  once = false
  /** Its own claim, when it does not go through the queue. */
  claim: Claim | null = null
  prev: Task | null = null
  next: Task | null = null

  constructor(terms: TakeTerms, sinceMs: number, told: Told, owner: TaskOwner) {
    this.terms = terms
    this.wish = terms.wish
    this.sinceMs = sinceMs
    this.told = told
    this.#owner = owner
  }

  settle(settled: Settled): void {
    if (this.settled) return
    this.settled = true
    this.#owner.settled(this, settled)
  }
}

/** First in, first out, and anybody may step out of the middle. */
export class TaskQueue {
  #head: Task | null = null
  #tail: Task | null = null
  #size = 0

  get head(): Task | null {
    return this.#head
  }
  get size(): number {
    return this.#size
  }

  push(task: Task): void {
    task.prev = this.#tail
    if (this.#tail === null) this.#head = task
    else this.#tail.next = task
    this.#tail = task
    this.#size++
  }

  remove(task: Task): void {
    if (task !== this.#head && task.prev === null) return
    if (task.prev === null) this.#head = task.next
    else task.prev.next = task.next
    if (task.next === null) this.#tail = task.prev
    else task.next.prev = task.prev
    task.prev = null
    task.next = null
    this.#size--
  }
}
