/**
 * Takes of one session that are made in the same turn of the event loop, as one call of `enter.lua`. They are sent when
 * the turn's promises have run, so that waiting for company costs no time.
 */
import type { ClaimDraft, EnterAnswer, EnterTerms, SessionKey } from '../../port.ts'
import { gathered } from '../../turn.ts'
import { micros } from './cells.ts'
import { AGAIN, DETACHED, enterAnswerOf, notesText, type Reply, SLOT, serverMsOf, stateOf } from './reply.ts'

const TOGETHER_MAX = 64

export interface Entry {
  readonly draft: ClaimDraft
  readonly terms: EnterTerms
}

interface Waiting extends Entry {
  readonly session: SessionKey
  readonly resolve: (answer: EnterAnswer) => void
  readonly reject: (error: unknown) => void
}

export class Enters {
  readonly #send: (session: SessionKey, entries: readonly Entry[]) => Promise<Reply>
  readonly #add: (one: Waiting) => void = gathered((waiting) => this.#flush(waiting))

  constructor(send: (session: SessionKey, entries: readonly Entry[]) => Promise<Reply>) {
    this.#send = send
  }

  enter(session: SessionKey, draft: ClaimDraft, terms: EnterTerms): Promise<EnterAnswer> {
    return new Promise((resolve, reject) => this.#add({ session, draft, terms, resolve, reject }))
  }

  #flush(waiting: readonly Waiting[]): void {
    for (const alike of groupsOf(waiting)) {
      for (let at = 0; at < alike.length; at += TOGETHER_MAX) this.#deliver(alike.slice(at, at + TOGETHER_MAX))
    }
  }

  #deliver(together: readonly Waiting[]): void {
    const [first] = together
    if (first === undefined) return
    this.#send(first.session, together).then(
      (reply) => {
        const serverMs = serverMsOf(reply)
        const answers = stateOf(reply) === 'session-gone' ? null : (reply[2] as Reply)
        for (const [index, one] of together.entries()) {
          const told = answers === null ? gone(serverMs) : enterAnswerOf(answers[index], serverMs)
          if (told === AGAIN) this.#add(one)
          else one.resolve(told)
        }
      },
      (error: unknown) => {
        for (const { reject } of together) reject(error)
      },
    )
  }
}

function gone(serverMs: number): EnterAnswer {
  return { serverMs, state: 'session-gone' }
}

/** By what one call has for all: a session, a mode and a slice. A number that is proposed is proposed to one claim. */
function groupsOf(waiting: readonly Waiting[]): Iterable<readonly Waiting[]> {
  if (waiting.length === 1) return [waiting]
  const groups = new Map<string, Waiting[]>()
  for (const one of waiting) {
    const { mode, sliceMs, exactSeq } = one.terms
    const key = exactSeq === undefined ? `${one.session.id} ${mode} ${sliceMs}` : one.draft.id
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [one])
    else group.push(one)
  }
  return groups.values()
}

/** What `enter.lua` wants to know behind the channel. The entries have one mode and one slice. `ahead` in µs. */
export function enterArgs(session: SessionKey, entries: readonly Entry[], ahead: string): readonly string[] {
  const [first] = entries
  if (first === undefined) throw new RangeError('there is nothing to enter')
  let minSeq = 0
  let notAfterMs = Number.POSITIVE_INFINITY
  const claims: string[] = []
  for (const { draft, terms } of entries) {
    minSeq = Math.max(minSeq, terms.minSeq)
    // The earliest of them counts for all: no claim may be entered later than its own.
    notAfterMs = Math.min(notAfterMs, terms.notAfterMs)
    claims.push(draft.id, draft.line, shapeOf(draft), notesText(draft))
  }
  const { mode, sliceMs, exactSeq = 0 } = first.terms
  return [
    session.id,
    String(minSeq),
    mode,
    String(Math.floor(notAfterMs * 1000)),
    micros(sliceMs),
    String(exactSeq),
    ahead,
    ...claims,
  ]
}

function shapeOf({ weight, capacity, slot, detached, maxHoldMs }: ClaimDraft): string {
  const flags = (slot ? SLOT : 0) + (detached ? DETACHED : 0)
  return `${weight} ${capacity} ${flags} ${micros(maxHoldMs ?? 0)}`
}
