/**
 * One beat of a quorum's session: all its sessions at all nodes are beaten at once. It counts when each claim that is
 * held is kept by a majority, for a claim lives as long as the majority-th longest of its nodes. A claim that a majority
 * cannot keep any more is lost; one of which nobody knows holds the beat up, unless others are kept and it is nearly over.
 */
import type { Clock } from '../../clock.ts'
import { QuorumError } from '../../errors.ts'
import type { BeatAnswer, BeatTerms } from '../../port.ts'
import { votesOf } from './ballot.ts'
import { type Claim, majorityOf } from './claim.ts'
import type { Node } from './node.ts'
import { type NodeSession, type QuorumSession, trustedMs } from './session.ts'

export class Beats {
  readonly #nodes: readonly Node[]
  readonly #clock: Clock
  readonly #onLost: (claim: Claim) => void

  constructor(nodes: readonly Node[], clock: Clock, onLost: (claim: Claim) => void) {
    this.#nodes = nodes
    this.#clock = clock
    this.#onLost = onLost
  }

  /** @throws {QuorumError} */
  async beat(session: QuorumSession, { ttlMs, limit }: BeatTerms): Promise<BeatAnswer> {
    const startMs = this.#clock.monotonicMs()
    const answered: (boolean | null)[] = this.#nodes.map(() => null)
    await new Promise<void>((resolve) => {
      for (const [index, node] of this.#nodes.entries()) {
        void this.#beatNode(session, node, startMs, { ttlMs, limit }).then((beaten) => {
          answered[index] = beaten
          if (this.#isEnough(session, answered, startMs) || answered.every((one) => one !== null)) resolve()
        })
      }
    })
    this.review(session)
    if (!this.#isEnough(session, answered, startMs)) this.#giveUp(session, startMs)
    if (!this.#isEnough(session, answered, startMs)) throw this.#failure(answered)
    session.startMs = startMs
    const lost = [...session.claims.values()].filter(({ state, revoked }) => state === 'lost' && revoked)
    const revoked = lost.map(({ draft }) => draft.id)
    return { serverMs: this.#clock.monotonicMs(), state: 'beaten', audit: null, revoked }
  }

  /** Claims that fewer than a majority of nodes have are over, whatever becomes of the rest. */
  review(session: QuorumSession): void {
    const majority = majorityOf(this.#nodes.length)
    for (const claim of session.claims.values()) {
      if (claim.state === 'open' && claim.keptSince(Number.NEGATIVE_INFINITY) < majority) this.#onLost(claim)
    }
  }

  #isEnough(session: QuorumSession, answered: readonly (boolean | null)[], startMs: number): boolean {
    const majority = majorityOf(this.#nodes.length)
    if (answered.filter((beaten) => beaten === true).length < majority) return false
    return openClaims(session).every((claim) => claim.keptSince(startMs) >= majority)
  }

  /** One claim that cannot be confirmed must not end those that are. */
  #giveUp(session: QuorumSession, startMs: number): void {
    const majority = majorityOf(this.#nodes.length)
    const { ttlMs } = session.draft
    const claims = openClaims(session)
    const doubtful = claims.filter((claim) => claim.keptSince(startMs) < majority)
    if (doubtful.length === claims.length) return
    const soonMs = this.#clock.monotonicMs() + ttlMs / 3
    for (const claim of doubtful) if (claim.keptAtMs(majority) + trustedMs(ttlMs) < soonMs) this.#onLost(claim)
  }

  /** True: a session at the node was confirmed, and all that were asked for were answered. */
  async #beatNode(
    session: QuorumSession,
    node: Node,
    startMs: number,
    terms: Pick<BeatTerms, 'ttlMs' | 'limit'>,
  ): Promise<boolean> {
    const seats = [...session.seats].filter((seat) => seat.node === node)
    const wanted = seats.filter((seat) => isWanted(seat, session.draft.ttlMs, startMs))
    const idle = seats.filter((seat) => !wanted.includes(seat))
    for (const seat of idle) seat.gone = true
    try {
      const beaten = await Promise.all(wanted.map((seat) => this.#beatSeat(seat, startMs, terms)))
      // It has forgotten us, as a node does that was away: the next claim finds a session again.
      const confirmed = beaten.includes(true) || (await session.seated(node, 0)).startMs >= startMs
      // Only now: of a node that was away one thing is asked at first, and that must be what claims live by.
      for (const seat of idle) void session.endSeat(seat)
      return confirmed
    } catch {
      return false
    }
  }

  async #beatSeat(
    seat: NodeSession,
    startMs: number,
    { ttlMs, limit }: Pick<BeatTerms, 'ttlMs' | 'limit'>,
  ): Promise<boolean> {
    const { node, bucket, id } = seat
    const after = seat.auditedTo
    const terms = { ttlMs, era: seat.era, after, limit }
    const answer = await node.call((ledger) => ledger.beat({ bucket, id }, terms))
    if (answer.state === 'session-gone') {
      seat.gone = true
      return false
    }
    if (answer.state === 'moved') {
      await this.#askAnew(seat)
      seat.era = answer.era
      return this.#beatSeat(seat, startMs, { ttlMs, limit })
    }
    seat.startMs = Math.max(seat.startMs, startMs)
    for (const revoked of answer.revoked) this.#revoke(seat, revoked)
    if (answer.audit !== null) {
      const last = answer.audit.length < limit ? null : (answer.audit.at(-1)?.id ?? after)
      const found = new Set(answer.audit.map((row) => row.id))
      for (const stand of seat.stands.values()) {
        const covered = stand.id > after && (last === null || stand.id <= last)
        if (!covered || stand.state !== 'open' || stand.openedMs >= startMs || found.has(stand.id)) continue
        stand.state = 'over'
        seat.stands.delete(stand.id)
      }
      seat.auditedTo = last ?? ''
    }
    return true
  }

  #revoke(seat: NodeSession, id: string): void {
    const stand = seat.stands.get(id)
    if (stand === undefined) return
    stand.state = 'over'
    stand.claim.revoked = true
    seat.stands.delete(id)
  }

  /** The node has started anew: which claims does it still have? */
  async #askAnew(seat: NodeSession): Promise<void> {
    const stands = [...seat.stands.values()].filter(({ state }) => state === 'open')
    const keys = stands.map(({ id, line }) => ({ id, line }))
    const { node, bucket, id } = seat
    const answer = await node.call((ledger) => ledger.ask({ bucket, id }, keys))
    for (const [index, stand] of stands.entries()) {
      const there = answer.state === 'told' && answer.standings[index]?.state === 'open'
      if (!there) stand.state = 'over'
    }
  }

  #failure(answered: readonly (boolean | null)[]): QuorumError {
    const names = this.#nodes.map(({ name }) => name)
    const votes = votesOf(
      names,
      answered.map((beaten) => (beaten === true ? 'yes' : 'unknown')),
    )
    return new QuorumError(`no majority of ${names.length} nodes confirmed what is held`, votes)
  }
}

/** What nothing came to for a ttl need not live on. */
function isWanted(seat: NodeSession, ttlMs: number, now: number): boolean {
  return !seat.gone && (seat.stands.size > 0 || now - seat.usedMs < ttlMs)
}

function openClaims(session: QuorumSession): readonly Claim[] {
  return [...session.claims.values()].filter(({ state }) => state === 'open')
}
