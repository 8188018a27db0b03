/**
 * Takes claims away from nodes until each node has confirmed it, also from those that answered late or not at all. What
 * was sent and not answered may come to the node later than the leave: then it is taken away once more, past the moment
 * after which the node does not act on it.
 */
import type { Clock } from '../../clock.ts'
import { jittered, type Random } from '../../random.ts'
import type { Stand } from './claim.ts'
import type { QuorumSession } from './session.ts'

const PAUSE_MS = { first: 50, max: 2000 }

export class Removals {
  readonly #clock: Clock
  readonly #random: Random
  #closed = false

  constructor(clock: Clock, random: Random) {
    this.#clock = clock
    this.#random = random
  }

  /** Resolves with the first answer: whether it stood there; null: there was none. */
  remove(session: QuorumSession, stand: Stand): Promise<boolean | null> {
    if (stand.state === 'over') return Promise.resolve(false)
    const sure = stand.state === 'open'
    stand.state = 'over'
    return new Promise((told) => void this.#remove(session, stand, sure, told))
  }

  close(): void {
    this.#closed = true
  }

  async #remove(
    session: QuorumSession,
    { id, line, seat, notAfterMs }: Stand,
    sure: boolean,
    told: (found: boolean | null) => void,
  ): Promise<void> {
    // A claim dies with its session, so there is nothing left to take away then.
    for (let pauseMs = PAUSE_MS.first; !this.#closed && !session.over && !seat.gone; ) {
      try {
        const answer = await seat.node.call((ledger) => ledger.leave(seat.bucket, [{ id, line }]))
        const found = answer.found[0] === true
        told(found)
        if (found || sure || answer.serverMs > notAfterMs) break
        await this.#pause(notAfterMs - answer.serverMs + 1)
      } catch {
        told(null)
        await this.#pause(jittered(this.#random, pauseMs))
        pauseMs = Math.min(pauseMs * 2, PAUSE_MS.max)
      }
    }
    seat.stands.delete(id)
    told(null)
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#clock.after(ms, resolve))
  }
}
