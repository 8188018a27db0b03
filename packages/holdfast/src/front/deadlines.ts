/**
 * The waiting takes and their deadlines. Takes with the same patience end in the order in which they came, so a list and
 * one timer for each patience do, where a timer for each take would be most of what a hand-over costs.
 */
import type { Clock, Timer } from '../clock.ts'
import type { Task } from './task.ts'

interface Patience {
  readonly waitMs: number
  head: Task | null
  tail: Task | null
  timer: Timer | null
}

/** So many lists and their timers stay while nobody has that patience: it will be the next one's again. */
const KEPT = 16

export class Deadlines {
  readonly #clock: Clock
  readonly #over: (task: Task) => void
  readonly #patiences = new Map<number, Patience>()
  size = 0

  constructor(clock: Clock, over: (task: Task) => void) {
    this.#clock = clock
    this.#over = over
  }

  /** @param waitMs infinite: it has no deadline */
  add(task: Task, waitMs: number): void {
    this.size++
    const patience = this.#patiences.get(waitMs) ?? this.#newPatience(waitMs)
    task.dueMs = task.sinceMs + waitMs
    task.patience = patience
    task.earlier = patience.tail
    if (patience.tail === null) patience.head = task
    else patience.tail.later = task
    patience.tail = task
    if (waitMs !== Number.POSITIVE_INFINITY) patience.timer ??= this.#arm(patience, waitMs)
  }

  remove(task: Task): void {
    const { patience, earlier, later } = task
    if (patience === null) return
    this.size--
    task.patience = null
    task.earlier = null
    task.later = null
    if (earlier === null) patience.head = later
    else earlier.later = later
    if (later === null) patience.tail = earlier
    else later.earlier = earlier
    if (patience.head === null && this.#patiences.size > KEPT) this.#drop(patience)
  }

  /** All that wait, those with the same patience in their order. */
  tasks(): readonly Task[] {
    const tasks: Task[] = []
    for (const { head } of this.#patiences.values()) {
      for (let task = head; task !== null; task = task.later) tasks.push(task)
    }
    return tasks
  }

  close(): void {
    for (const { timer } of this.#patiences.values()) timer?.cancel()
    this.#patiences.clear()
  }

  #drop(patience: Patience): void {
    patience.timer?.cancel()
    patience.timer = null
    if (this.#patiences.get(patience.waitMs) === patience) this.#patiences.delete(patience.waitMs)
  }

  #newPatience(waitMs: number): Patience {
    const patience = { waitMs, head: null, tail: null, timer: null }
    this.#patiences.set(waitMs, patience)
    return patience
  }

  #arm(patience: Patience, ms: number): Timer {
    return this.#clock.after(ms, () => {
      patience.timer = null
      const now = this.#clock.monotonicMs()
      for (let task = patience.head; task !== null && task.dueMs <= now; task = patience.head) {
        this.remove(task)
        this.#over(task)
      }
      // Over a task, others may have been added and have armed it.
      if (patience.head !== null) patience.timer ??= this.#arm(patience, patience.head.dueMs - now)
      else this.#drop(patience)
    })
  }
}

export type { Patience }
