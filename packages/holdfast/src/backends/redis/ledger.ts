/**
 * One client of a Redis server, or of several that are one: the port's questions as calls of scripts. Takes and leaves
 * of one turn travel together. Whatever could grow without bound is cut into steps of the server.
 */
import { EXCLUSIVE } from '../../admission.ts'
import { BackendUnavailableError } from '../../errors.ts'
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
  Opened,
  SessionDraft,
  SessionKey,
  Standing,
  Timed,
} from '../../port.ts'
import {
  aheadMs,
  requireClaim,
  requireHold,
  requireNumber,
  requireSame,
  requireSession,
  requireSmaller,
} from '../rules.ts'
import { micros, RedisCells } from './cells.ts'
import { Enters, type Entry, enterArgs } from './enters.ts'
import { codeOf, failureOf } from './failure.ts'
import { Hints } from './hints.ts'
import { BUCKETS, type Bucket, bucketOf, channelOf, type Keys, keysOf } from './keys.ts'
import { Leaves } from './leaves.ts'
import { Names } from './names.ts'
import { AGAIN, auditOf, type Reply, replyOf, rowOf, serverMsOf, standingOf, stateOf } from './reply.ts'
import { SafeTakes } from './safe-takes.ts'
import { type Script, scripts } from './script.ts'
import type { Replication, Wire } from './wire.ts'

/** Requests that one call of a script serves. */
const TOGETHER_MAX = 64
/** Places of a line, and names, that one call looks at. */
const PAGE = 128

export class RedisLedger implements Ledger {
  readonly buckets: number = BUCKETS
  readonly bucketOf: (name: string) => number = bucketOf
  readonly cells: Cells
  readonly inOrder: boolean
  greeting?: Timed
  readonly #wire: Wire
  readonly #setup: LedgerSetup
  readonly #safe: SafeTakes | null
  readonly #keys: Keys
  readonly #channel: string
  readonly #enters: Enters
  readonly #leaves: Leaves
  readonly #names: Names
  readonly #hints: Hints
  #closed = false

  constructor(wire: Wire, setup: LedgerSetup, replication: Replication | null) {
    this.#wire = wire
    this.#setup = setup
    // What replicas must acknowledge takes another way.
    this.inOrder = replication === null
    this.#safe = replication === null ? null : new SafeTakes(wire, replication)
    this.#keys = keysOf(setup.namespace)
    this.#channel = channelOf(setup.random.id())
    this.#hints = new Hints(wire, [this.#channel, this.#keys.news], setup.onHint)
    this.#enters = new Enters((session, entries) => this.#enterAll(session, entries))
    this.#leaves = new Leaves((bucket, args) => this.#run(scripts.leave, bucket, args))
    this.#names = new Names(setup.clock, BUCKETS, (bucket, args) => this.#run(scripts.list, bucket, args))
    this.cells = new RedisCells(this.#keys, setup, (script, keys, args) => this.#call(script, keys, args))
  }

  get connections(): number {
    return this.#wire.connections
  }

  /** Asks the server whether all is well. @throws {BackendUnavailableError | BackendRefusedError} */
  async connect(): Promise<void> {
    const { maxTtlMs, quarantine, voter } = this.#setup
    const keys = this.#bucket(0).keys.slice(0, 2)
    const args = [micros(maxTtlMs), ...[quarantine, voter].map((on) => (on ? '1' : '0'))]
    const reply = await this.#call(scripts.agree, keys, args)
    this.#requireSame(reply)
    this.greeting = { serverMs: serverMsOf(reply) }
  }

  async open(draft: SessionDraft): Promise<Opened> {
    const { maxTtlMs, quarantine, voter } = this.#setup
    requireSession(draft, { maxTtlMs, quarantine })
    this.#safe?.opens(draft.ttlMs)
    const reply = await this.#run(scripts.open, draft.bucket, [
      draft.id,
      micros(draft.ttlMs),
      `${this.#channel} ${draft.pid} ${draft.host}`,
      draft.seenBefore || voter ? '1' : '0',
      String(draft.minSeq),
      micros(maxTtlMs),
      quarantine ? '1' : '0',
    ])
    this.#requireSame(reply)
    void this.#safe?.opened(draft, (old) => this.ask(old, []))
    const opened = { serverMs: serverMsOf(reply), era: String(reply[2]) }
    return voter ? { ...opened, heldBackMs: Number(reply[3]) / 1000 } : opened
  }

  async end(session: SessionKey): Promise<Timed> {
    for (;;) {
      const reply = await this.#run(scripts.finish, session.bucket, [session.id])
      this.#safe?.ended(session.id)
      if (stateOf(reply) === 'ended') return { serverMs: serverMsOf(reply) }
    }
  }

  /** No async function, for this is what most callers pay for. */
  enter(session: SessionKey, draft: ClaimDraft, terms: EnterTerms): Promise<EnterAnswer> {
    try {
      requireClaim(session.id, draft)
      requireNumber(terms.minSeq)
    } catch (error) {
      return Promise.reject(error)
    }
    return this.#enters.enter(session, draft, terms)
  }

  async ask(session: SessionKey, claims: readonly ClaimKey[]): Promise<AskAnswer> {
    const standings: Standing[] = []
    for (let serverMs = 0; ; ) {
      const left = claims.slice(standings.length, standings.length + TOGETHER_MAX)
      if (left.length === 0 && serverMs > 0) return { serverMs, state: 'told', standings }
      const args = [session.id, ...left.flatMap(({ id, line }) => [id, line])]
      const ids = left.map(({ id }) => id)
      const reply = await this.#safely(scripts.ask, session.bucket, args, ids)
      serverMs = serverMsOf(reply)
      if (stateOf(reply) === 'session-gone') return { serverMs, state: 'session-gone' }
      for (const told of (reply[2] as Reply).map(standingOf)) {
        // What was told behind it stays true, but the order of the answers is that of the questions.
        if (told === AGAIN) break
        standings.push(told)
      }
    }
  }

  leave(bucket: number, claims: readonly ClaimKey[]): Promise<Timed & { readonly found: readonly boolean[] }> {
    this.#safe?.left(claims.map(({ id }) => id))
    return this.#leaves.leave(bucket, claims)
  }

  async amend(session: SessionKey, claim: ClaimKey, change: Amendment): Promise<AmendAnswer> {
    const { weight, maxHoldMs, order } = change
    // Whether it shrinks can only be seen there.
    if (weight !== undefined) requireSmaller(weight, EXCLUSIVE)
    if (typeof maxHoldMs === 'number') requireHold(maxHoldMs)
    const hold = maxHoldMs === undefined ? '-1' : micros(maxHoldMs ?? 0)
    const args = [session.id, claim.id, claim.line, String(weight ?? 0), hold, order === undefined ? '' : String(order)]
    for (;;) {
      const reply = await this.#run(scripts.amend, session.bucket, args)
      const serverMs = serverMsOf(reply)
      const state = stateOf(reply)
      if (state === 'session-gone') return { serverMs, state }
      if (state === 'grows') requireSmaller(Number(weight), Number(reply[2]))
      if (state === 'endless') throw new RangeError('a detached claim needs a maxHold')
      const told = standingOf(reply[2])
      if (told !== AGAIN) return { serverMs, ...told }
    }
  }

  async beat(session: SessionKey, terms: BeatTerms): Promise<BeatAnswer> {
    try {
      const { ttlMs, after, limit, era } = terms
      const args = [session.id, micros(ttlMs), after, String(limit), era ?? '']
      const reply = await this.#run(scripts.beat, session.bucket, args)
      const serverMs = serverMsOf(reply)
      const state = stateOf(reply)
      if (state === 'session-gone') return { serverMs, state }
      if (state === 'moved') return { serverMs, state, era: String(reply[2]) }
      const revoked = (reply[3] as readonly unknown[]).map(String)
      return { serverMs, state: 'beaten', audit: auditOf(reply[2]), revoked }
    } catch (error) {
      if (codeOf((error as Error).cause) === 'TRYAGAIN') return this.#beatBare(session, terms)
      throw error
    }
  }

  async evict(line: string, claimId: string | null): Promise<Timed & { readonly evicted: number }> {
    const args = [line, claimId ?? '', micros(this.#setup.maxTtlMs)]
    const reply = await this.#run(scripts.evict, bucketOf(line), args)
    return { serverMs: serverMsOf(reply), evicted: Number(reply[2]) }
  }

  async inspect(line: string): Promise<LineRow | null> {
    const claims: ClaimRow[] = []
    for (let after = '0'; after !== ''; ) {
      const reply = await this.#run(scripts.inspect, bucketOf(line), [line, after, String(PAGE)])
      claims.push(...(reply[3] as Reply).map(rowOf).filter((row) => row !== null))
      after = String(reply[2])
    }
    return claims.length === 0 ? null : { line, claims }
  }

  async list(prefix: string, after: string, limit: number): Promise<readonly LineRow[]> {
    const names = await this.#names.above(prefix, after)
    const rows: LineRow[] = []
    for (let from = 0; from < names.length && rows.length < limit; from += TOGETHER_MAX) {
      const found = await Promise.all(names.slice(from, from + TOGETHER_MAX).map((name) => this.inspect(name)))
      rows.push(...found.filter((row) => row !== null))
    }
    return rows.slice(0, limit)
  }

  async listen(): Promise<void> {
    if (this.#closed) throw closedError()
    try {
      await this.#hints.listen()
    } catch (error) {
      throw failureOf(error, this.#wire.failsOver)
    }
  }

  unlisten(): void {
    this.#hints.unlisten()
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([this.#hints.close(), this.#wire.close()])
  }

  async #beatBare(session: SessionKey, { ttlMs }: BeatTerms): Promise<BeatAnswer> {
    const [, ends] = this.#bucket(session.bucket).keys
    const reply = await this.#call(scripts.beatBare, [ends], [session.id, micros(ttlMs)])
    const serverMs = serverMsOf(reply)
    if (stateOf(reply) === 'session-gone') return { serverMs, state: 'session-gone' }
    return { serverMs, state: 'beaten', audit: null, revoked: [] }
  }

  #enterAll(session: SessionKey, entries: readonly Entry[]): Promise<Reply> {
    const args = enterArgs(session, entries, micros(aheadMs(this.#setup.maxTtlMs)))
    const ids = entries.map(({ draft }) => draft.id)
    return this.#safely(scripts.enter, session.bucket, args, ids)
  }

  /** @param ids the claims that are asked about, each of which may be open without replicas having it */
  #safely(script: Script, bucket: number, args: readonly string[], ids: readonly string[]): Promise<Reply> {
    const safe = this.#safe
    if (safe === null) return this.#run(script, bucket, args)
    const work = (): Promise<unknown> => safe.run(script, this.#bucket(bucket), [this.#keys.news, ...args], ids)
    return this.#guarded(work, script)
  }

  #requireSame(reply: Reply): void {
    if (stateOf(reply) !== 'differs') return
    requireSame({ maxTtlMs: Number(reply[2]) / 1000, quarantine: Number(reply[3]) === 1 }, this.#setup)
  }

  #bucket(number: number): Bucket {
    return this.#keys.buckets[number] as Bucket
  }

  #run(script: Script, bucket: number, args: readonly string[]): Promise<Reply> {
    return this.#call(script, this.#bucket(bucket).keys, [this.#keys.news, ...args])
  }

  #call(script: Script, keys: readonly string[], args: readonly string[]): Promise<Reply> {
    return this.#guarded(() => this.#wire.run(script, keys, args), script)
  }

  #guarded(work: () => Promise<unknown>, script: Script): Promise<Reply> {
    if (this.#closed) return Promise.reject(closedError())
    return begun(work).then(replyOf, (error: unknown) => {
      throw failureOf(error, this.#wire.failsOver, script.text)
    })
  }
}

function closedError(): BackendUnavailableError {
  return new BackendUnavailableError('this client of Redis is closed')
}

/** A client may throw where it should reject. */
function begun<T>(work: () => Promise<T>): Promise<T> {
  try {
    return work()
  } catch (error) {
    return Promise.reject(error)
  }
}
