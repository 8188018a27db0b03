/**
 * Takes that a failover does not forget: none is told as open before so many replicas have it. One that too few have
 * stands in its line all the same, and whoever asked asks again or gives it back.
 */
import { BackendUnavailableError } from '../../errors.ts'
import type { SessionKey } from '../../port.ts'
import type { Bucket } from './keys.ts'
import type { Script } from './script.ts'
import type { Replication, Wire } from './wire.ts'

/** An id begins with its session's. */
const SESSION_LENGTH = 16
/** More than one, so that however many sessions are opened, those that are over do not heap up. */
const LOOKED_AT = 4

/** Claims of one session that enough replicas had once. */
interface Kept {
  readonly bucket: number
  readonly ids: Set<string>
}

export class SafeTakes {
  readonly #wire: Wire
  readonly #replication: Replication
  /** By their session. When replicas are missing later, the holders do not lose what is in here for it. */
  readonly #safe = new Map<string, Kept>()
  /** For each question on its way: what was left since, so that a late answer keeps nothing for ever. */
  readonly #leftSince = new Set<Set<string>>()
  /** Nobody waits longer for an answer than a third of a session's life. */
  #ttlMs = Number.POSITIVE_INFINITY

  constructor(wire: Wire, replication: Replication) {
    this.#wire = wire
    this.#replication = replication
  }

  /** @param ids the claims that the reply is about, in its order */
  async run(script: Script, bucket: Bucket, args: readonly string[], ids: readonly string[]): Promise<unknown> {
    if (ids.every((id) => this.#has(id))) return this.#wire.run(script, bucket.keys, args)
    const { count } = this.#replication
    const limitMs = Math.min(this.#replication.limitMs, this.#ttlMs / 6)
    const left = new Set<string>()
    this.#leftSince.add(left)
    try {
      const { reply, acknowledged } = await this.#wire.runReplicated(script, bucket.keys, args, { count, limitMs })
      const open = openOf(reply, ids)
      if (acknowledged < count && open.some((id) => !this.#has(id))) {
        throw new BackendUnavailableError(
          `only ${acknowledged} of ${count} replicas had the lock within ${Math.round(limitMs)} ms`,
        )
      }
      for (const id of open) if (!left.has(id)) this.#keep(bucket.number, id)
      return reply
    } finally {
      this.#leftSince.delete(left)
    }
  }

  /** A session is to be opened that lives so long. */
  opens(ttlMs: number): void {
    this.#ttlMs = ttlMs
  }

  /**
   * A session was opened. One that is lost is ended by nobody, so the store is asked whether those live that were there
   * before: a few in turn, for any number of detached ones may stand beside it.
   */
  async opened(
    { bucket, id }: SessionKey,
    ask: (old: SessionKey) => Promise<{ readonly state: string }>,
  ): Promise<void> {
    const others = [...this.#safe].filter(([old, kept]) => kept.bucket === bucket && old !== id).slice(0, LOOKED_AT)
    for (const [old, kept] of others) {
      const answer = await ask({ bucket, id: old }).catch(() => null)
      if (this.#safe.get(old) !== kept) continue
      this.#safe.delete(old)
      if (answer?.state !== 'session-gone') this.#safe.set(old, kept)
    }
  }

  left(ids: readonly string[]): void {
    for (const id of ids) {
      for (const left of this.#leftSince) left.add(id)
      const session = sessionOf(id)
      const kept = this.#safe.get(session)
      if (kept?.ids.delete(id) && kept.ids.size === 0) this.#safe.delete(session)
    }
  }

  /** The session has ended, and with it its claims. */
  ended(session: string): void {
    this.#safe.delete(session)
  }

  #has(id: string): boolean {
    return this.#safe.get(sessionOf(id))?.ids.has(id) ?? false
  }

  #keep(bucket: number, id: string): void {
    const session = sessionOf(id)
    const kept = this.#safe.get(session)
    if (kept === undefined) this.#safe.set(session, { bucket, ids: new Set([id]) })
    else kept.ids.add(id)
  }
}

function sessionOf(id: string): string {
  return id.slice(0, SESSION_LENGTH)
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
