/**
 * One client of a memory store: the port's promises on top of the store's plain steps. Hints come on a microtask, never
 * inside the call that caused them.
 */
import { BackendUnavailableError } from '../../errors.ts'
import type {
  AmendAnswer,
  Amendment,
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
  Opened,
  SessionDraft,
  SessionKey,
  Timed,
} from '../../port.ts'
import { microtask, Turn } from '../../turn.ts'
import type { Store } from './store.ts'

export class MemoryLedger implements Ledger {
  readonly buckets = 1
  readonly connections = 0
  readonly inOrder = true
  readonly cells: Cells
  readonly #store: Store
  readonly #setup: LedgerSetup
  readonly #onClose: (ledger: MemoryLedger) => void
  readonly #turn: Turn
  #listeners = 0
  #closed = false

  constructor(store: Store, setup: LedgerSetup, onClose: (ledger: MemoryLedger) => void) {
    this.#store = store
    this.#setup = setup
    this.#turn = new Turn(setup.clock)
    this.#onClose = onClose
    this.cells = this.#cellsOf()
  }

  bucketOf(_name: string): number {
    return 0
  }

  async open(draft: SessionDraft): Promise<Opened> {
    return this.#ready().open(this.#setup, draft)
  }

  async end(session: SessionKey): Promise<Timed> {
    return this.#ready().end(session.id)
  }

  async enter(session: SessionKey, draft: ClaimDraft, terms: EnterTerms): Promise<EnterAnswer> {
    if (!this.#turn.mayGoOn(this.#setup.clock.monotonicMs()))
      await new Promise<void>((resolve) => this.#setup.clock.after(0, resolve))
    return this.#ready().enter(session.id, draft, terms)
  }

  async ask(session: SessionKey, claims: readonly ClaimKey[]): Promise<AskAnswer> {
    return this.#ready().ask(session.id, claims)
  }

  async leave(_bucket: number, claims: readonly ClaimKey[]): Promise<Timed & { readonly found: readonly boolean[] }> {
    return this.#ready().leave(claims)
  }

  async amend(session: SessionKey, claim: ClaimKey, change: Amendment): Promise<AmendAnswer> {
    return this.#ready().amend(session.id, claim, change)
  }

  async beat(session: SessionKey, terms: BeatTerms): Promise<BeatAnswer> {
    return this.#ready().beat(session.id, terms)
  }

  async evict(line: string, claimId: string | null): Promise<Timed & { readonly evicted: number }> {
    return this.#ready().evict(line, claimId)
  }

  async inspect(line: string): Promise<LineRow | null> {
    return this.#ready().inspect(line)
  }

  async list(prefix: string, after: string, limit: number): Promise<readonly LineRow[]> {
    return this.#ready().list(prefix, after, limit)
  }

  async listen(): Promise<void> {
    this.#ready()
    this.#listeners++
  }

  unlisten(): void {
    this.#listeners--
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#onClose(this)
  }

  /** Called by the store's owner for each change, inside the step that made it. */
  hint(what: string): void {
    if (this.#listeners <= 0) return
    microtask(() => {
      if (!this.#closed && this.#listeners > 0) this.#setup.onHint(what)
    })
  }

  #ready(): Store {
    if (this.#closed) throw new BackendUnavailableError('this client of the memory store is closed')
    return this.#store
  }

  #cellsOf(): Cells {
    const cells = (): Store['cells'] => this.#ready().cells
    return {
      get: async (name: string): Promise<CellValue | null> => cells().get(name),
      set: async (name: string, value: string, write: CellWrite): Promise<CellAnswer> =>
        cells().set(name, value, write, () => this.#store.number(this.#setup, write.minSeq)),
      add: async (name, member, terms) => cells().add(name, member, terms),
      count: async (name) => cells().count(name),
      remove: async (name) => cells().remove(name),
    }
  }
}
