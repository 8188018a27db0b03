/**
 * Takes that replicas must have: `WAIT` counts what its own connection has written, and holds up whatever comes behind
 * it there, so these have connections of their own, one to each server that keeps a bucket.
 */
import { type Clock, within } from '../../clock.ts'
import { BackendUnavailableError } from '../../errors.ts'
import { codeOf } from './failure.ts'
import { type Script, scripts } from './script.ts'
import { type MakeSpare, opened, type Spare } from './spare.ts'
import type { Replication } from './wire.ts'

/** The server at the other end no longer is the one that keeps the key. */
const ASTRAY = new Set(['READONLY', 'MASTERDOWN', 'MOVED', 'ASK', 'CLUSTERDOWN'])
/** Longer than the wait for replicas, a server that answers takes for nothing. */
const ANSWER_MS = 2000

export interface Replicated {
  readonly reply: unknown
  readonly acknowledged: number
}

export class Replicator {
  readonly #clock: Clock
  readonly #make: MakeSpare
  readonly #spares = new Map<string, Promise<Spare>>()
  /** Digests of the scripts that went over each connection in full. */
  readonly #sent = new WeakMap<Spare, Set<string>>()

  constructor(clock: Clock, make: MakeSpare) {
    this.#clock = clock
    this.#make = make
  }

  get connections(): number {
    return this.#spares.size
  }

  /**
   * @param place the server that keeps the keys, as far as is known
   * @param usual the same over the client itself, which finds out where the keys are when they have moved
   */
  async run(
    place: string,
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    replication: Replication,
    usual: () => Promise<unknown>,
  ): Promise<Replicated> {
    const spare = await this.#spareFor(place, keys[0] ?? null)
    const take = (by: 'bySha' | 'byText'): Promise<Replicated> => counted(spare, by, script, keys, args, replication)
    const taken = take(this.#knows(spare, script) ? 'bySha' : 'byText').catch((error: unknown) => {
      if (codeOf(error) !== 'NOSCRIPT') throw error
      return take('byText')
    })
    const outcome = await within(this.#clock, replication.limitMs + ANSWER_MS, taken)
    if (outcome.kind === 'value') return outcome.value
    const code = outcome.kind === 'error' ? codeOf(outcome.error) : ''
    if (outcome.kind === 'late' || ASTRAY.has(code)) this.#drop(place, spare)
    // What it takes is in no replica for sure, and told to nobody: whoever asked will ask again.
    if (code === 'MOVED') await usual().catch(() => {})
    throw outcome.kind === 'error' ? outcome.error : new BackendUnavailableError('no answer to a take with replicas')
  }

  close(): void {
    for (const spare of this.#spares.values()) {
      spare.then(
        (one) => one.close(),
        () => {},
      )
    }
    this.#spares.clear()
  }

  /** A digest that the server did not know would be found out only after the replicas were waited for in vain. */
  #knows(spare: Spare, { sha }: Script): boolean {
    const known = this.#sent.get(spare) ?? new Set()
    this.#sent.set(spare, known)
    const knows = known.has(sha)
    known.add(sha)
    return knows
  }

  #spareFor(place: string, key: string | null): Promise<Spare> {
    const known = this.#spares.get(place)
    if (known !== undefined) return known
    const spare = opened(this.#clock, () => this.#make(key))
    this.#spares.set(place, spare)
    spare.then(
      (one) => one.onEnd(() => this.#forget(place, spare)),
      () => this.#forget(place, spare),
    )
    return spare
  }

  #forget(place: string, spare: Promise<Spare>): void {
    if (this.#spares.get(place) === spare) this.#spares.delete(place)
  }

  #drop(place: string, spare: Spare): void {
    this.#spares.delete(place)
    spare.close()
  }
}

/** All of it is written before any of it is answered. */
async function counted(
  spare: Spare,
  by: 'bySha' | 'byText',
  script: Script,
  keys: readonly string[],
  args: readonly string[],
  { count, limitMs }: Replication,
): Promise<Replicated> {
  const [reply, touched, acknowledged] = await Promise.allSettled([
    spare[by](script, keys, args),
    spare.byText(scripts.touch, keys, []),
    spare.send(['WAIT', String(count), String(Math.max(1, Math.round(limitMs)))]),
  ])
  if (reply.status === 'rejected') throw reply.reason
  if (touched.status === 'rejected') throw touched.reason
  if (acknowledged.status === 'rejected') throw acknowledged.reason
  return { reply: reply.value, acknowledged: Number(acknowledged.value) }
}
