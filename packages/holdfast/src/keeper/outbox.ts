/**
 * Leaves that the store has not confirmed yet. Nothing is forgotten before it is confirmed: a leave that fails is
 * repeated, one that finds nothing is repeated past the claim's not-after, for a late enter may still put it there.
 * Leaves of one turn travel together.
 */
import type { Clock, Timer } from '../clock.ts'
import type { ClaimKey, Timed } from '../port.ts'
import { jittered, type Random } from '../random.ts'
import { microtask } from '../turn.ts'
import type { Session } from './session.ts'

interface Entry extends ClaimKey {
  readonly session: Session
  readonly notAfterMs: number
  /** The claim's own hard end; null: none. */
  readonly endMs: number | null
  /** Told the first answer or failure: whether the claim was still there, as far as we know. */
  settle: ((found: boolean) => void) | null
  pauseMs: number
  timer: Timer | null
  /** Had no answer, and is sent again as soon as there may be one. */
  failed: boolean
}

/** Exactly one of `told` and `failed` is called. */
type Send = (
  bucket: number,
  claims: readonly ClaimKey[],
  told: (answer: Timed & { readonly found: readonly boolean[] }) => void,
  failed: () => void,
) => void

const TOGETHER_MAX = 128
const PAUSE_MS = { first: 50, max: 1000 }

export class Outbox {
  readonly #entries = new Map<string, Entry>()
  readonly #due = new Map<number, Entry[]>()
  readonly #clock: Clock
  readonly #random: Random
  readonly #send: Send
  /** Told of leaves that failed, so that the heartbeat thread can try as well. */
  onUnconfirmed: (bucket: number, claims: readonly ClaimKey[]) => void = () => {}

  constructor(clock: Clock, random: Random, send: Send) {
    this.#clock = clock
    this.#random = random
    this.#send = send
  }

  get size(): number {
    return this.#entries.size
  }

  /** Whose claims they are. */
  get sessions(): Iterable<Session> {
    return new Set([...this.#entries.values()].map(({ session }) => session))
  }

  has(id: string): boolean {
    return this.#entries.has(id)
  }

  /** Resolves by the first answer or failure: false when the claim was not there any more. */
  leave(session: Session, claim: ClaimKey, notAfterMs: number, endMs: number | null = null): Promise<boolean> {
    return new Promise((settle) => {
      const entry: Entry = {
        id: claim.id,
        line: claim.line,
        session,
        notAfterMs,
        endMs,
        settle,
        pauseMs: PAUSE_MS.first,
        timer: null,
        failed: false,
      }
      this.#entries.set(entry.id, entry)
      this.#queue(entry)
    })
  }

  /** The claim is known to stand after all, whatever an earlier leave found. */
  hurry(session: Session, claim: ClaimKey, notAfterMs: number): void {
    const entry = this.#entries.get(claim.id)
    if (entry === undefined) {
      if (!session.isOver) void this.leave(session, claim, notAfterMs)
      return
    }
    entry.timer?.cancel()
    this.#queue(entry)
  }

  /** The store answers again: what failed need not wait any longer. */
  retry(): void {
    for (const entry of this.#entries.values()) {
      if (!entry.failed) continue
      entry.timer?.cancel()
      this.#resend(entry)
    }
  }

  /** Another thread has had it confirmed. */
  confirmed(ids: readonly string[]): void {
    for (const id of ids) this.#drop(id, true)
  }

  /** Forgets all: their sessions are being ended, which takes the claims with them. */
  close(): void {
    for (const id of [...this.#entries.keys()]) this.#drop(id, true)
  }

  #queue(entry: Entry): void {
    entry.failed = false
    const due = this.#due.get(entry.session.bucket)
    if (due !== undefined) {
      due.push(entry)
      return
    }
    this.#due.set(entry.session.bucket, [entry])
    microtask(() => this.#flush(entry.session.bucket))
  }

  #flush(bucket: number): void {
    const due = this.#due.get(bucket) ?? []
    this.#due.delete(bucket)
    if (this.#entries.size === 0) return
    for (let at = 0; at < due.length; at += TOGETHER_MAX) this.#deliver(bucket, due.slice(at, at + TOGETHER_MAX))
  }

  #deliver(bucket: number, entries: readonly Entry[]): void {
    this.#send(
      bucket,
      entries,
      ({ serverMs, found }) => {
        for (const [index, entry] of entries.entries()) this.#answered(entry, found[index] === true, serverMs)
      },
      () => {
        for (const entry of entries) this.#again(entry)
        this.onUnconfirmed(bucket, entries)
      },
    )
  }

  #answered(entry: Entry, found: boolean, serverMs: number): void {
    if (found || serverMs > entry.notAfterMs) {
      this.#drop(entry.id, found)
      return
    }
    this.#settle(entry, false)
    this.#later(entry, entry.notAfterMs - serverMs + 1)
  }

  #again(entry: Entry): void {
    // Held until now by our own clock, so as far as we know it was ours; the clean-up goes on behind.
    this.#settle(entry, true)
    if (!this.#entries.has(entry.id)) return
    entry.failed = true
    this.#later(entry, jittered(this.#random, entry.pauseMs))
    entry.pauseMs = Math.min(entry.pauseMs * 2, PAUSE_MS.max)
  }

  #later(entry: Entry, ms: number): void {
    entry.timer = this.#clock.after(ms, () => this.#resend(entry))
  }

  #resend(entry: Entry): void {
    // A claim dies with its session, so there is nothing left to take away.
    if (entry.session.isOver) this.#drop(entry.id, false)
    else this.#queue(entry)
  }

  #drop(id: string, found: boolean): void {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    this.#entries.delete(id)
    entry.timer?.cancel()
    this.#settle(entry, found)
  }

  #settle(entry: Entry, found: boolean): void {
    entry.settle?.(found || this.#hasEnded(entry))
    entry.settle = null
  }

  /** It ended by itself while its leave was on the way: that it is not there says nothing of the time before. */
  #hasEnded({ session, endMs }: Entry): boolean {
    return session.isOver || (endMs !== null && this.#clock.monotonicMs() >= endMs)
  }
}
