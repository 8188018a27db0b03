/**
 * The small queue that hangs on a grant for takes of its own call chain: parent and child share, siblings exclude each
 * other unless all of them read. When the parent has ended, those that still wait are strangers and stand in line.
 */
import { WaitTimeoutError } from '../errors.ts'
import type { Grant } from './grant.ts'
import { type Place, type Task, TaskQueue } from './task.ts'

export class Nest implements Place {
  readonly #parent: Grant
  readonly #queue = new TaskQueue()
  readonly #children = new Set<Grant>()
  readonly #orphaned: (task: Task) => void

  constructor(parent: Grant, orphaned: (task: Task) => void) {
    this.#parent = parent
    this.#orphaned = orphaned
  }

  queue(task: Task): void {
    this.#queue.push(task)
    this.#serve()
  }

  try(task: Task): void {
    this.queue(task)
    if (task.settled) return
    this.#queue.remove(task)
    const { keeper, claim } = this.#parent.hold
    task.settle({ kind: 'busy', holder: keeper.viewOf(claim, this.#parent) })
  }

  drop(task: Task): void {
    this.#queue.remove(task)
    this.#serve()
  }

  overdue(task: Task): { readonly error: Error; readonly outcome: 'timeout' } {
    const { keeper, claim, name } = this.#parent.hold
    const view = keeper.viewOf(claim, this.#parent)
    return { error: new WaitTimeoutError(name, keeper.clock.monotonicMs() - task.sinceMs, view), outcome: 'timeout' }
  }

  /** A child, or the parent itself, has ended. */
  ended(grant: Grant): void {
    this.#children.delete(grant)
    this.#serve()
  }

  #serve(): void {
    for (let task = this.#queue.head; task !== null; task = this.#queue.head) {
      if (task.settled) {
        this.#queue.remove(task)
        continue
      }
      const over = this.#parent.state !== 'held'
      if (!over && !this.#fits(task)) return
      this.#queue.remove(task)
      if (over) this.#orphaned(task)
      else this.#grant(task)
    }
  }

  #fits(task: Task): boolean {
    if (this.#children.size === 0) return true
    return task.wish.shared && [...this.#children].every((child) => child.shared)
  }

  #grant(task: Task): void {
    const { hold } = this.#parent
    const now = hold.keeper.clock.monotonicMs()
    const child = hold.nest(this.#parent, task.wish, now - task.sinceMs, now)
    this.#children.add(child)
    task.settle({ kind: 'granted', grant: child })
  }
}
