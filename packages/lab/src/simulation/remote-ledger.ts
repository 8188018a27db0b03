/**
 * The client's end of the simulated network: the port's ledger, each call of which is a message to the memory store.
 * The shipped client code above it runs unchanged.
 */
import { asBackend, type Backend } from '../../../holdfast/src/backend.ts'
import type { Store } from '../../../holdfast/src/backends/memory/store.ts'
import type {
  AmendAnswer,
  AskAnswer,
  BeatAnswer,
  BeatTerms,
  CellAnswer,
  Cells,
  CellValue,
  CellWrite,
  ClaimDraft,
  ClaimKey,
  EnterAnswer,
  EnterTerms,
  Ledger,
  LedgerSetup,
  LineRow,
  Port,
  SessionDraft,
  SessionKey,
  Timed,
} from '../../../holdfast/src/port.ts'
import type { Actor } from './actor.ts'
import { type Network, Wire } from './network.ts'

const HELLO_MS = 300

export interface RemoteTerms {
  readonly network: Network
  readonly actor: Actor
  readonly ttlMs: number
  /** Requests made while there is no connection wait for one, instead of failing at once. */
  readonly parks: boolean
  readonly onWire: (wire: Wire) => void
  readonly onConnected: () => void
}

export function remoteBackend(terms: RemoteTerms): Backend {
  const port: Port = {
    kind: 'simulated',
    ttlMsMin: 0,
    worker: null,
    async connect(setup) {
      const { network, actor, parks, onWire, onConnected } = terms
      const wire = new Wire(network, actor, parks, setup.onHint)
      onWire(wire)
      await hello(wire, actor)
      onConnected()
      return new RemoteLedger(terms, setup, wire)
    },
  }
  return asBackend(port)
}

/** A driver sends its greeting again until it is answered. */
async function hello(wire: Wire, { clock }: Actor): Promise<void> {
  while (!wire.closed) {
    const answered = await new Promise<boolean>((resolve) => {
      const timer = clock.aside(HELLO_MS, () => resolve(false))
      const end = (value: boolean) => (): void => {
        timer.cancel()
        resolve(value)
      }
      wire.request('hello', HELLO_MS, () => null).then(end(true), end(false))
    })
    if (answered) return
    await new Promise<void>((resolve) => clock.aside(HELLO_MS, resolve))
  }
}

class RemoteLedger implements Ledger {
  readonly buckets = 1
  /** Also where the network turns messages round. */
  readonly inOrder = true
  readonly cells: Cells
  readonly #terms: RemoteTerms
  readonly #setup: LedgerSetup
  readonly #wire: Wire
  readonly #limitMs: number
  #listens = 0

  constructor(terms: RemoteTerms, setup: LedgerSetup, wire: Wire) {
    this.#terms = terms
    this.#setup = setup
    this.#wire = wire
    this.#limitMs = terms.ttlMs / 3
    this.cells = this.#cellsOf()
  }

  get connections(): number {
    return this.#wire.closed ? 0 : 1
  }
  bucketOf(_name: string): number {
    return 0
  }

  open(draft: SessionDraft): Promise<Timed> {
    const { network } = this.#terms
    return this.#ask('open', (store) => {
      network.owns(draft.id, this.#wire)
      const answer = store.open(this.#setup, draft)
      network.observer.opened(draft.seenBefore)
      return answer
    })
  }
  end(session: SessionKey): Promise<Timed> {
    return this.#ask('end', (store) => store.end(session.id))
  }
  async enter(session: SessionKey, draft: ClaimDraft, terms: EnterTerms): Promise<EnterAnswer> {
    const { observer } = this.#terms.network
    let isDuplicate = false
    const answer = await this.#ask('enter', (store) => {
      const given = store.enter(session.id, draft, terms)
      observer.entered({ draft, terms, isDuplicate }, given)
      isDuplicate = true
      return given
    })
    if (answer.state === 'open') observer.granting(this.#wire, draft.id)
    return answer
  }
  async ask(session: SessionKey, claims: readonly ClaimKey[]): Promise<AskAnswer> {
    const answer = await this.#ask('ask', (store) => store.ask(session.id, claims))
    if (answer.state === 'told') {
      for (const [index, claim] of claims.entries()) {
        if (answer.standings[index]?.state === 'open') this.#terms.network.observer.granting(this.#wire, claim.id)
      }
    }
    return answer
  }
  leave(_bucket: number, claims: readonly ClaimKey[]): Promise<Timed & { readonly found: readonly boolean[] }> {
    return this.#ask('leave', (store) => store.leave(claims))
  }
  amend(
    session: SessionKey,
    claim: ClaimKey,
    change: { readonly maxHoldMs?: number | null; readonly weight?: number },
  ): Promise<AmendAnswer> {
    return this.#ask('amend', (store) => store.amend(session.id, claim, change))
  }
  beat(session: SessionKey, terms: BeatTerms): Promise<BeatAnswer> {
    return this.#wire.request('beat', this.#limitMs / 2, (store) => store.beat(session.id, terms))
  }
  evict(line: string, claimId: string | null): Promise<Timed & { readonly evicted: number }> {
    return this.#ask('evict', (store) => {
      const open = store.inspect(line)?.claims.filter((claim) => claim.open) ?? []
      this.#terms.network.observer.evicted(
        open.map((claim) => claim.id).filter((id) => claimId === null || id === claimId),
      )
      return store.evict(line, claimId)
    })
  }
  inspect(line: string): Promise<LineRow | null> {
    return this.#ask('inspect', (store) => store.inspect(line))
  }
  list(prefix: string, after: string, limit: number): Promise<readonly LineRow[]> {
    return this.#ask('list', (store) => store.list(prefix, after, limit))
  }
  async listen(): Promise<void> {
    await this.#wire.listen(this.#limitMs)
    this.#listens++
  }
  unlisten(): void {
    if (--this.#listens === 0) this.#wire.unlisten()
  }
  async close(): Promise<void> {
    this.#wire.close()
  }

  #ask<T>(op: string, work: (store: Store) => T): Promise<T> {
    return this.#wire.request(op, this.#limitMs, work)
  }

  #cellsOf(): Cells {
    return {
      get: (name: string): Promise<CellValue | null> => this.#ask('get', (store) => store.cells.get(name)),
      set: (name: string, value: string, write: CellWrite): Promise<CellAnswer> =>
        this.#ask('set', (store) => store.cells.set(name, value, write, () => store.number(this.#setup, write.minSeq))),
      add: (name, member, terms) => this.#ask('add', (store) => store.cells.add(name, member, terms)),
      count: (name) => this.#ask('count', (store) => store.cells.count(name)),
      remove: (name) => this.#ask('remove', (store) => store.cells.remove(name)),
    }
  }
}
