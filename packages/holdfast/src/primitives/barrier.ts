/**
 * The barrier: parties wait for each other. An arrival is a claim, so a party that dies or gives up is not counted; the
 * generation is a cell, and whoever completes it writes down which claims it was made of. A party passes if its claim
 * is among them, so one that came a moment late waits for the next generation instead of slipping through.
 */
import { EXCLUSIVE } from '../admission.ts'
import type { Barrier, Lease, Lockable, TakeOptions } from '../api.ts'
import { BackendUnavailableError, isHoldfastError, reasonOf, WaitTimeoutError } from '../errors.ts'
import type { Grant } from '../front/grant.ts'
import { AGAIN } from '../keeper/again.ts'
import { checkName, lineOf } from '../names.ts'
import { checkFunction, checkWaiting, parseWait, whole } from '../options.ts'
import { writeCell } from './cell.ts'
import { patienceOf } from './defaults.ts'
import type { Home } from './home.ts'
import { MutexLease, releaseGrant } from './lease.ts'
import { Thing } from './thing.ts'

const PARTIES_MAX = 1000
/** A barrier that nobody passed for so long begins anew. */
const KEPT_MS = 7 * 86_400_000
/** Generations whose parties are remembered, for those that look late. */
const REMEMBERED = 8

interface Completed {
  readonly generation: number
  readonly parties: readonly string[]
}
interface State {
  readonly version: number | null
  readonly completed: readonly Completed[]
}
interface Arrival {
  readonly grant: Grant
  readonly line: string
  readonly parties: readonly string[]
}

export function barrier(home: Home, name: string, parties: number): Barrier {
  // Room for the generation that the names of its lines carry.
  checkName('name', `${name}#${Number.MAX_SAFE_INTEGER}`)
  return new Rendezvous(home, checkName('name', name), whole('parties', parties, 1, PARTIES_MAX))
}

class Rendezvous implements Barrier {
  readonly #home: Home
  readonly #name: string
  readonly #parties: number

  constructor(home: Home, name: string, parties: number) {
    this.#home = home
    this.#name = name
    this.#parties = parties
  }

  async pass(options?: TakeOptions): Promise<void> {
    const { grant } = await this.#arrive(checkWaiting(options))
    await releaseGrant(grant)
  }

  async run<T>(fn: () => T | PromiseLike<T>, options?: TakeOptions): Promise<T> {
    checkFunction(fn)
    const own = checkWaiting(options)
    const { grant, line, parties } = await this.#arrive(own)
    let value: T
    try {
      value = await fn()
    } catch (error) {
      void releaseGrant(grant)
      throw error
    }
    const lost = grant.check() === 'lost'
    await releaseGrant(grant)
    if (lost) throw grant.lossError({ status: 'fulfilled', value })
    await this.#left(line, parties, own)
    return value
  }

  /** Resolves with this party's claim once a generation has been completed with it. */
  async #arrive(options: TakeOptions): Promise<Arrival> {
    const { clock } = this.#home
    const startedMs = clock.monotonicMs()
    const limitMs = options.wait === undefined ? patienceOf(this.#home) : parseWait(options.wait)
    // Parties are counted, not claims: one that lost its session may stand here twice for a while.
    const party = this.#home.random.id()
    for (;;) {
      const leftMs = left(startedMs, limitMs, clock.monotonicMs())
      const { completed } = await this.#patiently(() => this.#state(), options, leftMs)
      const generation = (completed.at(-1)?.generation ?? -1) + 1
      const line = `${this.#name}#${generation}`
      const result = await this.#party(line, party).take(options, leftMs)
      if (result.kind !== 'granted') throw result.kind === 'failed' ? result.error : this.#timeout(startedMs)
      const [grant] = result.taken.grants
      if (grant === undefined) throw new TypeError('a claim without a grant')
      try {
        const remainMs = left(startedMs, limitMs, clock.monotonicMs())
        const parties = await this.#complete(grant, party, generation, line, options, remainMs, startedMs)
        if (parties !== null) return { grant, line: lineOf('barrier', line), parties }
      } catch (error) {
        // Settle first, clean up behind.
        void releaseGrant(grant)
        throw error
      }
      void releaseGrant(grant)
    }
  }

  /** The parties of the generation, this one among them; null: it was completed without this one. */
  #complete(
    grant: Grant,
    party: string,
    generation: number,
    line: string,
    { signal }: TakeOptions,
    limitMs: number,
    startedMs: number,
  ): Promise<readonly string[] | null> {
    const look = async (): Promise<readonly string[] | null | typeof AGAIN> => {
      const state = await this.#state()
      const done = state.completed.find((one) => one.generation === generation)
      if (done !== undefined) return done.parties.includes(party) ? done.parties : null
      if (grant.check() === 'lost' || (state.completed.at(-1)?.generation ?? -1) !== generation - 1) return null
      const present = await this.#present(lineOf('barrier', line))
      if (present.length < this.#parties) return AGAIN
      const completed = [...state.completed, { generation, parties: present.slice(0, this.#parties) }].slice(
        -REMEMBERED,
      )
      await writeCell(this.#home, this.#key, JSON.stringify(completed), state.version, KEPT_MS)
      // Written by us or by a neighbour: the next look tells who is in it.
      return look()
    }
    return this.#until(this.#key, look, signal, limitMs, () => this.#timeout(startedMs))
  }

  /** Double barrier: nobody leaves before all parties of the generation have, or are dead. */
  async #left(line: string, parties: readonly string[], { wait, signal }: TakeOptions): Promise<void> {
    const startedMs = this.#home.clock.monotonicMs()
    const limitMs = wait === undefined ? patienceOf(this.#home) : parseWait(wait)
    const look = async (): Promise<null | typeof AGAIN> => {
      const present = await this.#present(line)
      return present.some((id) => parties.includes(id)) ? AGAIN : null
    }
    await this.#until(line, look, signal, limitMs, () => this.#timeout(startedMs))
  }

  /** As `Changes.until`, sitting out an outage, which is told only if it was the last word. */
  #until<T>(
    what: string,
    look: () => Promise<T | typeof AGAIN>,
    signal: AbortSignal | undefined,
    limitMs: number,
    timeout: () => Error,
  ): Promise<T> {
    let heard = false
    let outage: unknown = null
    const patient = async (): Promise<T | typeof AGAIN> => {
      try {
        const found = await look()
        heard = true
        outage = null
        return found
      } catch (error) {
        if (!isHoldfastError(error, 'BACKEND_UNAVAILABLE')) throw error
        outage = error
        return AGAIN
      }
    }
    const late = (): Error =>
      heard && outage === null
        ? timeout()
        : new BackendUnavailableError(`barrier "${this.#name}" could not be looked at: ${reasonOf(outage)}`, {
            cause: outage,
          })
    return this.#home.until(what, patient, { signal, limitMs, late })
  }

  #patiently<T>(look: () => Promise<T>, { signal }: TakeOptions, limitMs: number): Promise<T> {
    return this.#until(this.#key, look, signal, limitMs, () => this.#timeout(0))
  }

  async #state(): Promise<State> {
    const found = await this.#home.ask((ledger) => ledger.cells.get(this.#key))
    if (found === null) return { version: null, completed: [] }
    return { version: found.version, completed: JSON.parse(found.value) as readonly Completed[] }
  }

  async #present(line: string): Promise<readonly string[]> {
    const row = await this.#home.ask((ledger) => ledger.inspect(line))
    return [...new Set(row?.claims.map((claim) => claim.value ?? claim.id))]
  }

  #party(line: string, party: string): Lockable<Lease> & Thing<Lease, TakeOptions> {
    return new Thing<Lease, TakeOptions>(this.#home, {
      kind: 'barrier',
      name: line,
      options: {},
      patienceMs: Number.POSITIVE_INFINITY,
      reentrant: false,
      wish: () => ({ weight: 1, capacity: EXCLUSIVE, shared: true, slot: false, value: party, alone: true }),
      lease: (grant) => new MutexLease(grant),
    })
  }

  #timeout(startedMs: number): WaitTimeoutError {
    return new WaitTimeoutError(this.#name, this.#home.clock.monotonicMs() - startedMs, null)
  }
  get #key(): string {
    return `barrier:${this.#name}`
  }
}

/** What is left of a wait. Without one each question has the limit of a try; one that is over is not without one. */
function left(startedMs: number, limitMs: number, nowMs: number): number {
  return limitMs === 0 ? 0 : Math.max(1, startedMs + limitMs - nowMs)
}
