/**
 * The sessions of one Holdfast object: opened when something is wanted of their bucket, beaten while they hold or want
 * anything, lost once and for all. What a loss means for a claim is its owner's business.
 */
import type { Clock } from '../clock.ts'
import { BackendUnavailableError, type LossReason } from '../errors.ts'
import { emit, type SessionEvent } from '../events.ts'
import type { Settings } from '../options.ts'
import type { AuditRow, BeatAnswer } from '../port.ts'
import type { Random } from '../random.ts'
import type { Claim } from './claim.ts'
import { hostOf } from './host.ts'
import type { Link } from './link.ts'
import { Session } from './session.ts'
import { type Start, startNow } from './tenure.ts'

/** Own claims that one beat audits. */
export const AUDIT_ROWS = 64

/** Who is told what beats and losses say about claims. */
export interface ClaimOwner {
  gone(claim: Claim, reason: LossReason): void
  heardOf(claim: Claim, contended: boolean, sent: Start): void
  /** The store has a claim of this session that nobody here knows. */
  stranger(session: Session, row: AuditRow, serverMs: number): void
  /** The store may have forgotten any of the session's claims. */
  moved(session: Session): void
  /** The session has claims, and needs beats from now on. */
  used(session: Session): void
  /** And no more. */
  over(session: Session): void
  /** When this thread last ran its timers. */
  readonly ranMs: number
}

export class Sessions {
  readonly settings: Settings
  readonly byBucket: Map<number, Session> = new Map()
  /** Sessions of detached claims that still wait. */
  readonly loners: Set<Session> = new Set()
  /** Their `open` has no answer yet. */
  readonly unanswered: Set<Session> = new Set()
  #everLost = false
  /** This client has had a session here before. */
  #opened = false
  readonly #clock: Clock
  readonly #random: Random
  readonly #link: Link
  readonly #owner: ClaimOwner
  readonly #opening = new Map<number, Promise<Session>>()
  /** The sessions of those, once their `open` is sent. */
  readonly #sent = new Map<number, Session>()
  readonly #beating = new Map<Session, Promise<boolean>>()
  readonly #minSeq = new Map<number, number>()

  constructor(settings: Settings, clock: Clock, random: Random, link: Link, owner: ClaimOwner) {
    this.settings = settings
    this.#clock = clock
    this.#random = random
    this.#link = link
    this.#owner = owner
  }

  get state(): 'none' | 'open' | 'lost' {
    if ([...this.byBucket.values()].some((session) => session.standing() !== 'lost')) return 'open'
    return this.#everLost ? 'lost' : 'none'
  }
  /** How long one request may take. */
  get callMs(): number {
    return this.settings.ttlMs / 3
  }
  /** 1 + the highest number this process has had from the bucket. */
  minSeq(bucket: number): number {
    return this.#minSeq.get(bucket) ?? 0
  }
  sawSeq(bucket: number, seq: number): void {
    if (!(seq < 2 ** 53)) throw new RangeError(`the store gave a number beyond 2^53: ${seq}`)
    if (seq >= this.minSeq(bucket)) this.#minSeq.set(bucket, seq + 1)
  }

  /** As `ready`, if there is one already. */
  readyNow(bucket: number): Session | null {
    const session = this.byBucket.get(bucket)
    if (session === undefined) return null
    // By any clock: who has a third left is neither lost nor in doubt.
    if (session.hasThird()) return session
    this.check(session)
    return null
  }

  /**
   * One whose `open` is on its way, or is sent now. A claim may be sent behind it, where the store serves requests in
   * order; should it not, or should the `open` fail, the claim is sent again. Null: an older one has to be renewed first.
   */
  sentNow(bucket: number): Session | null {
    if (this.#sent.has(bucket) || this.byBucket.has(bucket) || this.#opening.has(bucket)) {
      return this.#sent.get(bucket) ?? null
    }
    // Who sends a claim behind it is told by the claim.
    this.ready(bucket).catch(() => {})
    return this.#sent.get(bucket) ?? null
  }

  /** A session of the bucket with at least a third of its life left. */
  async ready(bucket: number): Promise<Session> {
    const ready = this.readyNow(bucket)
    if (ready !== null) return ready
    const running = this.#opening.get(bucket)
    if (running !== undefined) return running
    const opening = this.#renewOrOpen(bucket, this.byBucket.get(bucket)).finally(() => this.#opening.delete(bucket))
    this.#opening.set(bucket, opening)
    return opening
  }

  async #renewOrOpen(bucket: number, old: Session | undefined): Promise<Session> {
    if (old !== undefined && this.check(old) !== 'lost') {
      const beaten = await this.beat(old)
      if (beaten && old.state === 'live' && old.hasThird()) return old
      if (this.check(old) !== 'lost') throw new BackendUnavailableError('the session could not be renewed')
    }
    const session = this.#fresh(bucket)
    this.#sent.set(bucket, session)
    await this.#register(session)
    if (!session.hasThird() && !(await this.beat(session))) {
      throw new BackendUnavailableError('the session ended before it could be used')
    }
    return session
  }

  async open(bucket: number): Promise<Session> {
    const session = this.#fresh(bucket)
    await this.#register(session)
    return session
  }

  /** Its id never comes back. */
  #fresh(bucket: number): Session {
    return new Session(this.#clock, bucket, this.#random.id(), this.settings.ttlMs)
  }

  #register(session: Session): Promise<void> {
    const opened = this.#registered(session)
    session.opened = opened
    return opened
  }

  async #registered(session: Session): Promise<void> {
    const { bucket, id, ttlMs } = session
    const draft = {
      bucket,
      id,
      ttlMs,
      host: hostOf(),
      pid: process.pid,
      seenBefore: this.#opened,
      minSeq: this.minSeq(bucket),
    }
    let start = startNow(this.#clock)
    const opening = this.#link.call(this.callMs, (ledger) => {
      // Not earlier: there may have been no connection yet.
      start = startNow(this.#clock)
      this.unanswered.add(session)
      return ledger.open(draft)
    })
    try {
      const { era } = await opening
      session.era = era
      this.#opened = true
      session.confirm(start)
      if (session.standing() === 'lost') throw new BackendUnavailableError('the session ended before it could be used')
      if (this.#sent.get(bucket) === session) this.byBucket.set(bucket, session)
    } catch (error) {
      this.#fail(session)
      throw error
    } finally {
      this.unanswered.delete(session)
      if (this.#sent.get(bucket) === session) this.#sent.delete(bucket)
    }
    this.#tell({ state: 'opened' })
    if (session.claims.size > 0) this.#owner.used(session)
  }

  /** Claims that were sent behind it stand in line again, in another session. */
  #fail(session: Session): void {
    session.giveUp(startNow(this.#clock))
    for (const claim of [...session.claims.values()]) this.#owner.gone(claim, 'expired')
  }

  /** One beat. True: confirmed. Several callers share one that is under way. */
  beat(session: Session): Promise<boolean> {
    const running = this.#beating.get(session)
    if (running !== undefined) return running
    const beat = this.#beat(session).finally(() => this.#beating.delete(session))
    this.#beating.set(session, beat)
    return beat
  }

  async #beat(session: Session): Promise<boolean> {
    const start = startNow(this.#clock)
    const after = session.auditedTo
    const terms = { ttlMs: session.ttlMs, era: session.era, after, limit: AUDIT_ROWS }
    try {
      const answer = await this.#link.call(session.ttlMs / 6, (ledger) => {
        const answered = ledger.beat({ bucket: session.bucket, id: session.id }, terms)
        // What is gone stays gone, so this is true also when it comes too late to be waited for.
        answered.then(
          ({ state }) => {
            if (state === 'session-gone' && session.state === 'live') this.gone(session)
          },
          () => {},
        )
        return answered
      })
      // Past the deadline is lost, also when the answer that would have moved it arrives a moment later.
      if (answer.state === 'beaten' && this.check(session) !== 'lost') session.confirm(start)
      return this.beaten(session, answer, after, start)
    } catch {
      return false
    }
  }

  /** Draws the consequences of a beat that was answered, also of one that the heartbeat thread made. */
  beaten(session: Session, answer: BeatAnswer, after: string, start: Start): boolean {
    if (session.state !== 'live') return false
    if (answer.state === 'session-gone' || session.standing() === 'lost') {
      this.gone(session)
      return false
    }
    if (answer.state === 'moved') {
      session.era = answer.era
      this.#owner.moved(session)
      return false
    }
    for (const id of answer.revoked) {
      const claim = session.claims.get(id)
      if (claim !== undefined) this.#owner.gone(claim, 'revoked')
    }
    if (answer.audit === null) return true
    for (const row of answer.audit) {
      const claim = session.claims.get(row.id)
      if (claim?.state === 'open' && claim.freshMs < start.monotonicMs) this.#owner.heardOf(claim, row.contended, start)
    }
    const { missing, strangers } = session.compare(after, answer.audit, AUDIT_ROWS, start.monotonicMs)
    for (const claim of missing) this.#owner.gone(claim, 'forgotten')
    for (const row of strangers) this.#owner.stranger(session, row, answer.serverMs)
    return true
  }

  /** The session is over: what it held is lost, what it waited for stands in line again. */
  lose(session: Session, reason: LossReason): void {
    if (session.state === 'lost') return
    session.state = 'lost'
    if (this.byBucket.get(session.bucket) === session) this.byBucket.delete(session.bucket)
    this.loners.delete(session)
    this.#owner.over(session)
    // An idle session just ends.
    if (session.claims.size === 0) return
    this.#everLost = true
    const claims = [...session.claims.values()]
    const placesLost = claims.filter((claim) => claim.state === 'closed').length
    this.#tell({ state: 'lost', placesLost, detail: reason })
    for (const claim of claims) this.#owner.gone(claim, reason)
  }

  /** The store says that the session is over. */
  gone(session: Session): void {
    this.lose(session, session.standing() === 'live' ? 'forgotten' : this.#lossReason(session))
  }

  /** Whether the session is ours by our clocks. Loses it in this very step when it is not. */
  check(session: Session): 'live' | 'suspect' | 'lost' {
    const standing = session.standing()
    if (standing === 'lost' && session.state === 'live') this.lose(session, this.#lossReason(session))
    if (standing === 'suspect' && !this.#beating.has(session)) this.#doubt(session)
    return standing
  }

  #doubt(session: Session): void {
    const { namespace } = this.settings
    const message = 'wall or boot clock ran ahead of the monotonic one: leases are in doubt until a beat is confirmed'
    emit('holdfast:warning', () => ({ namespace, code: 'clocks-apart', message }))
    void this.beat(session)
  }

  #lossReason(session: Session): LossReason {
    return this.#clock.monotonicMs() - this.#owner.ranMs > session.ttlMs / 2 ? 'stalled' : 'expired'
  }

  #tell(event: Pick<SessionEvent, 'state'> & Partial<SessionEvent>): void {
    const { namespace } = this.settings
    emit('holdfast:session', () => ({ namespace, lateByMs: 0, placesLost: 0, heartbeat: null, detail: null, ...event }))
  }
}
