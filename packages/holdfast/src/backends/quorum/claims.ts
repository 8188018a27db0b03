/**
 * What becomes of claims: they are tried, wait for the next try, are held, left or lost. To wait is to try again after a
 * while, each time after a longer one and never after the same one as others.
 */
import type { Clock } from '../../clock.ts'
import type { Closed, Open, Standing } from '../../port.ts'
import { jittered, type Random } from '../../random.ts'
import { type Claim, majorityOf, type Stand } from './claim.ts'
import type { Removals } from './removals.ts'
import type { QuorumSession } from './session.ts'
import { isSemaphore, slotLine } from './slots.ts'
import type { Takes } from './takes.ts'

const RETRY_MS = { first: 10, growth: 1.5, max: 150 }

export class Claims {
  readonly #clock: Clock
  readonly #random: Random
  readonly #takes: Takes
  readonly #removals: Removals
  readonly #majority: number
  readonly #onLost: (id: string) => void

  constructor(
    nodes: number,
    { clock, random }: { readonly clock: Clock; readonly random: Random },
    takes: Takes,
    removals: Removals,
    onLost: (id: string) => void,
  ) {
    this.#clock = clock
    this.#random = random
    this.#takes = takes
    this.#removals = removals
    this.#majority = majorityOf(nodes)
    this.#onLost = onLost
  }

  /** Tries if it is time to, and says when it will be. */
  async standingOf(claim: Claim): Promise<Standing> {
    if (claim.state === 'waiting' && this.#clock.monotonicMs() >= claim.retryAtMs && !this.#inOwnWay(claim))
      await this.try(claim)
    if (claim.state === 'open') return this.open(claim)
    if (claim.state !== 'waiting') return { state: 'gone' }
    const now = this.#clock.monotonicMs()
    if (claim.retryAtMs <= now) {
      claim.pauseMs = Math.min(RETRY_MS.max, Math.max(RETRY_MS.first, claim.pauseMs * RETRY_MS.growth))
      claim.retryAtMs = now + jittered(this.#random, claim.pauseMs)
    }
    const closed: Closed = {
      state: 'closed',
      seq: 0,
      first: true,
      recheckMs: claim.retryAtMs - now,
      holder: claim.holder,
    }
    return closed
  }

  /** One attempt, shared by all who ask for it at the same time. */
  async try(claim: Claim): Promise<boolean> {
    claim.trying ??= this.#attempt(claim).finally(() => {
      claim.trying = null
    })
    await claim.trying
    return claim.state === 'open'
  }

  async #attempt(claim: Claim): Promise<void> {
    const { line, slot, capacity } = claim.draft
    const lines =
      slot && isSemaphore(line) ? Array.from({ length: capacity }, (_, number) => slotLine(line, number)) : [line]
    claim.split = false
    for (const [number, one] of lines.entries()) {
      if (claim.state !== 'waiting') return
      const outcome = await this.#takes.attempt(claim, one)
      if (outcome === 'split') claim.split = true
      if (outcome !== 'held') continue
      if (slot) claim.slot = number
      if (claim.state === 'waiting') claim.state = 'open'
      // Given up while its last answer was on its way.
      else for (const stand of claim.stands) void this.#removals.remove(claim.session, stand)
      return
    }
  }

  /** Who has had its turn lets others try: it waits for one retry as they do. */
  #inOwnWay({ session, draft }: Claim): boolean {
    if (draft.slot) return false
    const held = [...session.claims.values()].filter(
      ({ state, draft: { line } }) => state === 'open' && line === draft.line,
    )
    const weight = held.reduce((sum, one) => sum + one.weight, draft.weight)
    return weight > draft.capacity
  }

  open(claim: Claim, remainingMs: number | null = claim.draft.maxHoldMs): Open {
    // Nobody can be seen waiting, so somebody always may be.
    return { state: 'open', seq: claim.seq, slot: claim.slot, remainingMs, contended: true }
  }

  /** Whether it was still there, as far as a majority says. */
  async leave(session: QuorumSession, id: string): Promise<boolean> {
    const claim = session.claims.get(id)
    if (claim === undefined) return false
    session.claims.delete(id)
    const was = claim.state
    claim.state = 'left'
    if (was === 'open') return this.#removed(session, claim.stands)
    for (const stand of claim.stands) void this.#removals.remove(session, stand)
    return was === 'waiting'
  }

  /** Whether a majority had it, as soon as that is known. */
  #removed(session: QuorumSession, stands: readonly Stand[]): Promise<boolean> {
    return new Promise((resolve) => {
      let [found, left] = [0, stands.length]
      const told = (there: boolean | null): void => {
        left--
        // No answer: it was ours until then, as far as we know.
        if (there !== false) found++
        if (found >= this.#majority) resolve(true)
        else if (found + left < this.#majority) resolve(false)
      }
      for (const stand of stands) void this.#removals.remove(session, stand).then(told)
    })
  }

  lose(claim: Claim): void {
    claim.state = 'lost'
    for (const stand of claim.stands) void this.#removals.remove(claim.session, stand)
    this.#onLost(claim.draft.id)
  }
}
