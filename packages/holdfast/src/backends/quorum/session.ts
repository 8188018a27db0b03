/**
 * A session of a quorum, and the sessions that it has at its nodes: one for each bucket of a node that it needs, opened
 * when a claim comes to it. What a reader would get wrong: a node that was away gets a new session for new claims; what
 * stood there before is gone for good. And a session that has run out leaves its entry at the node until it is ended.
 */
import type { Clock } from '../../clock.ts'
import { BackendUnavailableError } from '../../errors.ts'
import type { SessionDraft, SessionKey } from '../../port.ts'
import type { Random } from '../../random.ts'
import type { Claim, Stand } from './claim.ts'
import type { Node } from './node.ts'

/** Width of the rising part of a claim id. */
const COUNTER_DIGITS = 8

/** The part of a ttl that a holder may believe in: 1 % for clocks of different rate, 2 ms for their grain. */
export function trustedMs(ttlMs: number): number {
  return ttlMs * 0.99 - 2
}

export class NodeSession implements SessionKey {
  readonly node: Node
  readonly bucket: number
  readonly id: string
  /** When the last request was about to be sent by which it lives. */
  startMs: number = Number.NEGATIVE_INFINITY
  era: string | undefined
  gone = false
  /** Claims that stand there, or may. */
  readonly stands: Map<string, Stand> = new Map()
  usedMs: number = Number.NEGATIVE_INFINITY
  /** The id up to which the audit has gone in its present round. */
  auditedTo = ''
  #made = 0

  constructor(node: Node, bucket: number, id: string) {
    this.node = node
    this.bucket = bucket
    this.id = id
  }

  nextClaimId(): string {
    return `${this.id}.${(this.#made++).toString(32).padStart(COUNTER_DIGITS, '0')}`
  }
}

export class QuorumSession {
  readonly draft: SessionDraft
  /** Since when its holder believes that it lives. */
  startMs: number
  over = false
  readonly claims: Map<string, Claim> = new Map()
  /** All that nodes may have an entry of. */
  readonly seats: Set<NodeSession> = new Set()
  readonly #clock: Clock
  readonly #random: Random
  readonly #current = new Map<Node, Map<number, NodeSession>>()
  readonly #opening = new Map<Node, Map<number, Promise<NodeSession>>>()

  constructor(draft: SessionDraft, clock: Clock, random: Random) {
    this.draft = draft
    this.#clock = clock
    this.#random = random
    this.startMs = clock.monotonicMs()
  }

  /** The session at that node for new claims, if there is one that can take them. */
  seat(node: Node, bucket: number): NodeSession | null {
    const seat = this.#current.get(node)?.get(bucket)
    if (seat === undefined || seat.gone || seat.startMs < this.startMs) return null
    const leftMs = seat.startMs + trustedMs(this.draft.ttlMs) - this.#clock.monotonicMs()
    return leftMs >= this.draft.ttlMs / 3 ? seat : null
  }

  /** As `seat`, and opens one if there is none. */
  seated(node: Node, bucket: number): Promise<NodeSession> {
    if (this.over) return Promise.reject(new BackendUnavailableError('the session of the quorum is over'))
    const ready = this.seat(node, bucket)
    if (ready !== null) return Promise.resolve(ready)
    const opening = mapOf(this.#opening, node)
    const running = opening.get(bucket)
    if (running !== undefined) return running
    const begun = this.#open(node, bucket).finally(() => opening.delete(bucket))
    opening.set(bucket, begun)
    return begun
  }

  /** Ends all that it has at its nodes, and what is still being opened there, as far as they answer within their limits. */
  async end(): Promise<void> {
    this.over = true
    const opening = [...this.#opening.values()].flatMap((buckets) => [...buckets.values()])
    await Promise.allSettled([
      ...[...this.seats].map((seat) => this.endSeat(seat)),
      // Not before it is there: the end of an unknown session changes nothing.
      ...opening.map(async (seat) => this.endSeat(await seat)),
    ])
  }

  /** Never rejects: a node that does not confirm it is asked again with the next beat. */
  async endSeat(seat: NodeSession): Promise<void> {
    const ended = seat.node.call((ledger) => ledger.end(seat))
    await ended.then(
      () => this.seats.delete(seat),
      () => {},
    )
  }

  async #open(node: Node, bucket: number): Promise<NodeSession> {
    const seat = new NodeSession(node, bucket, this.#random.id())
    const { ttlMs, host, pid } = this.draft
    const startMs = this.#clock.monotonicMs()
    const draft = { bucket, id: seat.id, ttlMs, host, pid, seenBefore: true, minSeq: 0 }
    seat.usedMs = startMs
    const { era, heldBackMs = 0 } = await node.call((ledger) => {
      const opened = ledger.open(draft)
      // Also where that is told too late to be of use: it has to be ended all the same.
      opened.then(
        () => this.seats.add(seat),
        () => {},
      )
      return opened
    })
    seat.startMs = startMs
    seat.era = era
    mapOf(this.#current, node).set(bucket, seat)
    // All of a node comes of age at once, not each bucket a while after its first use.
    if (bucket === 0 && heldBackMs > 0) this.#bear(node)
    return seat
  }

  #bear(node: Node): void {
    const buckets = node.ledger?.buckets ?? 0
    for (let bucket = 1; bucket < buckets; bucket++) this.seated(node, bucket).catch(() => {})
  }
}

function mapOf<V>(maps: Map<Node, Map<number, V>>, node: Node): Map<number, V> {
  const known = maps.get(node)
  if (known !== undefined) return known
  const made = new Map<number, V>()
  maps.set(node, made)
  return made
}
