/**
 * Keeps this process's claims: opens sessions when they are needed, puts claims into lines, waits for their turn, and
 * tells their owners what became of them. Everything here survives an unknown outcome: a request is repeated with the
 * same claim id until the store has answered or the owner has given up, and then left until the store confirms.
 */
import type { Clock, Timer } from '../clock.ts'
import { BackendUnavailableError, type ClaimView, isHoldfastError, type LossReason } from '../errors.ts'
import { emit } from '../events.ts'
import type { Settings } from '../options.ts'
import type { AmendAnswer, BeatAnswer, Closed, EnterAnswer, Open, Port, Standing } from '../port.ts'
import { jittered, type Random } from '../random.ts'
import { Asker } from './asker.ts'
import { Claim, type ClaimListener, type ClaimState, type ClaimWish } from './claim.ts'
import { hostOf } from './host.ts'
import { Link } from './link.ts'
import { Outbox } from './outbox.ts'
import { Pulse } from './pulse.ts'
import { Session } from './session.ts'
import { type Start, startNow } from './tenure.ts'

/** Own claims that one beat audits. */
const AUDIT_ROWS = 64
const CLOSE_MS_MAX = 1000
const PAUSE_MS = { first: 20, max: 1000 }
/** A waiter looks again this long after a blocker's end, so that the end has passed on the store's clock too. */
const LATE_MS = 2
export interface Surroundings {
  readonly clock: Clock
  readonly random: Random
}

export class Keeper {
  readonly settings: Settings
  readonly clock: Clock
  readonly random: Random
  readonly link: Link
  readonly outbox: Outbox
  readonly pulse: Pulse
  readonly sessions: Map<number, Session> = new Map()
  /** Sessions of detached claims that still wait. */
  readonly loners: Set<Session> = new Set()
  /** Told of hints that are not about a claim of ours: a line, a cell, or anything (null). */
  onChange: (what: string | null) => void = () => {}
  everLost = false
  readonly #opening = new Map<number, Promise<Session>>()
  readonly #beating = new Map<Session, Promise<boolean>>()
  readonly #waiting = new Map<string, Claim>()
  readonly #minSeq = new Map<number, number>()
  readonly #asker: Asker
  #listening: Promise<void> | null = null
  #listens = false
  #vigils = 0
  #vigil: Timer | null = null

  constructor(port: Port, settings: Settings, { clock, random }: Surroundings) {
    this.settings = settings
    this.clock = clock
    this.random = random
    const { namespace, maxTtlMs, quarantine } = settings
    const onHint = (what: string | null): void => this.#hinted(what)
    this.link = new Link(port, { namespace, maxTtlMs, quarantine, clock, random, onHint })
    this.outbox = new Outbox(clock, random, (bucket, claims) =>
      this.link.call(this.callMs, (ledger) => ledger.leave(bucket, claims)),
    )
    this.#asker = new Asker({
      clock,
      random,
      ask: (session, claims) =>
        this.link.call(this.callMs, (ledger) =>
          ledger.ask(
            session,
            claims.map((claim) => ({ id: claim.id, line: claim.wish.line })),
          ),
        ),
      told: (claim, standing, sentMs) => this.#told(claim, standing, sentMs),
      sessionGone: (session) => this.lose(session, 'expired'),
    })
    this.pulse = new Pulse(this, port)
  }

  /** How long one request may take. */
  get callMs(): number {
    return this.settings.ttlMs / 3
  }
  get waiting(): number {
    return this.#waiting.size
  }
  /** 1 + the highest number this process has had from the bucket. */
  minSeq(bucket: number): number {
    return this.#minSeq.get(bucket) ?? 0
  }
  sawSeq(bucket: number, seq: number): void {
    if (!(seq < 2 ** 53)) throw new RangeError(`the store gave a number beyond 2^53: ${seq}`)
    if (seq >= this.minSeq(bucket)) this.#minSeq.set(bucket, seq + 1)
  }

  /** Connects and opens a session. @throws {BackendUnavailableError | BackendRefusedError} or the reason of `signal` */
  async connect(signal: AbortSignal | undefined): Promise<void> {
    await this.link.call(this.callMs, () => Promise.resolve())
    signal?.throwIfAborted()
    await this.#ready(0)
    signal?.throwIfAborted()
  }

  /** Ends all sessions, and with them what they held, within a bounded time also when the store hangs. */
  async close(): Promise<void> {
    const limitMs = Math.min(this.callMs, CLOSE_MS_MAX)
    const sessions = [...this.sessions.values(), ...this.loners]
    this.outbox.close()
    await this.pulse.close()
    if (this.link.ledger !== null) {
      await Promise.allSettled(
        sessions.map(({ bucket, id }) => this.link.call(limitMs, (ledger) => ledger.end({ bucket, id }))),
      )
    }
    for (const session of sessions) session.state = 'lost'
    this.sessions.clear()
    await this.link.close(limitMs)
  }

  /** Until when a request that is sent now may take effect, in the store's time. */
  async notAfterMs(): Promise<number> {
    if (!this.link.knowsTime) await this.#ready(0)
    return this.link.serverNowMs() + this.callMs
  }

  /** Puts a claim into its line. The listener is told what becomes of it; end it with `leave`. */
  stand(wish: ClaimWish, mode: 'queue' | 'try', listener: ClaimListener): Claim {
    const claim = new Claim(wish, mode, listener)
    void this.#enter(claim)
    return claim
  }

  /** Takes the claim away, at once for us and until confirmed for the store. False: it was not there any more. */
  leave(claim: Claim): Promise<boolean> {
    const session = claim.session
    this.#forget(claim)
    if (session === null || claim.id === '') return Promise.resolve(true)
    return this.outbox.leave(session, { id: claim.id, line: claim.wish.line }, claim.notAfterMs)
  }

  /** Brings what we know of an open claim up to date, beating first if its session has little left. */
  async refresh(claim: Claim): Promise<boolean> {
    const session = claim.session
    if (session === null || claim.state !== 'open') return false
    if (session.standing() !== 'live' || !session.hasThird()) await this.beat(session)
    if (stateOf(claim) !== 'open') return false
    return this.amend(claim, {})
  }

  /** Gives an open claim another end or a smaller weight. False: the store did not say so, or the claim is lost. */
  async amend(
    claim: Claim,
    change: { readonly maxHoldMs?: number | null; readonly weight?: number },
  ): Promise<boolean> {
    const session = claim.session
    if (session === null || claim.state !== 'open') return false
    const sentMs = this.clock.monotonicMs()
    const key = { id: claim.id, line: claim.wish.line }
    const plain = change.maxHoldMs === undefined && change.weight === undefined
    let answer: AmendAnswer
    try {
      answer = await this.link.call(this.callMs, async (ledger): Promise<AmendAnswer> => {
        if (!plain) return ledger.amend(session, key, change)
        const asked = await ledger.ask(session, [key])
        return asked.state === 'told'
          ? { serverMs: asked.serverMs, ...(asked.standings[0] ?? { state: 'gone' }) }
          : asked
      })
    } catch (error) {
      claim.outage = error
      // It may have been done: until we know, the earlier of both ends counts.
      if (typeof change.maxHoldMs === 'number')
        claim.endMs = Math.min(claim.endMs ?? Number.POSITIVE_INFINITY, sentMs + change.maxHoldMs)
      await this.pause(jittered(this.random, PAUSE_MS.first * 2))
      return false
    }
    if (this.#stale(claim, session)) return false
    if (answer.state === 'session-gone') {
      this.lose(session, 'expired')
      return false
    }
    if (change.weight !== undefined && answer.state === 'open') claim.weight = change.weight
    this.#told(claim, answer, sentMs)
    return stateOf(claim) === 'open'
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
    const start = startNow(this.clock)
    const after = session.auditedTo
    const terms = { ttlMs: session.ttlMs, after, limit: AUDIT_ROWS }
    try {
      const answer = await this.link.call(session.ttlMs / 6, (ledger) =>
        ledger.beat({ bucket: session.bucket, id: session.id }, terms),
      )
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
      this.lose(session, this.#lossReason(session))
      return false
    }
    for (const id of answer.revoked) this.#gone(session.claims.get(id), 'revoked')
    for (const row of answer.audit) {
      const claim = session.claims.get(row.id)
      if (claim?.state === 'open' && claim.freshMs < start.monotonicMs)
        this.#heardOf(claim, row.contended, start.monotonicMs)
    }
    const { missing, strangers } = session.compare(after, answer.audit, AUDIT_ROWS, start.monotonicMs)
    for (const claim of missing) this.#gone(claim, 'forgotten')
    for (const row of strangers) if (!this.outbox.has(row.id)) void this.outbox.leave(session, row, answer.serverMs)
    return true
  }

  /** The session is over: what it held is lost, what it waited for stands in line again. */
  lose(session: Session, reason: LossReason): void {
    if (session.state === 'lost') return
    session.state = 'lost'
    this.everLost = true
    if (this.sessions.get(session.bucket) === session) this.sessions.delete(session.bucket)
    this.loners.delete(session)
    this.pulse.drop(session)
    const claims = [...session.claims.values()]
    const placesLost = claims.filter((claim) => claim.state === 'closed').length
    const { namespace } = this.settings
    emit('holdfast:session', () => ({
      namespace,
      state: 'lost',
      lateByMs: 0,
      placesLost,
      heartbeat: null,
      detail: reason,
    }))
    for (const claim of claims) this.#gone(claim, reason)
  }

  /** Whether the session is ours by our clocks. Loses it in this very step when it is not. */
  check(session: Session): 'live' | 'suspect' | 'lost' {
    const standing = session.standing()
    if (standing === 'lost' && session.state === 'live') this.lose(session, this.#lossReason(session))
    if (standing === 'suspect' && !this.#beating.has(session)) void this.beat(session)
    return standing
  }

  /** Resolves when hints arrive from now on. Never rejects: without hints everything is found by looking, only later. */
  listen(): Promise<void> {
    this.#listening ??= this.link
      .call(this.callMs, (ledger) => ledger.listen())
      .then(
        () => {
          this.#listens = true
        },
        () => {
          this.#listening = null
        },
      )
    return this.#listening
  }

  /** While at least one is kept, the process stays alive. */
  keepVigil(): () => void {
    if (this.#vigils++ === 0) {
      this.#vigil = this.clock.after(2 ** 40, () => {})
      this.#vigil.ref()
    }
    let kept = true
    return () => {
      if (!kept) return
      kept = false
      if (--this.#vigils === 0) this.#vigil?.cancel()
    }
  }

  /** How a claim of ours looks to others. */
  viewOf(claim: Claim, label: string | null, fence: bigint | null): ClaimView {
    const since = new Date(
      this.clock.wallMs() - (this.clock.monotonicMs() - Math.min(claim.confirmedMs, this.clock.monotonicMs())),
    )
    return { id: claim.id, fence: fence ?? BigInt(claim.seq) * 1024n, host: hostOf(), pid: process.pid, label, since }
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.clock.after(ms, resolve))
  }

  /** A session of the bucket with at least a third of its life left. */
  async #ready(bucket: number): Promise<Session> {
    const session = this.sessions.get(bucket)
    if (session !== undefined && this.check(session) === 'live' && session.hasThird()) return session
    const running = this.#opening.get(bucket)
    if (running !== undefined) return running
    const opening = this.#renewOrOpen(bucket, session).finally(() => this.#opening.delete(bucket))
    this.#opening.set(bucket, opening)
    return opening
  }

  async #renewOrOpen(bucket: number, old: Session | undefined): Promise<Session> {
    if (old !== undefined && this.check(old) !== 'lost') {
      const beaten = await this.beat(old)
      if (beaten && old.state === 'live' && old.hasThird()) return old
      if (this.check(old) !== 'lost') throw new BackendUnavailableError('the session could not be renewed')
    }
    const session = await this.#open(bucket)
    this.sessions.set(bucket, session)
    return session
  }

  async #open(bucket: number): Promise<Session> {
    const { namespace, ttlMs } = this.settings
    const session = new Session(this.clock, bucket, this.random.id(), ttlMs)
    const start = startNow(this.clock)
    const draft = {
      bucket,
      id: session.id,
      ttlMs,
      host: hostOf(),
      pid: process.pid,
      seenBefore: this.link.answered,
      minSeq: this.minSeq(bucket),
    }
    await this.link.call(this.callMs, (ledger) => ledger.open(draft))
    session.confirm(start)
    emit('holdfast:session', () => ({
      namespace,
      state: 'opened',
      lateByMs: 0,
      placesLost: 0,
      heartbeat: null,
      detail: null,
    }))
    return session
  }

  async #enter(claim: Claim): Promise<void> {
    claim.looping = true
    let pauseMs = PAUSE_MS.first
    while (stateOf(claim) === 'entering') {
      try {
        const ledger =
          this.link.ledger ?? (await this.link.call(this.callMs, (connected) => Promise.resolve(connected)))
        const session = await this.#sessionFor(claim, ledger.bucketOf(claim.wish.line))
        if (stateOf(claim) !== 'entering') break
        this.#join(claim, session)
        const sentMs = this.clock.monotonicMs()
        const answer = await this.#sendEnter(claim, session, sentMs)
        if (this.#stale(claim, session)) continue
        claim.outage = null
        if (await this.#entered(claim, session, answer, sentMs)) break
      } catch (error) {
        claim.outage = error
        if (this.#hopeless(claim, error)) break
        await this.pause(jittered(this.random, pauseMs))
        pauseMs = Math.min(pauseMs * 2, PAUSE_MS.max)
      }
    }
    claim.looping = false
  }

  async #sendEnter(claim: Claim, session: Session, sentMs: number): Promise<EnterAnswer> {
    const notAfterMs = this.link.serverNowMs() + this.callMs
    claim.notAfterMs = Math.max(claim.notAfterMs, notAfterMs)
    claim.askedMs = sentMs
    const draft = { ...claim.wish, id: claim.id }
    const terms = { mode: claim.mode, notAfterMs, minSeq: this.minSeq(session.bucket), sliceMs: this.settings.sliceMs }
    const answer = await this.link.call(this.callMs, (ledger) =>
      ledger.enter({ bucket: session.bucket, id: session.id }, draft, terms),
    )
    claim.askedMs = Number.POSITIVE_INFINITY
    return answer
  }

  /** True: the claim has been dealt with; false: send it once more. */
  async #entered(claim: Claim, session: Session, answer: EnterAnswer, sentMs: number): Promise<boolean> {
    switch (answer.state) {
      case 'open':
      case 'closed':
        claim.confirmedMs = this.clock.monotonicMs()
        this.sawSeq(session.bucket, answer.seq)
        claim.seq = answer.seq
        if (answer.state === 'open') return this.#openNow(claim, session, answer, sentMs)
        await this.#closedNow(claim, answer)
        return true
      case 'refused':
        this.#forget(claim)
        claim.listener.refused(claim, answer.holder)
        return true
      case 'held-back':
        this.#forget(claim)
        claim.listener.failed(
          claim,
          new BackendUnavailableError(
            `the store lost its data; nothing is granted for ${Math.ceil(answer.retryMs)} ms`,
          ),
        )
        return true
      case 'too-late':
        return false
      case 'session-gone':
        this.lose(session, 'expired')
        return false
    }
  }

  async #openNow(claim: Claim, session: Session, answer: Open, sentMs: number): Promise<boolean> {
    claim.state = 'open'
    claim.stopRecheck()
    this.#waiting.delete(claim.id)
    claim.slot = answer.slot
    this.#noteEnd(claim, answer, sentMs)
    this.#heardOf(claim, answer.contended, sentMs)
    if (claim.wish.detached) this.#detach(session)
    // A grant with little left would be lost before it is of use.
    while (!this.#stale(claim, session) && !session.hasThird()) {
      if (!(await this.beat(session))) await this.pause(jittered(this.random, PAUSE_MS.first))
      this.check(session)
    }
    // Lost while it waited for that beat: it enters again under another session, unless it was given up.
    if (this.#stale(claim, session)) return stateOf(claim) !== 'entering'
    claim.granted = true
    claim.listener.opened(claim)
    return true
  }

  async #closedNow(claim: Claim, answer: Closed): Promise<void> {
    claim.state = 'closed'
    claim.heard = true
    claim.holder = answer.holder
    this.#waiting.set(claim.id, claim)
    this.#recheckIn(claim, answer)
    if (!this.#listens) {
      await this.listen()
      // Ask again after subscribing: a place that opened in between would otherwise be found only at the next look.
      claim.dirty = true
    }
    if (claim.dirty) this.#asker.mark(claim)
  }

  /** First in line: one beat at most. Others: until the earliest end of what stands in their way. */
  #recheckIn(claim: Claim, { first, recheckMs }: Closed): void {
    claim.stopRecheck()
    const most = first ? this.settings.ttlMs / 3 : this.settings.ttlMs
    const due = Math.min(most, (recheckMs ?? most) + LATE_MS)
    claim.recheck = this.clock.after(due + this.random.fraction() * Math.min(due / 10, 50), () =>
      this.#asker.mark(claim),
    )
  }

  #told(claim: Claim, standing: Standing, sentMs: number): void {
    const session = claim.session
    if (session === null) return
    if (standing.state === 'gone' || standing.seq !== claim.seq) {
      // A beat tells whether somebody released it by force.
      if (claim.granted) void this.beat(session).then(() => this.#gone(claim, 'forgotten'))
      else this.#gone(claim, 'forgotten')
    } else if (standing.state === 'closed') {
      if (claim.granted) return this.#gone(claim, 'forgotten')
      claim.holder = standing.holder
      this.#recheckIn(claim, standing)
    } else if (claim.state === 'closed') {
      void this.#openNow(claim, session, standing, sentMs)
    } else {
      this.#noteEnd(claim, standing, sentMs)
      this.#heardOf(claim, standing.contended, sentMs)
    }
  }

  /** The claim stands no more. Open: lost. Waiting: it goes to the end of the line under a new id. */
  #gone(claim: Claim | undefined, reason: LossReason): void {
    if (claim === undefined || claim.state === 'ended') return
    const granted = claim.granted
    this.#part(claim)
    if (granted) {
      claim.state = 'ended'
      claim.listener.lost(claim, reason)
      return
    }
    claim.state = 'entering'
    if (!claim.looping) void this.#enter(claim)
  }

  #hopeless(claim: Claim, error: unknown): boolean {
    if (claim.state !== 'entering') return true
    const heals = isHoldfastError(error, 'BACKEND_UNAVAILABLE')
    if (heals && claim.mode === 'queue') return false
    const { session, id } = claim
    this.#forget(claim)
    if (session !== null && id !== '') void this.outbox.leave(session, { id, line: claim.wish.line }, claim.notAfterMs)
    claim.listener.failed(claim, error)
    return true
  }

  async #sessionFor(claim: Claim, bucket: number): Promise<Session> {
    if (!claim.wish.detached) return this.#ready(bucket)
    if (claim.session !== null && this.check(claim.session) === 'live') return claim.session
    const session = await this.#open(bucket)
    this.loners.add(session)
    return session
  }

  #join(claim: Claim, session: Session): void {
    if (claim.session === session) return
    claim.session = session
    claim.id = session.nextClaimId()
    claim.confirmedMs = Number.POSITIVE_INFINITY
    claim.notAfterMs = 0
    session.claims.set(claim.id, claim)
    this.pulse.watch(session)
  }

  #part(claim: Claim): void {
    claim.stopRecheck()
    claim.askedMs = Number.POSITIVE_INFINITY
    this.#waiting.delete(claim.id)
    claim.session?.claims.delete(claim.id)
    claim.session?.dirty.delete(claim)
    if (claim.wish.detached && claim.session !== null && claim.session.state !== 'detached') {
      this.loners.delete(claim.session)
      this.pulse.drop(claim.session)
    }
    claim.session = null
    claim.dirty = false
  }

  #forget(claim: Claim): void {
    this.#part(claim)
    claim.state = 'ended'
  }

  #detach(session: Session): void {
    session.state = 'detached'
    this.loners.delete(session)
    this.pulse.drop(session)
  }

  #noteEnd(claim: Claim, { remainingMs }: Open, sentMs: number): void {
    claim.endMs = remainingMs === null ? null : sentMs + remainingMs * 0.99 - 2
  }

  #heardOf(claim: Claim, contended: boolean, sentMs: number): void {
    claim.contended = contended
    claim.freshMs = sentMs
  }

  #hinted(what: string | null): void {
    if (what === null) {
      for (const claim of this.#waiting.values()) this.#asker.mark(claim)
      this.onChange(null)
      return
    }
    const claim = this.#find(what)
    if (claim !== undefined) this.#asker.mark(claim)
    else this.onChange(what)
  }

  #find(id: string): Claim | undefined {
    const waiting = this.#waiting.get(id)
    if (waiting !== undefined) return waiting
    for (const session of this.sessions.values()) {
      const claim = session.claims.get(id)
      if (claim !== undefined) return claim
    }
    return undefined
  }

  #lossReason(session: Session): LossReason {
    return this.clock.monotonicMs() - this.pulse.ranMs > session.ttlMs / 2 ? 'stalled' : 'expired'
  }

  /** After an await: the claim was given up, or stands for another session now. */
  #stale(claim: Claim, session: Session): boolean {
    return claim.state === 'ended' || claim.session !== session
  }
}

/** Read anew: an await or a call may have changed it, which the compiler does not know. */
function stateOf(claim: Claim): ClaimState {
  return claim.state
}
