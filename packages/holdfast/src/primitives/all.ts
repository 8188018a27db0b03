/**
 * Several things at once, all or nothing: taken in the byte order of their full names, so that two callers never wait
 * for each other in a circle, and given back at once when one of them is not to be had.
 */
import type { Lease, LeasesOf, Lockable, MultiLease, PermitLease, TakeOptions } from '../api.ts'
import { showOnConsole } from '../console.ts'
import { type Duration, show } from '../duration.ts'
import { BackendUnavailableError, UnsupportedError } from '../errors.ts'
import type { Grant } from '../front/grant.ts'
import { checkTake, OPTIONS, type OptionNames } from '../options.ts'
import { jittered } from '../random.ts'
import { patienceOf } from './defaults.ts'
import type { Home } from './home.ts'
import { releaseGrant } from './lease.ts'
import { Thing } from './thing.ts'
import { type Taken, type TakeResult, Verbs } from './verbs.ts'

/** Between two rounds of which the first came to nothing. */
const PAUSE_MS = 50

type Part = Thing<Omit<Lease, 'fence'>, TakeOptions>

export function all<const Things extends readonly Lockable<Omit<Lease, 'fence'>>[]>(
  home: Home,
  things: Things,
  options?: TakeOptions,
): Lockable<MultiLease<LeasesOf<Things>>> {
  if (!Array.isArray(things)) throw new TypeError(`things must be an array of lockable things, not ${show(things)}`)
  if (things.length === 0) throw new RangeError('things must not be empty')
  const parts = things.map((thing): Part => {
    if (thing instanceof Thing && thing.belongsTo(home)) return thing
    throw new TypeError('things must be locks of this Holdfast object, and not themselves made by all()')
  })
  const sorted = [...parts].sort((a, b) => Buffer.compare(Buffer.from(a.line), Buffer.from(b.line)))
  const twice = sorted.find((part, index) => part.line === sorted[index + 1]?.line)
  if (twice !== undefined) throw new RangeError(`things must be different: "${twice.name}" is among them twice`)
  // Only what is given here goes to the parts: each has its own defaults otherwise.
  const together = new All(home, parts, sorted, checkTogether(checkTake(options)))
  // The parts are the things, each of which gives a lease of its own type.
  return together as Lockable<MultiLease<unknown>> as Lockable<MultiLease<LeasesOf<Things>>>
}

class All extends Verbs<MultiLease, TakeOptions> {
  readonly name: string
  protected readonly own: TakeOptions
  protected readonly callOptions: OptionNames = OPTIONS.take
  protected readonly patienceMs: number
  readonly #home: Home
  readonly #parts: readonly Part[]
  readonly #sorted: readonly Part[]

  constructor(home: Home, parts: readonly Part[], sorted: readonly Part[], own: TakeOptions) {
    super()
    this.#home = home
    this.#parts = parts
    this.#sorted = sorted
    this.own = own
    this.patienceMs = patienceOf(home)
    this.name = parts.map((part) => part.name).join(' + ')
  }

  async take(options: TakeOptions, waitMs: number): Promise<TakeResult<MultiLease>> {
    checkTogether(options)
    const sinceMs = this.now()
    const endMs = sinceMs + waitMs
    for (;;) {
      const taken = new Map<Part, Taken<Omit<Lease, 'fence'>>>()
      const failed = await this.#takeEach(options, endMs, waitMs === 0, taken)
      const grants = [...taken.values()].flatMap((one) => one.grants)
      if (failed === null && grants.every((grant) => grant.check() === 'held')) {
        const leases = this.#parts.map((part) => taken.get(part)?.lease as Lease | PermitLease)
        return { kind: 'granted', taken: { lease: new Together(this.name, leases, grants), grants } }
      }
      await giveBack(grants)
      if (failed !== null) return failed.kind === 'busy' ? { ...failed, sinceMs } : failed
      const lost = grants.find((grant) => grant.check() === 'lost')
      if (waitMs === 0 || this.now() >= endMs) {
        const doubt = new BackendUnavailableError(
          `a part of "${this.name}" is in doubt: the clocks of this machine moved apart`,
        )
        return { kind: 'failed', error: lost?.lossError() ?? doubt }
      }
      // One of them ended while the others were being taken: once more, but not as fast as the store can answer.
      await this.#home.pause(jittered(this.#home.random, PAUSE_MS))
    }
  }

  async #takeEach(
    options: TakeOptions,
    endMs: number,
    atOnce: boolean,
    taken: Map<Part, Taken<Omit<Lease, 'fence'>>>,
  ): Promise<Exclude<TakeResult<MultiLease>, { kind: 'granted' }> | null> {
    for (const part of this.#sorted) {
      try {
        // At the end of its time each part is still asked for once, so that what is free is not called busy.
        const leftMs = atOnce ? 0 : Math.max(0, endMs - this.now())
        const result = await part.take(part.withOptions(options), leftMs)
        if (result.kind !== 'granted') return result
        taken.set(part, result.taken)
      } catch (error) {
        return { kind: 'failed', error }
      }
    }
    return null
  }

  async release(): Promise<boolean> {
    throw new UnsupportedError('several things at once have no single id: release each by its own')
  }

  protected watch({ lease, grants }: Taken<MultiLease>): void {
    for (const grant of grants) this.#home.watch(lease, grant)
  }
  protected now(): number {
    return this.#home.clock.monotonicMs()
  }
}

class Together implements MultiLease {
  readonly name: string
  readonly leases: readonly (Lease | PermitLease)[]
  readonly #grants: readonly Grant[]
  #signal: AbortSignal | null = null

  constructor(name: string, leases: readonly (Lease | PermitLease)[], grants: readonly Grant[]) {
    this.name = name
    this.leases = leases
    this.#grants = grants
  }

  get id(): string {
    return this.leases.map((lease) => lease.id).join('+')
  }
  get waitedMs(): number {
    return this.leases.reduce((sum, lease) => sum + lease.waitedMs, 0)
  }
  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any(this.leases.map((lease) => lease.signal))
    return this.#signal
  }
  isHeld(): boolean {
    return this.leases.every((lease) => lease.isHeld())
  }
  assertHeld(atLeast?: Duration): void {
    for (const lease of this.leases) lease.assertHeld(atLeast)
  }
  validForMs(): number {
    return Math.min(...this.leases.map((lease) => lease.validForMs()))
  }
  async confirm(options?: { readonly signal?: AbortSignal }): Promise<void> {
    await Promise.all(this.leases.map((lease) => lease.confirm(options)))
  }
  release(): Promise<boolean> {
    return giveBack(this.#grants)
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }
  static {
    showOnConsole(Together.prototype, 'Lease', ({ name, leases }) => ({
      name,
      held: leases.every((each) => each.isHeld()),
      leases,
    }))
  }
  toJSON(): Readonly<Record<string, unknown>> {
    return { name: this.name, leases: this.leases.map((lease) => lease.toJSON()) }
  }
}

function checkTogether(options: TakeOptions): TakeOptions {
  if (options.detached === true) {
    throw new TypeError('detached is not possible for several things at once: take each by itself')
  }
  if (options.within !== undefined) throw new TypeError('within is not possible for several things at once')
  return options
}

/** In the reverse order of taking. True: all were still held. */
async function giveBack(grants: readonly Grant[]): Promise<boolean> {
  const held = await Promise.all([...grants].reverse().map(releaseGrant))
  return held.every(Boolean)
}
