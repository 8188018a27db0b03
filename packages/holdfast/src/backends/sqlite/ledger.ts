/**
 * One client of a SQLite database: the port's questions as operations in transactions. Whatever could grow without
 * bound is cut into several operations, so that no transaction is long.
 */
import type {
  AmendAnswer,
  Amendment,
  AskAnswer,
  BeatAnswer,
  BeatTerms,
  Cells,
  ClaimDraft,
  ClaimKey,
  ClaimRow,
  EnterAnswer,
  EnterTerms,
  Ledger,
  LedgerSetup,
  LineRow,
  SessionDraft,
  SessionKey,
  Standing,
  Timed,
} from '../../port.ts'
import { microtask } from '../../turn.ts'
import { requireClaim } from '../rules.ts'
import { Bell } from './bell.ts'
import { addMember, countMembers, getCell, removeCell, setCell } from './cell.ts'
import { amend, ask, type Eviction, enter, evict, leave } from './claim.ts'
import { Connection, type Source } from './connection.ts'
import { joinNeighbours, type Neighbour } from './neighbours.ts'
import { Queue } from './queue.ts'
import { beatSession, endSession, openSession } from './session.ts'
import { lineOf, VIEW_PAGE, viewClaims, viewLines } from './view.ts'
import { Watch } from './watch.ts'

/** Claims that one operation deals with. */
const CLAIMS_MAX = 64

export class SqliteLedger implements Ledger, Neighbour {
  readonly buckets = 1
  readonly cells: Cells
  readonly #setup: LedgerSetup
  readonly #connection: Connection
  readonly #queue: Queue
  readonly #watch: Watch
  readonly #bell = new Bell()
  readonly #neighbours: ReadonlySet<Neighbour>
  readonly #part: () => void

  constructor(source: Source, setup: LedgerSetup) {
    const { clock, namespace, random } = setup
    this.#setup = setup
    this.#connection = new Connection(source, namespace, clock)
    this.#watch = new Watch(this.#connection, clock, () => setup.onHint(null))
    this.#queue = new Queue(this.#connection, clock, random, (hints, moves) => {
      for (const neighbour of this.#neighbours) neighbour.told(hints, moves)
      if (moves !== null) this.#bell.ring(this.#connection.file)
    })
    const place = source.kind === 'file' ? source.file : source.database
    const { all, part } = joinNeighbours(place, namespace, this)
    this.#neighbours = all
    this.#part = part
    this.cells = this.#makeCells()
  }

  get connections(): number {
    return this.#connection.isOpen ? 1 : 0
  }

  bucketOf(_name: string): number {
    return 0
  }

  /** Opens the database. @throws {BackendRefusedError | BackendUnavailableError} */
  async connect(): Promise<void> {
    await this.#queue.submit('read', () => undefined)
  }

  open(draft: SessionDraft): Promise<Timed> {
    return this.#queue.submit('write', (step) => openSession(step, this.#setup.namespace, this.#setup, draft))
  }

  end(session: SessionKey): Promise<Timed> {
    return this.#queue.submit('write', (step) => endSession(step, session.id))
  }

  async enter(session: SessionKey, draft: ClaimDraft, terms: EnterTerms): Promise<EnterAnswer> {
    requireClaim(session.id, draft)
    return this.#queue.submit('write', (step) => enter(step, session, draft, terms))
  }

  async ask(session: SessionKey, claims: readonly ClaimKey[]): Promise<AskAnswer> {
    const standings: Standing[] = []
    for (let from = 0; ; from += CLAIMS_MAX) {
      const some = claims.slice(from, from + CLAIMS_MAX)
      const answer = await this.#queue.submit('read', (step) => ask(step, session, some))
      if (answer.state === 'session-gone') return answer
      standings.push(...answer.standings)
      if (from + CLAIMS_MAX >= claims.length) return { ...answer, standings }
    }
  }

  leave(_bucket: number, claims: readonly ClaimKey[]): Promise<Timed & { readonly found: readonly boolean[] }> {
    if (claims.length > CLAIMS_MAX) return this.#leaveMany(claims)
    return this.#queue.submit('write', (step) => leave(step, claims))
  }

  async #leaveMany(claims: readonly ClaimKey[]): Promise<Timed & { readonly found: readonly boolean[] }> {
    const found: boolean[] = []
    for (let from = 0; ; from += CLAIMS_MAX) {
      const some = claims.slice(from, from + CLAIMS_MAX)
      const answer = await this.#queue.submit('write', (step) => leave(step, some))
      found.push(...answer.found)
      if (from + CLAIMS_MAX >= claims.length) return { ...answer, found }
    }
  }

  amend(session: SessionKey, claim: ClaimKey, change: Amendment): Promise<AmendAnswer> {
    return this.#queue.submit('write', (step) => amend(step, session, claim, change))
  }

  beat(session: SessionKey, terms: BeatTerms): Promise<BeatAnswer> {
    return this.#queue.submit('write', (step) => beatSession(step, session.id, terms))
  }

  async evict(line: string, claimId: string | null): Promise<Timed & { readonly evicted: number }> {
    const { maxTtlMs } = this.#setup
    const next = (before: Eviction | null): Promise<Eviction> =>
      this.#queue.submit('write', (step) => evict(step, line, claimId, maxTtlMs, before))
    let done = await next(null)
    while (done.serverMs === null) done = await next(done)
    return { serverMs: done.serverMs, evicted: done.evicted }
  }

  async inspect(line: string): Promise<LineRow | null> {
    const claims: ClaimRow[] = []
    for (;;) {
      const after = claims.at(-1)?.seq ?? -1
      const page = await this.#queue.submit('read', (step) => viewClaims(step, line, after))
      claims.push(...page)
      if (page.length < VIEW_PAGE.claims) return lineOf(line, claims)
    }
  }

  async list(prefix: string, after: string, limit: number): Promise<readonly LineRow[]> {
    const rows: LineRow[] = []
    for (let last = after; rows.length < limit; ) {
      const names = await this.#queue.submit('read', (step) => viewLines(step, prefix, last))
      for (const name of names) {
        const row = rows.length < limit ? await this.inspect(name) : null
        if (row !== null) rows.push(row)
      }
      if (names.length < VIEW_PAGE.lines) break
      last = names.at(-1) ?? last
    }
    return rows
  }

  async listen(): Promise<void> {
    await this.#queue.submit('read', () => undefined)
    this.#watch.start()
  }

  unlisten(): void {
    this.#watch.stop()
  }

  async close(): Promise<void> {
    this.#watch.close()
    this.#bell.close()
    this.#queue.close()
    this.#part()
  }

  told(hints: ReadonlySet<string>, moves: number | null): void {
    if (!this.#watch.isOn) return
    if (moves !== null) this.#watch.told(moves)
    if (hints.size === 0) return
    microtask(() => {
      for (const hint of hints) if (this.#watch.isOn) this.#setup.onHint(hint)
    })
  }

  #makeCells(): Cells {
    const queue = this.#queue
    const setup = this.#setup
    return {
      get: (name) => queue.submit('read', (step) => getCell(step, name)),
      set: (name, value, write) => queue.submit('write', (step) => setCell(step, setup, name, value, write)),
      add: (name, member, terms) => queue.submit('write', (step) => addMember(step, setup, name, member, terms)),
      count: (name) => queue.submit('read', (step) => countMembers(step, name)),
      remove: (name) => queue.submit('write', (step) => removeCell(step, name)),
    }
  }
}
