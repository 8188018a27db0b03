/**
 * Takes that a failover does not forget: none is told as open before so many replicas have it. One that too few have
 * stands in its line all the same, and whoever asked asks again or gives it back.
 */
import { BackendUnavailableError } from '../../errors.ts'
import type { Script } from './script.ts'
import type { Replication, Wire } from './wire.ts'

export class SafeTakes {
  readonly #wire: Wire
  readonly #replication: Replication
  /** Claims that enough replicas had once. When replicas are missing later, their holders do not lose them for it. */
  readonly #safe = new Set<string>()
  /** Nobody waits longer for an answer than a third of a session's life. */
  #ttlMs = Number.POSITIVE_INFINITY

  constructor(wire: Wire, replication: Replication) {
    this.#wire = wire
    this.#replication = replication
  }

  /** @param ids the claims that the reply is about, in its order */
  async run(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    ids: readonly string[],
  ): Promise<unknown> {
    if (ids.every((id) => this.#safe.has(id))) return this.#wire.run(script, keys, args)
    const { count } = this.#replication
    const limitMs = Math.min(this.#replication.limitMs, this.#ttlMs / 6)
    const { reply, acknowledged } = await this.#wire.runReplicated(script, keys, args, { count, limitMs })
    const open = openOf(reply, ids)
    if (acknowledged < count && open.some((id) => !this.#safe.has(id))) {
      throw new BackendUnavailableError(
        `only ${acknowledged} of ${count} replicas had the lock within ${Math.round(limitMs)} ms`,
      )
    }
    for (const id of open) this.#safe.add(id)
    return reply
  }

  /** A session is to be opened that lives so long. */
  opens(ttlMs: number): void {
    this.#ttlMs = ttlMs
  }

  left(ids: readonly string[]): void {
    for (const id of ids) this.#safe.delete(id)
  }

  /** The session has ended, and with it its claims, whose ids begin with its own. */
  ended(session: string): void {
    for (const id of this.#safe) if (id.startsWith(session)) this.#safe.delete(id)
  }
}

/** An answer about a claim is a list, or the bare number of one that is open. */
function openOf(reply: unknown, ids: readonly string[]): readonly string[] {
  const answers = (reply as readonly unknown[])[2]
  if (!Array.isArray(answers)) return []
  return ids.filter((_, index) => {
    const answer: unknown = answers[index]
    return Array.isArray(answer) ? answer[0] === 'open' : answer !== undefined
  })
}
