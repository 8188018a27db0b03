/**
 * One attempt to put a claim at a majority of the nodes: all are asked at once, with one number, and it is decided as
 * soon as their answers allow. An attempt that finds no majority takes back what it has everywhere before the next one,
 * so that two takers do not stand in each other's way for ever.
 */
import type { Clock } from '../../clock.ts'
import { BackendRefusedError, QuorumError } from '../../errors.ts'
import type { ClaimRow, EnterAnswer } from '../../port.ts'
import { type Answer, outcomeOf, votesOf } from './ballot.ts'
import { type Claim, majorityOf, type Stand } from './claim.ts'
import type { Node } from './node.ts'
import type { Numbers } from './numbers.ts'
import type { Removals } from './removals.ts'

/** Numbers that one attempt proposes at most. */
const ROUNDS_MAX = 3

interface Round {
  readonly seq: number
  readonly line: string
  readonly answers: (Answer | null)[]
  readonly stands: Stand[]
  readonly lows: number[]
  high: number | null
  holder: ClaimRow | null
  /** It was decided that the claim is not held: what comes now is taken back. */
  failed: boolean
}

export class Takes {
  readonly #nodes: readonly Node[]
  readonly #clock: Clock
  readonly #numbers: Numbers
  readonly #removals: Removals

  constructor(nodes: readonly Node[], clock: Clock, numbers: Numbers, removals: Removals) {
    this.#nodes = nodes
    this.#clock = clock
    this.#numbers = numbers
    this.#removals = removals
  }

  /** @throws {QuorumError} too few nodes can be asked, or counted @throws {BackendRefusedError} too many will not */
  async attempt(claim: Claim, line: string): Promise<'held' | 'contended' | 'split'> {
    for (let left = ROUNDS_MAX; ; left--) {
      const round = await this.#round(claim, line)
      const outcome = outcomeOf(round.answers)
      if (outcome === 'held') {
        claim.seq = round.seq
        claim.stands = round.stands
        return 'held'
      }
      await this.#takeBack(claim, round)
      for (const last of round.lows) this.#numbers.low(last)
      if (round.high !== null) this.#numbers.high(round.high)
      if (outcome === 'contended' || outcome === 'split') {
        claim.holder = round.holder
        return outcome
      }
      if (outcome !== 'renumber' || left === 1 || claim.state === 'left') throw this.#failure(round)
    }
  }

  #round(claim: Claim, line: string): Promise<Round> {
    const seq = this.#numbers.propose(claim.minSeq)
    const answers = this.#nodes.map(() => null)
    const round: Round = { seq, line, answers, stands: [], lows: [], high: null, holder: null, failed: false }
    return new Promise((resolve) => {
      for (const [index, node] of this.#nodes.entries()) {
        void this.#ask(claim, node, round).then((answer) => {
          if (round.answers[index] !== null) return
          round.answers[index] = answer
          if (outcomeOf(round.answers) !== null) resolve(round)
        })
      }
    })
  }

  async #ask(claim: Claim, node: Node, round: Round): Promise<Answer> {
    try {
      if (!node.open || node.ledger === null) return 'unknown'
      const bucket = node.ledger.bucketOf(round.line)
      const seat = claim.session.seat(node, bucket) ?? (await claim.session.seated(node, bucket))
      // While it waited for its session there, it was decided, and may have been left again.
      if (round.failed || isOver(claim)) return 'unknown'
      seat.usedMs = this.#clock.monotonicMs()
      const id = seat.nextClaimId()
      const notAfterMs = node.serverNowMs() + node.limitMs
      const told = Promise.resolve()
      const stand: Stand = {
        claim,
        id,
        line: round.line,
        seat,
        notAfterMs,
        entered: told,
        state: 'sent',
        openedMs: 0,
        order: 0,
      }
      seat.stands.set(id, stand)
      round.stands.push(stand)
      const { weight, capacity, maxHoldMs, label, id: value } = claim.draft
      const alone = claim.draft.slot
      const draft = {
        ...{ id, line: round.line, maxHoldMs, slot: false, detached: false, label, value },
        weight: alone ? 1 : weight,
        capacity: alone ? 1 : capacity,
      }
      const terms = { mode: 'try' as const, notAfterMs, minSeq: 0, sliceMs: claim.sliceMs, exactSeq: round.seq }
      const asked = node.call((ledger) => ledger.enter({ bucket, id: seat.id }, draft, terms))
      stand.entered = asked
      const answer = await asked
      return this.#heard(claim, stand, round, answer)
    } catch {
      return 'unknown'
    }
  }

  #heard(claim: Claim, stand: Stand, round: Round, answer: EnterAnswer): Answer {
    if (answer.state === 'open') {
      // Taken back meanwhile: the leave may have been there before it.
      if (stand.state === 'over') {
        stand.state = 'sent'
        void this.#removals.remove(claim.session, stand)
        return 'unknown'
      }
      stand.state = 'open'
      stand.openedMs = this.#clock.monotonicMs()
      if (answer.seq !== round.seq || stand.seat.startMs < claim.session.startMs) return 'unknown'
      return (answer.heldBackMs ?? 0) > 0 ? 'young' : 'yes'
    }
    stand.state = 'over'
    stand.seat.stands.delete(stand.id)
    switch (answer.state) {
      case 'refused':
        round.holder ??= answer.holder
        return 'no'
      case 'too-low':
        round.lows.push(answer.last)
        return 'low'
      case 'too-high':
        round.high = Math.min(round.high ?? answer.now, answer.now)
        return 'high'
      case 'session-gone':
        stand.seat.gone = true
        return 'unknown'
      default:
        return 'unknown'
    }
  }

  /** Resolves when the nodes that answer have nothing of it any more. */
  async #takeBack(claim: Claim, round: Round): Promise<void> {
    round.failed = true
    const open = round.stands.filter(({ state }) => state === 'open')
    const rest = round.stands.filter(({ state }) => state === 'sent')
    for (const stand of rest) void this.#removals.remove(claim.session, stand)
    await Promise.all(open.map((stand) => this.#removals.remove(claim.session, stand)))
  }

  #failure({ answers }: Round): Error {
    const names = this.#nodes.map(({ name }) => name)
    const votes = votesOf(names, answers)
    const refusals = this.#nodes.map(({ refusal }) => refusal).filter((refusal) => refusal !== null)
    const [cause] = refusals
    const majority = majorityOf(this.#nodes.length)
    if (cause !== undefined && this.#nodes.length - refusals.length < majority) {
      return new BackendRefusedError(`too many nodes of the quorum will not do it: ${cause.message}`, { cause })
    }
    const young = answers.filter((answer) => answer === 'young').length
    const numbers = answers.filter((answer) => answer === 'low' || answer === 'high').length
    const unknown = answers.filter((answer) => answer === 'unknown' || answer === null).length
    const why = [
      young > 0 ? `${young} hold grants back, being new or having lost data` : '',
      numbers > 0 ? `${numbers} did not take the number: their clocks are apart` : '',
      unknown > 0 ? `${unknown} gave no answer` : '',
    ]
    const detail = why.filter((text) => text !== '').join(', ')
    return new QuorumError(`no majority of ${this.#nodes.length} nodes: ${detail}`, votes)
  }
}

function isOver({ state }: Claim): boolean {
  return state === 'left' || state === 'lost'
}
