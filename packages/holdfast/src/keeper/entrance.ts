/**
 * Puts a claim into its line and sees it through: the same claim id is sent again until the store has answered or the
 * owner has given up, under a new id when the session had to be opened anew.
 */
import type { Clock } from '../clock.ts'
import { BackendUnavailableError, isOutage } from '../errors.ts'
import type { Closed, EnterAnswer, Ledger, Open } from '../port.ts'
import { jittered, type Random } from '../random.ts'
import { type Claim, isStale, stateOf } from './claim.ts'
import type { Link } from './link.ts'
import type { Outbox } from './outbox.ts'
import type { Session } from './session.ts'
import type { Sessions } from './sessions.ts'
import { type Start, startNow } from './tenure.ts'

const PAUSE_MS = { first: 20, max: 1000 }

/** What the keeper does with a claim that has been put into its line, or cannot be. */
export interface Gate {
  readonly clock: Clock
  readonly random: Random
  readonly link: Link
  readonly sessions: Sessions
  readonly outbox: Outbox
  used(session: Session): void
  /** False: it was lost at once and must enter again. */
  openNow(claim: Claim, session: Session, answer: Open, sent: Start): boolean | Promise<boolean>
  closedNow(claim: Claim, answer: Closed, sentMs: number): Promise<void>
  forget(claim: Claim): void
  pause(ms: number): Promise<void>
}

/** A claim on its way. */
interface Sent {
  readonly session: Session
  readonly id: string
  /** Sent behind the session, which had not been confirmed by then. */
  readonly early: boolean
  readonly start: Start
  readonly notAfterMs: number
}
/** And what came back. */
interface Told extends Sent {
  readonly answer?: EnterAnswer
  readonly error?: unknown
}

export class Entrance {
  readonly #gate: Gate
  /** Settled when the last claim that had to wait here has passed. */
  #turn: Promise<void> = Promise.resolve()
  #queued = 0

  constructor(gate: Gate) {
    this.#gate = gate
  }

  enter(claim: Claim): void {
    claim.looping = true
    const { link, sessions } = this.#gate
    const session = this.#sessionNow(claim)
    if (session === null || link.ledger === null) {
      void this.#loop(claim, null)
      return
    }
    // Most claims find a session and an open place at once. They are told by functions, for promises would be most of
    // what they cost.
    const sent = this.#prepare(claim, session)
    link.request({
      limitMs: sessions.callMs,
      work: (ledger) => this.#send(ledger, claim, sent),
      told: (answer) => {
        try {
          if (!this.#openedNow(claim, sent, answer)) void this.#loop(claim, { ...sent, answer })
        } catch (error) {
          void this.#loop(claim, { ...sent, error })
        }
      },
      failed: (error) => void this.#loop(claim, { ...sent, error }),
    })
  }

  /** True: the answer was that the claim is open, its session lives for a while, and its owner has been told. */
  #openedNow(claim: Claim, { session, id, start }: Sent, answer: EnterAnswer): boolean {
    if (answer.state !== 'open' || isStale(claim, id) || !session.hasThird()) return false
    claim.outage = null
    claim.looping = false
    this.#stands(claim, session, answer.seq)
    void this.#gate.openNow(claim, session, answer, start)
    return true
  }

  /** `first`: what came of a request that was made before. */
  async #loop(claim: Claim, first: Told | null): Promise<void> {
    let pauseMs = PAUSE_MS.first
    let told = first
    while (stateOf(claim) === 'entering' || told !== null) {
      try {
        told ??= await this.#ask(claim)
        if (told === null) break
        const { session, id, early, start, notAfterMs, answer, error } = told
        told = null
        if (early) await session.opened
        if (answer === undefined) throw error
        claim.askedMs = null
        if (isStale(claim, id)) {
          // Given up while it was on its way, and there all the same: its leave may have come before it.
          const stands = answer.state === 'open' || answer.state === 'closed'
          if (stands) this.#gate.outbox.hurry(session, { id, line: claim.line }, notAfterMs)
          continue
        }
        claim.outage = null
        // While it was dealt with, its session may have been lost again.
        if ((await this.#entered(claim, session, answer, start, early)) && stateOf(claim) !== 'entering') break
      } catch (error) {
        told = null
        claim.outage = error
        if (this.#hopeless(claim, error)) break
        await this.#gate.pause(jittered(this.#gate.random, pauseMs))
        pauseMs = Math.min(pauseMs * 2, PAUSE_MS.max)
      }
    }
    claim.looping = false
  }

  /** Sends the claim once; null: it was given up before it came to that. */
  async #ask(claim: Claim): Promise<Told | null> {
    const session = await this.#pass(claim)
    if (session === null || stateOf(claim) !== 'entering') return null
    const sent = this.#prepare(claim, session)
    const { link, sessions } = this.#gate
    return { ...sent, answer: await link.call(sessions.callMs, (ledger) => this.#send(ledger, claim, sent)) }
  }

  #prepare(claim: Claim, session: Session): Sent {
    this.#join(claim, session)
    const start = this.#start(claim)
    const notAfterMs = this.#gate.link.serverNowMs() + this.#gate.sessions.callMs
    claim.notAfterMs = Math.max(claim.notAfterMs, notAfterMs)
    claim.askedMs = start.monotonicMs
    return { session, id: claim.id, early: session.state === 'opening', start, notAfterMs }
  }

  /** The dear boot clock is read only for a claim with an end of its own. */
  #start({ wish }: Claim): Start {
    const { clock } = this.#gate
    if (wish.maxHoldMs !== null) return startNow(clock)
    return { monotonicMs: clock.monotonicMs(), wallMs: Number.NaN, bootMs: Number.NaN }
  }

  #send(ledger: Ledger, claim: Claim, { session, id, notAfterMs }: Sent): Promise<EnterAnswer> {
    const { weight, capacity, maxHoldMs, slot, detached, label, value } = claim.wish
    const draft = { id, line: claim.line, weight, capacity, maxHoldMs, slot, detached, label, value }
    const terms = {
      mode: claim.mode,
      notAfterMs,
      minSeq: this.#gate.sessions.minSeq(session.bucket),
      sliceMs: this.#gate.sessions.settings.sliceMs,
    }
    return ledger.enter({ bucket: session.bucket, id: session.id }, draft, terms)
  }

  #stands(claim: Claim, session: Session, seq: number): void {
    claim.askedMs = null
    claim.confirmedMs = Math.ceil(this.#gate.clock.monotonicMs())
    this.#gate.sessions.sawSeq(session.bucket, seq)
    claim.seq = seq
  }

  /** True: the claim has been dealt with; false: send it once more. */
  async #entered(claim: Claim, session: Session, answer: EnterAnswer, sent: Start, early: boolean): Promise<boolean> {
    switch (answer.state) {
      case 'open':
      case 'closed':
        this.#stands(claim, session, answer.seq)
        if (answer.state === 'open') return this.#gate.openNow(claim, session, answer, sent)
        await this.#gate.closedNow(claim, answer, sent.monotonicMs)
        return true
      case 'refused':
        this.#gate.forget(claim)
        claim.listener.refused(claim, answer.holder)
        return true
      case 'held-back':
        this.#gate.forget(claim)
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
        // It may have overtaken its session.
        if (!early) this.#gate.sessions.gone(session)
        return false
      case 'too-low':
      case 'too-high':
        throw new RangeError(`the store answers ${answer.state} to a claim without a number of its own`)
    }
  }

  #hopeless(claim: Claim, error: unknown): boolean {
    if (claim.state !== 'entering') return true
    const heals = isOutage(error)
    if (heals && claim.mode === 'queue') return false
    const { session, id } = claim
    this.#gate.forget(claim)
    if (session !== null && id !== '') void this.#gate.outbox.leave(session, { id, line: claim.line }, claim.notAfterMs)
    claim.listener.failed(claim, error)
    return true
  }

  #sessionNow(claim: Claim): Session | null {
    const { ledger } = this.#gate.link
    if (this.#queued > 0 || ledger === null || claim.wish.detached) return null
    return this.#sessionIn(ledger, ledger.bucketOf(claim.line))
  }

  /** One that is open, or whose `open` is on its way where a claim arrives behind it. */
  #sessionIn({ inOrder = false }: Ledger, bucket: number): Session | null {
    const { link, sessions } = this.#gate
    const ready = sessions.readyNow(bucket)
    // In an outage each claim would leave another one behind, to be given back when the store answers again.
    return ready ?? (inOrder && link.knowsTime && link.state === 'up' ? sessions.sentNow(bucket) : null)
  }

  /** In the order of coming, also while the connection or the session is not there yet. */
  async #pass(claim: Claim): Promise<Session | null> {
    const ready = this.#sessionNow(claim)
    if (ready !== null) return ready
    const before = this.#turn
    let done = (): void => {}
    this.#turn = new Promise((resolve) => {
      done = resolve
    })
    this.#queued++
    try {
      await before
      // Given up meanwhile: those behind must not wait for its session.
      return stateOf(claim) === 'entering' ? await this.#sessionFor(claim) : null
    } finally {
      this.#queued--
      done()
    }
  }

  async #sessionFor(claim: Claim): Promise<Session> {
    const { link, sessions } = this.#gate
    const ledger = link.ledger ?? (await link.call(sessions.callMs, (connected) => Promise.resolve(connected)))
    const bucket = ledger.bucketOf(claim.line)
    if (!claim.wish.detached) return this.#sessionIn(ledger, bucket) ?? sessions.ready(bucket)
    if (claim.session !== null && sessions.check(claim.session) === 'live') return claim.session
    const session = await sessions.open(bucket)
    sessions.loners.add(session)
    return session
  }

  #join(claim: Claim, session: Session): void {
    if (claim.session === session) return
    claim.session = session
    claim.id = session.nextClaimId()
    claim.confirmedMs = null
    claim.notAfterMs = 0
    session.claims.set(claim.id, claim)
    this.#gate.used(session)
  }
}
