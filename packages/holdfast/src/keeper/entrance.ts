/**
 * Puts a claim into its line and sees it through: the same claim id is sent again until the store has answered or the
 * owner has given up, under a new id when the session had to be opened anew.
 */
import type { Clock } from '../clock.ts'
import { BackendUnavailableError, isHoldfastError } from '../errors.ts'
import type { Closed, EnterAnswer, Open } from '../port.ts'
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
  joined(claim: Claim, session: Session): void
  /** False: it was lost at once and must enter again. */
  openNow(claim: Claim, session: Session, answer: Open, sent: Start): Promise<boolean>
  closedNow(claim: Claim, answer: Closed, sentMs: number): Promise<void>
  forget(claim: Claim): void
  pause(ms: number): Promise<void>
}

export class Entrance {
  readonly #gate: Gate
  /** Settled when the last claim that had to wait here has passed. */
  #turn: Promise<void> = Promise.resolve()
  #queued = 0

  constructor(gate: Gate) {
    this.#gate = gate
  }

  async enter(claim: Claim): Promise<void> {
    claim.looping = true
    let pauseMs = PAUSE_MS.first
    while (stateOf(claim) === 'entering') {
      try {
        const session = await this.#pass(claim)
        if (session === null || stateOf(claim) !== 'entering') break
        this.#join(claim, session)
        const sent = this.#start(claim)
        const { id } = claim
        const notAfterMs = this.#gate.link.serverNowMs() + this.#gate.sessions.callMs
        const answer = await this.#sendEnter(claim, session, sent.monotonicMs, notAfterMs)
        if (isStale(claim, id)) {
          // Given up while it was on its way, and there all the same: its leave may have come before it.
          const stands = answer.state === 'open' || answer.state === 'closed'
          if (stands) this.#gate.outbox.hurry(session, { id, line: claim.line }, notAfterMs)
          continue
        }
        claim.outage = null
        // While it was dealt with, its session may have been lost again.
        if ((await this.#entered(claim, session, answer, sent)) && stateOf(claim) !== 'entering') break
      } catch (error) {
        claim.outage = error
        if (this.#hopeless(claim, error)) break
        await this.#gate.pause(jittered(this.#gate.random, pauseMs))
        pauseMs = Math.min(pauseMs * 2, PAUSE_MS.max)
      }
    }
    claim.looping = false
  }

  /** The dear boot clock is read only for a claim with an end of its own. */
  #start({ wish }: Claim): Start {
    const { clock } = this.#gate
    if (wish.maxHoldMs !== null) return startNow(clock)
    return { monotonicMs: clock.monotonicMs(), wallMs: Number.NaN, bootMs: Number.NaN }
  }

  async #sendEnter(claim: Claim, session: Session, sentMs: number, notAfterMs: number): Promise<EnterAnswer> {
    claim.notAfterMs = Math.max(claim.notAfterMs, notAfterMs)
    claim.askedMs = sentMs
    const { weight, capacity, maxHoldMs, slot, detached, label, value } = claim.wish
    const draft = { id: claim.id, line: claim.line, weight, capacity, maxHoldMs, slot, detached, label, value }
    const terms = {
      mode: claim.mode,
      notAfterMs,
      minSeq: this.#gate.sessions.minSeq(session.bucket),
      sliceMs: this.#gate.sessions.settings.sliceMs,
    }
    const answer = await this.#gate.link.call(this.#gate.sessions.callMs, (ledger) =>
      ledger.enter({ bucket: session.bucket, id: session.id }, draft, terms),
    )
    claim.askedMs = null
    return answer
  }

  /** True: the claim has been dealt with; false: send it once more. */
  async #entered(claim: Claim, session: Session, answer: EnterAnswer, sent: Start): Promise<boolean> {
    switch (answer.state) {
      case 'open':
      case 'closed':
        claim.confirmedMs = Math.ceil(this.#gate.clock.monotonicMs())
        this.#gate.sessions.sawSeq(session.bucket, answer.seq)
        claim.seq = answer.seq
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
        this.#gate.sessions.gone(session)
        return false
    }
  }

  #hopeless(claim: Claim, error: unknown): boolean {
    if (claim.state !== 'entering') return true
    const heals = isHoldfastError(error, 'BACKEND_UNAVAILABLE')
    if (heals && claim.mode === 'queue') return false
    const { session, id } = claim
    this.#gate.forget(claim)
    if (session !== null && id !== '') void this.#gate.outbox.leave(session, { id, line: claim.line }, claim.notAfterMs)
    claim.listener.failed(claim, error)
    return true
  }

  /** In the order of coming, also while the connection or the session is not there yet. */
  async #pass(claim: Claim): Promise<Session | null> {
    const { link, sessions } = this.#gate
    if (this.#queued === 0 && link.ledger !== null && !claim.wish.detached) {
      const session = sessions.readyNow(link.ledger.bucketOf(claim.line))
      if (session !== null) return session
    }
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
    if (!claim.wish.detached) return sessions.ready(bucket)
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
    this.#gate.joined(claim, session)
  }
}
