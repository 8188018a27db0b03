/**
 * Keeps this process's claims: opens sessions when they are needed, puts claims into lines, waits for their turn, and
 * tells their owners what became of them. Everything here survives an unknown outcome: a request is repeated with the
 * same claim id until the store has answered or the owner has given up, and then left until the store confirms.
 *
 * Long because all that may happen to a claim is told here, in one place.
 */
import { type Clock, dateOf } from '../clock.ts'
import type { ClaimView, LossReason } from '../errors.ts'
import { emit } from '../events.ts'
import { writable } from '../json.ts'
import { partsOf } from '../names.ts'
import type { Settings } from '../options.ts'
import type { AmendAnswer, Amendment, AuditRow, Closed, Open, Port, Standing } from '../port.ts'
import { jittered, type Random } from '../random.ts'
import { Asker } from './asker.ts'
import { Claim, type ClaimListener, type ClaimWish, isStale, stateOf, type Waiting } from './claim.ts'
import { Ear } from './ear.ts'
import { Entrance, type Gate } from './entrance.ts'
import { hostOf } from './host.ts'
import { CONNECT_MS, Link } from './link.ts'
import { Outbox } from './outbox.ts'
import { Pulse } from './pulse.ts'
import type { Session } from './session.ts'
import { type ClaimOwner, Sessions } from './sessions.ts'
import { type BootWatch, bootWatchOf, type Start, startNow, trustedMs } from './tenure.ts'
import { Vigil } from './vigil.ts'

const CLOSE_MS_MAX = 1000
const PAUSE_MS = 20
/** A waiter looks again this long after a blocker's end, so that the end has passed on the store's clock too. */
const LATE_MS = 2
/** Two amendments of a claim are at least so far apart in their order. */
const ORDER_STEP_MS = 0.001

export interface Surroundings {
  readonly clock: Clock
  readonly random: Random
}

export class Keeper implements ClaimOwner, Gate {
  readonly settings: Settings
  readonly clock: Clock
  readonly random: Random
  readonly link: Link
  readonly outbox: Outbox
  readonly pulse: Pulse
  readonly vigil: Vigil
  readonly sessions: Sessions
  /** Told of hints that are not about a claim of ours: a line, a cell, or anything (null). */
  onChange: (what: string | null) => void = () => {}
  readonly #waiting = new Map<string, Claim>()
  readonly #asker: Asker
  readonly #entrance: Entrance
  readonly #boot: BootWatch
  readonly #ear: Ear
  #attending = 0

  constructor(port: Port, settings: Settings, { clock, random }: Surroundings) {
    this.settings = settings
    this.clock = clock
    this.random = random
    const { namespace, maxTtlMs, quarantine } = settings
    const onHint = (what: string | null): void => this.#hinted(what)
    this.link = new Link(port, { namespace, maxTtlMs, quarantine, clock, random, onHint })
    this.sessions = new Sessions(settings, clock, random, this.link, this)
    this.outbox = new Outbox(clock, random, (bucket, claims, told, failed) =>
      this.link.request({
        limitMs: this.sessions.callMs,
        work: (ledger) => ledger.leave(bucket, claims),
        told,
        failed,
      }),
    )
    this.link.onResumed = () => {
      this.pulse.catchUp()
      this.outbox.retry()
    }
    this.#asker = new Asker({
      clock,
      random,
      ask: (session, claims) =>
        this.link.call(this.sessions.callMs, (ledger) =>
          ledger.ask(
            session,
            claims.map((claim) => ({ id: claim.id, line: claim.line })),
          ),
        ),
      told: (claim, standing, sent) => void this.#told(claim, standing, sent),
      sessionGone: (session) => this.sessions.gone(session),
      pause: (ms) => this.link.pause(ms),
    })
    this.#entrance = new Entrance(this)
    this.vigil = new Vigil(clock)
    this.#ear = new Ear(clock, this.link, this.sessions.callMs, () => this.#attending + this.#waiting.size > 0)
    this.#boot = bootWatchOf(clock)
    this.pulse = new Pulse(this, port)
  }

  /** How long a try may take: one request, and a first connection if there is none yet. */
  get tryMs(): number {
    const { callMs } = this.sessions
    return this.link.ledger === null ? callMs + Math.max(callMs, CONNECT_MS) : callMs
  }

  /** Connects and opens a session. @throws {BackendUnavailableError | BackendRefusedError} */
  async connect(): Promise<void> {
    await this.link.call(this.sessions.callMs, () => Promise.resolve())
    await this.sessions.ready(0)
  }

  /** Ends all sessions, and with them what they held, within a bounded time also when the store hangs. */
  async close(): Promise<void> {
    const limitMs = Math.min(this.sessions.callMs, CLOSE_MS_MAX)
    // What is being opened would stay in the store until somebody comes by.
    const { byBucket, loners, unanswered } = this.sessions
    const sessions = new Set([...byBucket.values(), ...loners, ...unanswered, ...this.outbox.sessions])
    this.outbox.close()
    this.#ear.close()
    await this.pulse.close()
    if (this.link.ledger !== null) {
      await Promise.allSettled(
        [...sessions].map(({ bucket, id }) => this.link.call(limitMs, (ledger) => ledger.end({ bucket, id }))),
      )
    }
    for (const session of sessions) {
      session.state = 'lost'
      for (const claim of [...session.claims.values()]) this.forget(claim)
    }
    this.sessions.byBucket.clear()
    this.vigil.close()
    await this.link.close(limitMs)
  }

  /** Until when a request that is sent now may take effect, in the store's time. */
  async notAfterMs(): Promise<number> {
    if (!this.link.knowsTime) await this.sessions.ready(0)
    return this.link.serverNowMs() + this.sessions.callMs
  }

  /** Puts a claim into its line. The listener is told what becomes of it; end it with `leave`. */
  stand(line: string, wish: ClaimWish, mode: 'queue' | 'try', listener: ClaimListener): Claim {
    const claim = new Claim(line, wish, mode, listener)
    this.#entrance.enter(claim)
    return claim
  }

  /** Takes the claim away, at once for us and until confirmed for the store. False: it was not there any more. */
  leave(claim: Claim): Promise<boolean> {
    const session = claim.session
    this.forget(claim)
    if (session === null || claim.id === '') return Promise.resolve(true)
    const left = this.outbox.leave(session, { id: claim.id, line: claim.line }, claim.notAfterMs, claim.endMs)
    if (claim.wish.detached) void left.then(() => this.#endOf(session))
    return left
  }

  /** The session of a detached claim is of no use without it, and would last as long as the claim might have. */
  async #endOf({ bucket, id }: Session): Promise<void> {
    // Should it fail, the entry ends by itself.
    await this.link.call(this.sessions.callMs, (ledger) => ledger.end({ bucket, id })).catch(() => {})
  }

  /** Whether an open claim is ours by our clocks, in this very step. In doubt, it is asked about. */
  check(claim: Claim): 'live' | 'suspect' | 'lost' {
    const { session, end } = claim
    if (session === null) return 'lost'
    const standing = this.sessions.check(session)
    if (standing !== 'live' || end === null) return standing === 'live' && claim.doubted ? 'suspect' : standing
    // The claim's own end is told by the grants that it ends; here only the other clocks speak.
    if (this.#boot.standing(end.start, end.lengthMs) !== 'suspect') return claim.doubted ? 'suspect' : 'live'
    if (!claim.refreshing) {
      claim.refreshing = true
      void this.refresh(claim).then(() => {
        claim.refreshing = false
        claim.listener.retimed(claim)
      })
    }
    return 'suspect'
  }

  /** For how long an open claim is ours without a further word, by the clock that ran furthest. */
  leftMs({ session, end }: Claim): number {
    const ofSession = session?.validForMs() ?? 0
    return end === null ? ofSession : Math.min(ofSession, this.#boot.leftMs(end.start, end.lengthMs))
  }

  /** Brings what we know of an open claim up to date, beating first if its session has little left. */
  async refresh(claim: Claim): Promise<boolean> {
    const session = claim.session
    if (session === null || claim.state !== 'open') return false
    if (session.standing() !== 'live' || !session.hasThird()) await this.sessions.beat(session)
    if (stateOf(claim) !== 'open') return false
    return this.amend(claim, {})
  }

  /** Gives an open claim another end or a smaller weight. False: the store did not say so, or the claim is lost. */
  async amend(claim: Claim, change: Pick<Amendment, 'maxHoldMs' | 'weight'>): Promise<boolean> {
    const session = claim.session
    if (session === null || claim.state !== 'open') return false
    const sent = startNow(this.clock)
    const key = { id: claim.id, line: claim.line }
    const plain = change.maxHoldMs === undefined && change.weight === undefined
    if (!plain) claim.amendedMs = Math.max(sent.monotonicMs, claim.amendedMs + ORDER_STEP_MS)
    const order = claim.amendedMs
    // A weight that was sent counts at once: the store may have it already, whatever becomes of the answer.
    if (change.weight !== undefined) claim.weight = Math.min(claim.weight, change.weight)
    let answer: AmendAnswer
    try {
      answer = await this.link.call(this.sessions.callMs, async (ledger): Promise<AmendAnswer> => {
        if (!plain) return ledger.amend(session, key, { ...change, order })
        const asked = await ledger.ask(session, [key])
        return asked.state === 'told'
          ? { serverMs: asked.serverMs, ...(asked.standings[0] ?? { state: 'gone' }) }
          : asked
      })
    } catch (error) {
      claim.outage = error
      // It may have been done: until we know, the earlier of both ends counts.
      if (typeof change.maxHoldMs === 'number') this.#endBy(claim, sent, change.maxHoldMs)
      await this.pause(jittered(this.random, PAUSE_MS * 2))
      return false
    }
    if (isStale(claim, key.id)) return false
    if (answer.state === 'session-gone') {
      this.sessions.gone(session)
      return false
    }
    await this.#told(claim, answer, sent)
    return stateOf(claim) === 'open'
  }

  /** Hints about lines and cells are wanted until what it gives is called. */
  async attend(): Promise<() => void> {
    this.#attending++
    await this.#ear.listen()
    return () => {
      this.#attending--
      this.#ear.rest()
    }
  }

  /** How a claim of ours looks to others, and who uses it. */
  viewOf(claim: Claim, user: Pick<ClaimView, 'label' | 'fence'> & { readonly endMs: number | null }): ClaimView {
    const { label, fence, endMs } = user
    const now = this.clock.monotonicMs()
    const wallMs = this.clock.wallMs()
    return writable({
      ...{ id: claim.id, fence, host: hostOf(), pid: process.pid, label },
      since: dateOf(wallMs - (now - Math.min(claim.confirmedMs ?? now, now))),
      detached: claim.wish.detached,
      until: endMs === null ? null : dateOf(wallMs + endMs - now),
    })
  }

  pause(ms: number): Promise<void> {
    return this.link.pause(ms)
  }

  /** At once, where the session has enough left; else it is beaten first. False: it was lost and must enter again. */
  openNow(claim: Claim, session: Session, answer: Open, sent: Start): boolean | Promise<boolean> {
    claim.state = 'open'
    claim.stopWaiting()
    this.#awaken(claim)
    claim.slot = answer.slot
    this.#noteEnd(claim, answer, sent)
    this.heardOf(claim, answer.contended, sent)
    if (claim.wish.detached) this.#detach(session)
    return session.hasThird() ? this.#granted(claim) : this.#openLater(claim, session)
  }

  /** A grant with little left would be lost before it is of use. */
  async #openLater(claim: Claim, session: Session): Promise<boolean> {
    const { id } = claim
    while (!isStale(claim, id) && !session.hasThird()) {
      if (!(await this.sessions.beat(session))) await this.pause(jittered(this.random, PAUSE_MS))
      this.sessions.check(session)
    }
    // Lost while it waited for that beat: it enters again under another session, unless it was given up.
    return isStale(claim, id) ? stateOf(claim) !== 'entering' : this.#granted(claim)
  }

  #granted(claim: Claim): true {
    claim.granted = true
    claim.listener.opened(claim)
    return true
  }

  async closedNow(claim: Claim, answer: Closed, sentMs: number): Promise<void> {
    claim.state = 'closed'
    claim.heard = true
    this.#waiting.set(claim.id, claim)
    this.#recheckIn(claim, answer)
    const { id } = claim
    if (this.#ear.openSinceMs === null) await this.#ear.listen()
    // Lost meanwhile: it is being put in line again.
    if (isStale(claim, id)) return
    // Ask again after subscribing: a place that opened in between would otherwise be found only at the next look.
    if ((this.#ear.openSinceMs ?? sentMs) >= sentMs) claim.dirty = true
    if (claim.dirty) this.#asker.mark(claim)
  }

  /** First in line: one beat at most. Others: until the earliest end of what stands in their way. */
  #recheckIn(claim: Claim, { first, recheckMs, holder }: Closed): void {
    claim.stopWaiting()
    const most = first ? this.settings.ttlMs / 3 : this.settings.ttlMs
    const due = Math.min(most, (recheckMs ?? most) + LATE_MS)
    const wait: Waiting = { recheck: null, holder, looking: false, hinted: false }
    wait.recheck = this.clock.after(due + this.random.fraction() * Math.min(due / 10, 50), () => {
      // What ends by itself, such as a session, gives no hint; only a place that was left should have.
      wait.looking = recheckMs === null || due < recheckMs
      this.#asker.mark(claim)
    })
    claim.wait = wait
  }

  async #told(claim: Claim, standing: Standing, sent: Start): Promise<void> {
    const session = claim.session
    if (session === null) return
    if (standing.state !== 'gone' && claim.seq === 0) {
      claim.seq = standing.seq
      this.sessions.sawSeq(session.bucket, standing.seq)
    }
    if (standing.state === 'gone' || standing.seq !== claim.seq) {
      if (claim.granted) return this.#goneFor(claim, session)
      this.gone(claim, 'forgotten')
    } else if (standing.state === 'closed') {
      if (claim.granted) return this.gone(claim, 'forgotten')
      this.#recheckIn(claim, standing)
    } else if (claim.state === 'closed') {
      if (claim.wait?.looking === true && !claim.wait.hinted) this.#hintMissed(claim)
      await this.openNow(claim, session, standing, sent)
    } else {
      claim.doubted = false
      this.#noteEnd(claim, standing, sent)
      this.heardOf(claim, standing.contended, sent)
    }
  }

  /** The store has not got it any more. In doubt from now on; a beat tells whether somebody released it by force. */
  async #goneFor(claim: Claim, session: Session): Promise<void> {
    claim.doubted = true
    if (session.state === 'live') await this.sessions.beat(session)
    this.gone(claim, 'forgotten')
  }

  #hintMissed(claim: Claim): void {
    const { label } = claim.wish
    const { namespace } = this.settings
    const waitedMs = this.clock.monotonicMs() - (claim.confirmedMs ?? 0)
    emit('holdfast:hint-missed', () => ({ namespace, ...partsOf(claim.line), label, waitedMs }))
  }

  /** The claim stands no more. Open: lost. Waiting: it goes to the end of the line under a new id. */
  gone(claim: Claim, reason: LossReason): void {
    if (claim.state === 'ended') return
    const { granted, session, id, line, notAfterMs } = claim
    this.#part(claim)
    // What the store has lost of it may be but a part, and the rest would stand in the way of others.
    const isPart = reason === 'forgotten' && session?.state === 'live'
    if (session !== null && (isPart || session.state === 'unknown'))
      void this.outbox.leave(session, { id, line }, notAfterMs)
    if (granted) {
      claim.state = 'ended'
      // The store forgets a claim whose end has come; that is no loss of data.
      const over = claim.endMs !== null && this.clock.monotonicMs() >= claim.endMs
      claim.listener.lost(claim, over && reason === 'forgotten' ? 'max-hold' : reason)
      return
    }
    claim.state = 'entering'
    if (!claim.looping) this.#entrance.enter(claim)
  }

  /** It waits no more. */
  #awaken(claim: Claim): void {
    if (this.#waiting.delete(claim.id)) this.#ear.rest()
  }

  #part(claim: Claim): void {
    claim.stopWaiting()
    claim.askedMs = null
    this.#awaken(claim)
    claim.session?.claims.delete(claim.id)
    claim.session?.dirty.delete(claim)
    if (claim.wish.detached && claim.session !== null && claim.session.state !== 'detached') {
      this.sessions.loners.delete(claim.session)
      this.pulse.drop(claim.session)
    }
    claim.session = null
    claim.dirty = false
  }

  forget(claim: Claim): void {
    this.#part(claim)
    claim.state = 'ended'
  }

  #detach(session: Session): void {
    session.state = 'detached'
    this.sessions.loners.delete(session)
    this.pulse.drop(session)
  }

  #noteEnd(claim: Claim, { remainingMs }: Open, sent: Start): void {
    // Answered to something older than the newest amendment: only an earlier end is believed.
    if (sent.monotonicMs < claim.amendedMs - ORDER_STEP_MS) {
      if (remainingMs !== null) this.#endBy(claim, sent, trustedMs(remainingMs))
      return
    }
    claim.end = remainingMs === null ? null : { start: sent, lengthMs: trustedMs(remainingMs) }
  }

  /** The earlier of both ends, when nobody knows which one holds. */
  #endBy(claim: Claim, start: Start, lengthMs: number): void {
    if (claim.endMs === null || start.monotonicMs + lengthMs < claim.endMs) claim.end = { start, lengthMs }
  }

  heardOf(claim: Claim, contended: boolean, sent: Start): void {
    claim.contended = contended
    claim.freshMs = Math.floor(sent.monotonicMs)
  }

  stranger(session: Session, row: AuditRow, serverMs: number): void {
    if (!this.outbox.has(row.id)) void this.outbox.leave(session, row, serverMs)
  }
  moved(session: Session): void {
    this.pulse.moved(session)
    for (const claim of session.claims.values()) {
      claim.doubted = claim.granted
      this.#asker.mark(claim)
    }
  }
  used(session: Session): void {
    if (session.state !== 'opening') this.pulse.watch(session)
  }
  over(session: Session): void {
    this.pulse.drop(session)
  }
  get ranMs(): number {
    return this.pulse.ranMs
  }

  #hinted(what: string | null): void {
    if (what === null) {
      for (const claim of this.#waiting.values()) this.#hint(claim)
      this.onChange(null)
      return
    }
    const claim = this.#find(what)
    if (claim !== undefined) this.#hint(claim)
    else this.onChange(what)
  }

  #hint(claim: Claim): void {
    if (claim.wait !== null) claim.wait.hinted = true
    this.#asker.mark(claim)
  }

  #find(id: string): Claim | undefined {
    const waiting = this.#waiting.get(id)
    if (waiting !== undefined) return waiting
    for (const session of this.sessions.byBucket.values()) {
      const claim = session.claims.get(id)
      if (claim !== undefined) return claim
    }
    return undefined
  }
}
