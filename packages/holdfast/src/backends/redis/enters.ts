/** Takes of one session that are made in the same turn, as one call of `enter.lua`. */
import type { ClaimDraft, EnterAnswer, EnterTerms, SessionKey } from '../../port.ts'
import { Batch } from './batch.ts'
import { micros } from './cells.ts'
import { AGAIN, DETACHED, enterAnswerOf, notesText, type Reply, SLOT, serverMsOf, stateOf } from './reply.ts'

const TOGETHER_MAX = 64

export interface Entry {
  readonly draft: ClaimDraft
  readonly terms: EnterTerms
}

type Told = EnterAnswer | typeof AGAIN

export class Enters {
  readonly #send: (session: SessionKey, entries: readonly Entry[]) => Promise<Reply>
  readonly #batches = new Map<string, Batch<Entry, Told>>()

  constructor(send: (session: SessionKey, entries: readonly Entry[]) => Promise<Reply>) {
    this.#send = send
  }

  async enter(session: SessionKey, entry: Entry): Promise<EnterAnswer> {
    for (;;) {
      // A number that is proposed is proposed to one claim.
      const alone = entry.terms.exactSeq !== undefined
      const [told = AGAIN] = await (alone
        ? this.#deliver(session, [entry])
        : this.#of(session, entry.terms).add([entry]))
      if (told !== AGAIN) return told
    }
  }

  /** The session takes nothing more. */
  forget({ id }: SessionKey): void {
    for (const key of this.#batches.keys()) if (key.startsWith(id)) this.#batches.delete(key)
  }

  #of(session: SessionKey, { mode, sliceMs }: EnterTerms): Batch<Entry, Told> {
    const key = `${session.id} ${mode} ${sliceMs}`
    const known = this.#batches.get(key)
    if (known !== undefined) return known
    const batch = new Batch<Entry, Told>(TOGETHER_MAX, (entries) => this.#deliver(session, entries))
    this.#batches.set(key, batch)
    return batch
  }

  async #deliver(session: SessionKey, entries: readonly Entry[]): Promise<readonly Told[]> {
    const reply = await this.#send(session, entries)
    const serverMs = serverMsOf(reply)
    if (stateOf(reply) !== 'session-gone') return (reply[2] as Reply).map((answer) => enterAnswerOf(answer, serverMs))
    this.forget(session)
    return entries.map(() => ({ serverMs, state: 'session-gone' }))
  }
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
