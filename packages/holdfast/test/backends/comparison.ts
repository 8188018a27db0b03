/**
 * One store against memory: the same random requests, at the same moments of one virtual clock, get the same answers
 * and the same hints. What a store may do in its own way is named in `Differences`, and nowhere else.
 */
import { expect } from 'vitest'
import { Bench, type Client, key, memoryStore, type StoreKind, sessionDraft, TTL_MS } from './bench.ts'
import { LINES, lineOf, type Move, SESSIONS, sessionId, sessionOf, type World } from './moves.ts'
import { SteppedClock } from './stepped-clock.ts'

/** A beat may sweep one session only, and not each beat does; sequences before have left theirs as well. */
const BEATS = 24

export interface Differences {
  /** A hint goes to the client that opened the claim's session, not to every client. */
  readonly hintsItsOwn?: boolean
  /** A sleep is bounded by other blockers than memory chooses, of which there may be several sets. */
  readonly ownRecheck?: boolean
  /** Beats and opens of sessions sweep, before they look at anything, and a sweep opens whom it lets in. */
  readonly sweepOpens?: boolean
  /** Sessions live by the clock that numbers come from, so it is not stepped apart from the other. */
  readonly oneClock?: boolean
  /** While grants are held back, a session whose time is over counts as alive. */
  readonly graceKeeps?: boolean
}

export class Comparison {
  readonly clock: SteppedClock
  readonly #stores: readonly Bench[]
  readonly #differences: Differences
  readonly #seen = new Map<string, number>()
  #runs = 0

  constructor(kind: StoreKind, differences: Differences = {}) {
    this.clock = new SteppedClock(kind.startsAtMs, kind.startsAtMs)
    this.#stores = [new Bench(memoryStore, this.clock), new Bench(kind, this.clock)]
    this.#differences = differences
  }

  async dispose(): Promise<void> {
    await Promise.all(this.#stores.map((store) => store.dispose()))
  }

  /** Two clients of each store, listening. */
  clients(namespace: string, quarantine: boolean): Promise<Client[][]> {
    return Promise.all(
      this.#stores.map(async (store) => {
        const pair = [await store.client({ namespace, quarantine }), await store.client({ namespace, quarantine })]
        for (const client of pair) await client.listen()
        return pair
      }),
    )
  }

  /** How many sequences were begun. */
  get runs(): number {
    return this.#runs
  }

  /** @param heldUntilMs until then grants are held back */
  async compare(sequence: readonly Move[], pairs: readonly Client[][], heldUntilMs = 0): Promise<void> {
    const world: World = { clock: this.clock, tag: `r${this.#runs++}.`, ids: new Map(), given: 0 }
    // Most sessions live to begin with, or most requests would only be told that theirs is gone.
    for (const pair of pairs) for (const id of ['a', 'b', 'c']) await pair[0]?.open(sessionDraft(sessionOf(world, id)))
    if (this.#differences.sweepOpens) await this.#sweep(pairs, world)
    for (const [index, move] of sequence.entries()) {
      if (move.moves === 'wall' && this.#differences.oneClock) continue
      if (this.#differences.graceKeeps && this.clock.monotonicMs() < heldUntilMs)
        await this.#beatAll(move, pairs, world)
      const sweeps = move.moves === 'beat' || (move.opens !== undefined && this.#differences.sweepOpens === true)
      if (sweeps && this.#differences.sweepOpens) await this.#sweep(pairs, world)
      const [memory, other] = await this.#outcomes(move, pairs, world)
      const where = `${index}: ${move.name}`
      expect([where, other?.answer]).toEqual([where, memory?.answer])
      // Who sweeps does it in an order of its own, and tells the lines that it swept.
      if (sweeps) await this.#sweep(pairs, world)
      else expect([where, other?.hints]).toEqual([where, memory?.hints])
      this.#note(memory?.answer)
    }
    const [memory, other] = await this.#outcomes(numberMove, pairs, world)
    expect(['the next number', other?.answer]).toEqual(['the next number', memory?.answer])
  }

  /** What the sequences never reach, they do not test. */
  expectOften(least: number, states: readonly string[]): void {
    for (const state of states) expect([state, (this.#seen.get(state) ?? 0) > least]).toEqual([state, true])
  }

  /** What came of the move at each store: an answer or an error, and what the clients were told by it. */
  async #outcomes(move: Move, pairs: readonly Client[][], world: World): Promise<Outcome[]> {
    await renew(move, pairs, world)
    const found: Outcome[] = []
    for (const [index, pair] of pairs.entries()) {
      const client = pair[move.client] ?? pair[0]
      if (client === undefined) throw new Error('there is no client')
      // Time is one and the same for both, so it moves once.
      const once = move.moves === 'time' && index > 0
      const answer = once ? undefined : await move.make(client, world).catch((error: Error) => String(error))
      await this.#stores[index]?.settled()
      found.push({ answer: this.#comparable(answer), hints: this.#hintsOf(pair) })
    }
    return found
  }

  #hintsOf(pair: readonly Client[]): readonly unknown[] {
    const each = pair.map(({ hints }) => hints.splice(0).filter(isExact))
    const told = this.#differences.hintsItsOwn ? [each.flat()] : each
    return told.map((hints) => [...new Set(hints)].sort())
  }

  #comparable(answer: unknown): unknown {
    if (typeof answer !== 'object' || answer === null) return answer
    if (Array.isArray(answer)) return answer.map((each) => this.#comparable(each))
    return Object.fromEntries(
      Object.entries(answer).flatMap(([name, value]: [string, unknown]) => {
        // A store without eras names none.
        if (name === 'era') return []
        // By the wall clock of then or of now: it is for people.
        if (name === 'untilWallMs') return [[name, value !== null]]
        if (name !== 'recheckMs' || value === null || !this.#differences.ownRecheck) {
          return [[name, this.#comparable(value)]]
        }
        return [[name, Number(value) > 0 ? 'above 0' : value]]
      }),
    )
  }

  /** Before time moves, so that no session's time is over and all agree who is alive. */
  async #beatAll({ advanceMs = 0 }: Move, pairs: readonly Client[][], world: World): Promise<void> {
    if (advanceMs === 0) return
    for (const [client] of pairs) {
      for (const id of SESSIONS)
        await client?.beat(key(sessionOf(world, id)), { ttlMs: TTL_MS + advanceMs, after: '', limit: 1 })
    }
    await this.#sweep(pairs, world)
  }

  /** Both have swept all they can before anybody looks at the difference. */
  async #sweep(pairs: readonly Client[][], world: World): Promise<void> {
    const broom = sessionId(`${world.tag}broom${world.given++}`)
    for (const [client] of pairs) {
      await client?.open(sessionDraft(broom))
      for (let beat = 0; beat < BEATS; beat++) await client?.beat(key(broom), { ttlMs: TTL_MS, after: '', limit: 1 })
      await client?.end(key(broom))
      // To evict nobody settles the line.
      if (this.#differences.sweepOpens) for (const line of LINES) await client?.evict(lineOf(world, line), 'nobody')
    }
    for (const store of this.#stores) await store.settled()
    for (const client of pairs.flat()) client.hints.splice(0)
  }

  /** Counts the states of an answer, also those inside it. */
  #note(answer: unknown): void {
    if (typeof answer !== 'object' || answer === null) return
    const { state, standings } = answer as { readonly state?: unknown; readonly standings?: readonly unknown[] }
    if (typeof state === 'string') this.#seen.set(state, (this.#seen.get(state) ?? 0) + 1)
    for (const standing of standings ?? []) this.#note(standing)
  }
}

/** Shows a number that was given out without being told. */
const numberMove: Move = {
  name: 'draw a number',
  client: 0,
  make: (on, { tag, clock }) =>
    on.cells.set(`${tag}end`, '', {
      opId: `${tag}end`,
      notAfterMs: clock.monotonicMs(),
      minSeq: 0,
      ifVersion: undefined,
      ttlMs: 1,
    }),
}

interface Outcome {
  readonly answer: unknown
  readonly hints: readonly unknown[]
}

/** A session that has ended is opened under a new id: which store forgets an old one first is its own affair. */
export async function renew(move: Move, pairs: readonly Client[][], world: World): Promise<void> {
  if (move.opens === undefined) return
  const answer = await pairs[0]?.[0]?.ask(key(sessionOf(world, move.opens)), [])
  if (answer?.state !== 'session-gone') return
  world.ids.set(move.opens, sessionId(`${world.tag}${move.opens}${world.given++}`))
}

/** The name of a watched line is told at each change, also when somebody dead is removed, which each does when it likes. */
const isExact = (hint: string | null): boolean => hint === null || !hint.startsWith('election:')

/** What every sequence reaches. */
export const STATES: readonly string[] = [
  'open',
  'closed',
  'refused',
  'too-late',
  'session-gone',
  'told',
  'gone',
  'beaten',
  'written',
  'counted',
]
