/**
 * Asks the store about claims that may have changed. Nothing is decided on a hint: a hint marks a claim dirty, the mark
 * is cleared when an ask is *sent*, and a claim that is dirty again after the reply is asked about again.
 */
import type { Clock } from '../clock.ts'
import { isHoldfastError } from '../errors.ts'
import type { AskAnswer, Standing } from '../port.ts'
import { jittered, type Random } from '../random.ts'
import { microtask } from '../turn.ts'
import type { Claim } from './claim.ts'
import type { Session } from './session.ts'
import { type Start, startNow } from './tenure.ts'

export interface AskerPorts {
  readonly clock: Clock
  readonly random: Random
  readonly ask: (session: Session, claims: readonly Claim[]) => Promise<AskAnswer>
  readonly told: (claim: Claim, standing: Standing, sent: Start) => void
  readonly sessionGone: (session: Session) => void
  /** Before something is asked again. */
  readonly pause: (ms: number) => Promise<void>
}

const TOGETHER_MAX = 64
const PAUSE_MS = { first: 50, max: 1000 }

export class Asker {
  readonly #ports: AskerPorts

  constructor(ports: AskerPorts) {
    this.#ports = ports
  }

  /** Asks about the claim soon, together with others of this turn. */
  mark(claim: Claim): void {
    const session = claim.session
    if (session === null || claim.state === 'ended') return
    claim.dirty = true
    // A claim in flight keeps its mark; it is looked at when its enter was answered.
    if (claim.state === 'entering') return
    session.dirty.add(claim)
    if (session.asking) return
    session.asking = true
    microtask(() => void this.#work(session))
  }

  async #work(session: Session): Promise<void> {
    let pauseMs = PAUSE_MS.first
    while (session.dirty.size > 0 && session.state !== 'lost') {
      const claims = take(session.dirty, TOGETHER_MAX)
      const sent = this.#start(claims)
      for (const claim of claims) {
        claim.dirty = false
        claim.askedMs ??= sent.monotonicMs
      }
      try {
        const answer = await this.#ports.ask(session, claims)
        pauseMs = PAUSE_MS.first
        if (answer.state === 'session-gone') this.#ports.sessionGone(session)
        else for (const [index, claim] of claims.entries()) this.#told(session, claim, answer.standings[index], sent)
      } catch (error) {
        // Nobody is told of anything any more.
        if (isHoldfastError(error, 'CLOSED')) break
        for (const claim of claims) {
          claim.outage = error
          if (claim.state !== 'ended') session.dirty.add(claim)
        }
        await this.#ports.pause(jittered(this.#ports.random, pauseMs))
        pauseMs = Math.min(pauseMs * 2, PAUSE_MS.max)
      }
    }
    session.asking = false
  }

  /** The dear boot clock is read only where an answer may tell of an end: what waits without one has none when it opens. */
  #start(claims: readonly Claim[]): Start {
    const { clock } = this.#ports
    const endless = claims.every(({ state, wish }) => state === 'closed' && wish.maxHoldMs === null)
    if (!endless) return startNow(clock)
    return { monotonicMs: clock.monotonicMs(), wallMs: Number.NaN, bootMs: Number.NaN }
  }

  #told(session: Session, claim: Claim, standing: Standing | undefined, sent: Start): void {
    claim.askedMs = null
    claim.outage = null
    if (standing === undefined || claim.state === 'ended' || claim.session !== session) return
    this.#ports.told(claim, standing, sent)
  }
}

function take(from: Set<Claim>, max: number): Claim[] {
  const taken: Claim[] = []
  for (const claim of from) {
    if (taken.length === max) break
    from.delete(claim)
    if (claim.state === 'closed' || claim.state === 'open') taken.push(claim)
  }
  return taken
}
