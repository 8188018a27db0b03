/**
 * The signals that waiting takes heed: one listener for each, however many takes it ends. With a listener for each take
 * Node would warn of a leak at the eleventh, and to take thousands away would take seconds.
 */
import type { Task } from './task.ts'

interface Heeded {
  readonly tasks: Set<Task>
  readonly listener: () => void
}

export class Signals {
  readonly #aborted: (task: Task, reason: unknown) => void
  readonly #heeded = new Map<AbortSignal, Heeded>()

  constructor(aborted: (task: Task, reason: unknown) => void) {
    this.#aborted = aborted
  }

  add(task: Task, signal: AbortSignal): void {
    const known = this.#heeded.get(signal)
    if (known !== undefined) {
      known.tasks.add(task)
      return
    }
    const tasks = new Set([task])
    const listener = (): void => {
      this.#heeded.delete(signal)
      for (const one of tasks) this.#aborted(one, signal.reason)
    }
    signal.addEventListener('abort', listener, { once: true })
    this.#heeded.set(signal, { tasks, listener })
  }

  remove(task: Task, signal: AbortSignal): void {
    const heeded = this.#heeded.get(signal)
    if (heeded?.tasks.delete(task) !== true || heeded.tasks.size > 0) return
    this.#heeded.delete(signal)
    try {
      signal.removeEventListener('abort', heeded.listener)
    } catch {
      // A signal is the user's object; what it does must not keep a take from being settled.
    }
  }
}
