/**
 * Who was served before whom: first in, first out inside a process; across processes, in calm weather, in the order of
 * arrival where everybody is fair, and otherwise no later than the budget of those ahead allows.
 */
import type { Host } from './host.ts'
import type { LockOperation, Plan } from './plan.ts'
import type { Verdicts } from './verdicts.ts'

interface Standing {
  readonly operation: LockOperation
  /** How many had begun before. */
  readonly number: number
  /** The kernel's event in which one that came later was granted. */
  passedAt: { readonly event: number; readonly by: number } | null
}

export class Order {
  readonly #verdicts: Verdicts
  readonly #plan: Plan
  readonly #eventNow: () => number
  #begun = 0
  readonly #queues = new Map<string, Set<Standing>>()

  constructor(verdicts: Verdicts, plan: Plan, eventNow: () => number) {
    this.#verdicts = verdicts
    this.#plan = plan
    this.#eventNow = eventNow
  }

  /** A take begins. Call the answer when it has ended. */
  standIn(host: Host, operation: LockOperation): (granted: boolean) => void {
    const { thing, waitMs, fair, detached } = operation
    const queues = waitMs > 0 && !fair && !detached && thing.type !== 'all' && thing.type !== 'election'
    if (!queues || this.#plan.processes[operation.place]?.front === false) return () => {}
    const key = `${host.actor.name} ${thing.type === 'permit' ? 'semaphore' : 'lock'} ${thing.name}`
    const queue = this.#queues.get(key) ?? new Set()
    this.#queues.set(key, queue)
    const standing: Standing = { operation, number: this.#begun++, passedAt: null }
    queue.add(standing)
    return (granted) => {
      queue.delete(standing)
      this.#judge(host, standing)
      if (granted) this.#overtake(queue, standing)
    }
  }

  /** Those who came before and still wait have been passed, unless they are told in this very event. */
  #overtake(queue: ReadonlySet<Standing>, by: Standing): void {
    for (const standing of queue) {
      if (standing.number > by.number) return
      standing.passedAt ??= { event: this.#eventNow(), by: by.operation.id }
    }
  }

  #judge(host: Host, { operation, passedAt }: Standing): void {
    if (passedAt === null || passedAt.event === this.#eventNow() || host.closing) return
    this.#verdicts.wrong('order', `op ${passedAt.by} of ${host.actor.name} was served before op ${operation.id}`)
  }
}
