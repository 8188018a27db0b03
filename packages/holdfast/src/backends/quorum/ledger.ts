/**
 * Several ledgers as one: nothing is decided by a node, everything by a majority of them. There is no line here that
 * anybody could stand in: who does not get it tries again after a while, so there is no order, and nobody can be seen
 * waiting. The clock of this ledger is our own monotonic one.
 */
import { BackendRefusedError, BackendUnavailableError, QuorumError, UnsupportedError } from '../../errors.ts'
import type {
  AmendAnswer,
  Amendment,
  AskAnswer,
  BeatAnswer,
  BeatTerms,
  Cells,
  ClaimDraft,
  ClaimKey,
  EnterAnswer,
  EnterTerms,
  Ledger,
  LedgerSetup,
  LineRow,
  Opened,
  Port,
  SessionDraft,
  SessionKey,
  Standing,
  Timed,
} from '../../port.ts'
import { jittered } from '../../random.ts'
import { requireClaim, requireSession } from '../rules.ts'
import { votesOf } from './ballot.ts'
import { Beats } from './beats.ts'
import { Census } from './census.ts'
import { Claim, majorityOf } from './claim.ts'
import { Claims } from './claims.ts'
import { Node } from './node.ts'
import { Numbers } from './numbers.ts'
import { Questions } from './questions.ts'
import { Removals } from './removals.ts'
import { QuorumSession } from './session.ts'
import { Takes } from './takes.ts'

const CONNECT_MS = 5000
/** For so long a majority waits for the rest: what is taken at all nodes outlives more of them. */
const REST_MS = 50
/** A node has an eighth of the ttl to answer, and never more than that. */
const LIMIT_MS_MAX = 1000
/** How often a try that only met others who tried is made, and how far apart. */
const TRIES = { count: 3, pauseMs: 10 }

export interface NamedPort {
  readonly name: string
  readonly port: Port
}

export class QuorumLedger implements Ledger {
  readonly buckets = 1
  readonly cells: Cells = noCells
  readonly #setup: LedgerSetup
  readonly #nodes: readonly Node[]
  readonly #majority: number
  readonly #sessions = new Map<string, QuorumSession>()
  readonly #removals: Removals
  readonly #claims: Claims
  readonly #beats: Beats
  readonly #questions: Questions
  readonly #census: Census
  #closed = false

  constructor(ports: readonly NamedPort[], setup: LedgerSetup) {
    const { clock, random, maxTtlMs } = setup
    this.#setup = setup
    // A node that comes back may have lost what it knew, so each of them says when it is not to be counted.
    const nodeSetup = { ...setup, quarantine: true, voter: true, onHint: () => {} }
    const limitMs = Math.min(LIMIT_MS_MAX, maxTtlMs / 8)
    this.#nodes = ports.map(({ name, port }) => new Node(name, port, nodeSetup, limitMs))
    this.#majority = majorityOf(ports.length)
    this.#removals = new Removals(clock, random)
    const takes = new Takes(this.#nodes, clock, new Numbers(clock), this.#removals)
    this.#claims = new Claims(ports.length, setup, takes, this.#removals, setup.onHint)
    this.#beats = new Beats(this.#nodes, clock, (claim) => this.#claims.lose(claim))
    this.#questions = new Questions(this.#nodes)
    this.#census = new Census(this.#nodes)
  }

  get connections(): number {
    return this.#nodes.reduce((sum, { connections }) => sum + connections, 0)
  }

  bucketOf(_name: string): number {
    return 0
  }

  /** Resolves when all are connected, or a majority a moment ago. */
  connect(): Promise<void> {
    return new Promise((resolve, reject) => {
      const { clock } = this.#setup
      const timer = clock.after(CONNECT_MS, () => reject(this.#notConnected()))
      let [ready, refused] = [0, 0]
      for (const node of this.#nodes) {
        node.connect().then(
          () => {
            ready++
            if (ready < this.#majority) return
            timer.cancel()
            if (ready === this.#nodes.length) resolve()
            else if (ready === this.#majority) clock.after(REST_MS, resolve)
          },
          (cause: Error) => {
            refused++
            if (refused <= this.#nodes.length - this.#majority) return
            timer.cancel()
            reject(new BackendRefusedError(`too many nodes of the quorum will not do it: ${cause.message}`, { cause }))
          },
        )
      }
    })
  }

  async open(draft: SessionDraft): Promise<Opened> {
    this.#ready()
    requireSession(draft, this.#setup)
    for (const node of this.#nodes) node.limitMs = Math.min(LIMIT_MS_MAX, draft.ttlMs / 8)
    this.#forgetPast()
    const session = new QuorumSession(draft, this.#setup.clock, this.#setup.random)
    // Known from here on, so that whoever closes meanwhile ends it.
    this.#sessions.set(draft.id, session)
    try {
      await this.#questions.majority('opened the session', (node) => session.seated(node, 0))
    } catch (error) {
      this.#sessions.delete(draft.id)
      void session.end()
      throw error
    }
    return { serverMs: this.#now() }
  }

  async end({ id }: SessionKey): Promise<Timed> {
    const session = this.#sessions.get(id)
    if (session === undefined) return { serverMs: this.#now() }
    this.#sessions.delete(id)
    await session.end()
    return { serverMs: this.#now() }
  }

  async enter({ id }: SessionKey, draft: ClaimDraft, terms: EnterTerms): Promise<EnterAnswer> {
    this.#ready()
    requireClaim(id, draft)
    const serverMs = this.#now()
    const session = this.#sessions.get(id)
    if (session === undefined) return { serverMs, state: 'session-gone' }
    if (draft.detached) throw new UnsupportedError('the quorum backend does not have a detached lease')
    const known = session.claims.get(draft.id)
    if (known === undefined && serverMs > terms.notAfterMs) return { serverMs, state: 'too-late' }
    const claim = known ?? new Claim(session, draft, terms.minSeq, terms.sliceMs)
    session.claims.set(draft.id, claim)
    if (terms.mode === 'queue') return { serverMs, ...(await this.#claims.standingOf(claim)) } as EnterAnswer
    for (let left = TRIES.count; ; left--) {
      const held = await this.#claims.try(claim)
      if (held) return { serverMs: this.#now(), ...this.#claims.open(claim) }
      if (left > 1 && claim.split && claim.state === 'waiting') await this.#pause(TRIES.pauseMs)
      else break
    }
    session.claims.delete(draft.id)
    return { serverMs: this.#now(), state: 'refused', holder: claim.holder }
  }

  async ask({ id }: SessionKey, keys: readonly ClaimKey[]): Promise<AskAnswer> {
    this.#ready()
    const session = this.#sessions.get(id)
    if (session === undefined) return { serverMs: this.#now(), state: 'session-gone' }
    const standings = await Promise.all(
      keys.map(async (key): Promise<Standing> => {
        const claim = session.claims.get(key.id)
        if (claim === undefined) return { state: 'gone' }
        if (claim.state === 'waiting') return this.#claims.standingOf(claim)
        if (claim.state !== 'open') return { state: 'gone' }
        const told = await this.#questions.ask(claim)
        this.#beats.review(session)
        return told === null ? { state: 'gone' } : this.#claims.open(claim, told.remainingMs)
      }),
    )
    return { serverMs: this.#now(), state: 'told', standings }
  }

  async leave(_bucket: number, keys: readonly ClaimKey[]): Promise<Timed & { readonly found: readonly boolean[] }> {
    this.#ready()
    const found = await Promise.all(
      keys.map(({ id }) => {
        const session = this.#sessions.get(id.slice(0, id.indexOf('.')))
        return session === undefined ? false : this.#claims.leave(session, id)
      }),
    )
    return { serverMs: this.#now(), found }
  }

  async amend({ id }: SessionKey, key: ClaimKey, change: Amendment): Promise<AmendAnswer> {
    this.#ready()
    const session = this.#sessions.get(id)
    if (session === undefined) return { serverMs: this.#now(), state: 'session-gone' }
    const claim = session.claims.get(key.id)
    if (claim === undefined || claim.state !== 'open') return { serverMs: this.#now(), state: 'gone' }
    const told = await this.#questions.amend(claim, change, (stand) => void this.#removals.remove(session, stand))
    this.#beats.review(session)
    return {
      serverMs: this.#now(),
      ...(told === null ? { state: 'gone' } : this.#claims.open(claim, told.remainingMs)),
    }
  }

  async beat({ id }: SessionKey, terms: BeatTerms): Promise<BeatAnswer> {
    this.#ready()
    const session = this.#sessions.get(id)
    if (session === undefined) return { serverMs: this.#now(), state: 'session-gone' }
    return this.#beats.beat(session, terms)
  }

  async evict(line: string, claimId: string | null): Promise<Timed & { readonly evicted: number }> {
    this.#ready()
    return { serverMs: this.#now(), evicted: await this.#census.evict(line, claimId) }
  }

  async inspect(line: string): Promise<LineRow | null> {
    this.#ready()
    return this.#census.inspect(line)
  }

  async list(prefix: string, after: string, limit: number): Promise<readonly LineRow[]> {
    this.#ready()
    return this.#census.list(prefix, after, limit)
  }

  /** Nodes tell nobody of a change, for nobody stands in their lines. */
  async listen(): Promise<void> {
    this.#ready()
  }
  unlisten(): void {}

  async close(): Promise<void> {
    this.#closed = true
    this.#removals.close()
    await Promise.all([...this.#sessions.values()].map((session) => session.end()))
    this.#sessions.clear()
    await Promise.all(this.#nodes.map((node) => node.close()))
  }

  /** Nobody says here that a session was lost, and what is left of it at the nodes would stay there. */
  #forgetPast(): void {
    for (const [id, session] of this.#sessions) {
      if (this.#now() < session.startMs + 2 * session.draft.ttlMs) continue
      this.#sessions.delete(id)
      void session.end()
    }
  }

  #notConnected(): QuorumError {
    const names = this.#nodes.map(({ name }) => name)
    const answers = this.#nodes.map(({ ledger }) => (ledger === null ? ('unknown' as const) : ('yes' as const)))
    return new QuorumError(`no majority of ${names.length} nodes is connected`, votesOf(names, answers))
  }

  #now(): number {
    return this.#setup.clock.monotonicMs()
  }
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#setup.clock.after(jittered(this.#setup.random, ms), resolve))
  }
  #ready(): void {
    if (this.#closed) throw new BackendUnavailableError('this client of the quorum is closed')
  }
}

function unsupported(): Promise<never> {
  return Promise.reject(new UnsupportedError('the quorum backend does not have a cell'))
}

const noCells: Cells = { get: unsupported, set: unsupported, add: unsupported, count: unsupported, remove: unsupported }
