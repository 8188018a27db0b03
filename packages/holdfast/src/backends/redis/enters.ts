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
      const [told = AGAIN] = await this.#of(session).add([entry])
      if (told !== AGAIN) return told
    }
  }

  /** The session takes nothing more. */
  forget({ id }: SessionKey): void {
    this.#batches.delete(id)
  }

  #of(session: SessionKey): Batch<Entry, Told> {
    const known = this.#batches.get(session.id)
    if (known !== undefined) return known
    const batch = new Batch<Entry, Told>(TOGETHER_MAX, (entries) => this.#deliver(session, entries))
    this.#batches.set(session.id, batch)
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

/** What `enter.lua` wants to know behind the channel. */
export function enterArgs(session: SessionKey, entries: readonly Entry[]): readonly string[] {
  const minSeq = Math.max(...entries.map(({ terms }) => terms.minSeq))
  return [session.id, String(minSeq), '0', ...entries.flatMap(entryArgs)]
}

function entryArgs({ draft, terms }: Entry): readonly string[] {
  const flags = (draft.slot ? SLOT : 0) + (draft.detached ? DETACHED : 0)
  return [
    draft.id,
    draft.line,
    String(draft.weight),
    String(draft.capacity),
    micros(draft.maxHoldMs ?? 0),
    String(flags),
    notesText(draft),
    terms.mode,
    micros(terms.notAfterMs),
    micros(terms.sliceMs),
    '0',
  ]
}
