/**
 * Whether operations can be put into one order in which each takes effect between its invocation and its end, and in
 * which a model of the thing allows them all. Wing and Gong's search, with Lowe's memory of what was tried and a list
 * from which operations are lifted, as in his "Testing for linearizability" (2017).
 *
 * What a reader would get wrong: an operation without a known end may have taken effect at any later time, or never. It
 * is a step that may be left out, and so is the end of a lease that the service may have ended by itself.
 */
import type { Action } from './history.ts'
import type { Operation } from './operations.ts'

export interface Step {
  readonly operation: Operation
  /** `expire`: the service ends what the operation acquired. */
  readonly action: Action | 'expire'
  readonly fromNs: number
  /** Infinity: it need not happen at all. */
  readonly untilNs: number
}

export interface Model<S> {
  readonly start: S
  /** The state behind the step; null: it is not possible here. States are never changed. */
  next(state: S, step: Step): S | null
  /** The same for the same states. */
  keyOf(state: S): string
}

/** `undecided`: the search has looked at more than it may. */
export type Outcome = 'linearizable' | 'not linearizable' | 'undecided'

/** Steps of operations that had an effect or may have had one. */
export function stepsOf(operations: readonly Operation[]): readonly Step[] {
  const steps: Step[] = []
  for (const operation of operations) {
    const { action, outcome, invokedNs, endedNs, expiredNs } = operation
    if (outcome === 'fail') continue
    steps.push({ operation, action, fromNs: invokedNs, untilNs: endedNs })
    if (expiredNs !== null) steps.push({ operation, action: 'expire', fromNs: expiredNs, untilNs: Infinity })
  }
  return steps
}

/** An entry of the list: a step begins, or has to have happened. */
interface Entry {
  readonly step: Step
  readonly index: number
  /** Of a beginning, where it ends; null: it may be left out. Of an end: itself. */
  end: Entry | null
  readonly begins: boolean
  before: Entry | null
  after: Entry | null
}

/** @param statesMax how many states the search may remember */
export function linearize<S>(model: Model<S>, steps: readonly Step[], statesMax = 2_000_000): Outcome {
  const [first] = steps
  if (first === undefined) return 'linearizable'
  const head = listOf(first, steps)
  const done = new Bits(steps.length)
  const tried = new Set<string>()
  const taken: { readonly entry: Entry; readonly state: S }[] = []
  let left = steps.filter(({ untilNs }) => untilNs < Infinity).length
  let state = model.start
  let entry = head.after
  while (left > 0) {
    if (entry?.begins) {
      const next = model.next(state, entry.step)
      if (next !== null && isNew(tried, done, entry.index, model.keyOf(next))) {
        if (tried.size > statesMax) return 'undecided'
        taken.push({ entry, state })
        state = next
        if (entry.end !== null) left--
        lift(entry)
        entry = head.after
      } else {
        entry = entry.after
      }
      continue
    }
    // Something has to have happened by here, and cannot: the last choice was wrong.
    const last = taken.pop()
    if (last === undefined) return 'not linearizable'
    done.clear(last.entry.index)
    state = last.state
    if (last.entry.end !== null) left++
    unlift(last.entry)
    entry = last.entry.after
  }
  return 'linearizable'
}

/** Marks the step as done, and says whether one was in this state with these steps done before. */
function isNew(tried: Set<string>, done: Bits, index: number, key: string): boolean {
  done.set(index)
  const place = `${done.text()} ${key}`
  if (!tried.has(place)) {
    tried.add(place)
    return true
  }
  done.clear(index)
  return false
}

class Bits {
  readonly #words: Uint16Array

  constructor(size: number) {
    this.#words = new Uint16Array(Math.ceil(size / 16))
  }

  set(index: number): void {
    this.#words[index >>> 4] = (this.#words[index >>> 4] ?? 0) | (1 << (index & 15))
  }
  clear(index: number): void {
    this.#words[index >>> 4] = (this.#words[index >>> 4] ?? 0) & ~(1 << (index & 15))
  }
  text(): string {
    return String.fromCharCode(...this.#words)
  }
}

/** Beginnings and ends in the order of time. Of the same moment beginnings come first: they may have overlapped. */
function listOf(first: Step, steps: readonly Step[]): Entry {
  const entries: Entry[] = []
  for (const [index, step] of steps.entries()) {
    const begin: Entry = { step, index, end: null, begins: true, before: null, after: null }
    entries.push(begin)
    if (step.untilNs === Infinity) continue
    begin.end = { step, index, end: null, begins: false, before: null, after: null }
    entries.push(begin.end)
  }
  const atNs = ({ step, begins }: Entry): number => (begins ? step.fromNs : step.untilNs)
  // What may be left out is tried last: mostly it was.
  const rank = ({ begins, end }: Entry): number => (begins ? (end === null ? 1 : 0) : 2)
  entries.sort((a, b) => atNs(a) - atNs(b) || rank(a) - rank(b))
  const head: Entry = { step: first, index: -1, end: null, begins: true, before: null, after: null }
  let last = head
  for (const entry of entries) {
    last.after = entry
    entry.before = last
    last = entry
  }
  return head
}

function lift(entry: Entry): void {
  unlink(entry)
  if (entry.end !== null) unlink(entry.end)
}
function unlift(entry: Entry): void {
  if (entry.end !== null) link(entry.end)
  link(entry)
}
function unlink({ before, after }: Entry): void {
  if (before !== null) before.after = after
  if (after !== null) after.before = before
}
function link(entry: Entry): void {
  if (entry.before !== null) entry.before.after = entry
  if (entry.after !== null) entry.after.before = entry
}
