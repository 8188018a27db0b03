/**
 * The object that users make: one session, one heartbeat and one set of fronts for all locks of a namespace. It opens
 * nothing until the first take.
 */
import type {
  Barrier,
  Cell,
  Election,
  Holdfast,
  HoldfastOptions,
  Latch,
  Lease,
  LeasesOf,
  LineView,
  Lockable,
  MultiLease,
  MutexOptions,
  ReadLease,
  Semaphore,
  Status,
  TakeOptions,
  WriteLease,
} from './api.ts'
import { type Backend, portOf } from './backend.ts'
import { systemClock } from './clock.ts'
import { showOnConsole } from './console.ts'
import type { Duration } from './duration.ts'
import type { startEngine } from './engine.ts'
import { ClosedError } from './errors.ts'
import { runOutside } from './front/chain.ts'
import { lineView } from './front/view.ts'
import type { Surroundings } from './keeper/keeper.ts'
import { patiently } from './keeper/patience.ts'
import { checkName, checkText, KINDS, lineOf, NAME_BYTES_MAX } from './names.ts'
import { bounded, checkFunction, checkSignalOnly, given, parseSettings, requireObject } from './options.ts'
import { all } from './primitives/all.ts'
import { barrier } from './primitives/barrier.ts'
import { cell } from './primitives/cell.ts'
import { election } from './primitives/election.ts'
import { Home } from './primitives/home.ts'
import { latch } from './primitives/latch.ts'
import { mutex } from './primitives/mutex.ts'
import { rwlock } from './primitives/rwlock.ts'
import { semaphore } from './primitives/semaphore.ts'
import { striped } from './primitives/striped.ts'
import { systemRandom } from './random.ts'
import { backendOf } from './url.ts'

const LINES_A_PAGE = 100
/** What there is to say before anything was started. */
const IDLE: Status = {
  link: 'idle',
  session: 'none',
  heartbeat: 'none',
  heartbeatReason: null,
  held: 0,
  waiting: 0,
  connections: 0,
}

export class HoldfastObject implements Holdfast {
  readonly #home: Home
  #closing: Promise<void> | null = null

  constructor(backend: Backend, options: HoldfastOptions, surroundings: Surroundings, start?: typeof startEngine) {
    const port = portOf(backend)
    const settings = parseSettings(options, port.ttlMsMin)
    this.#home = new Home(port, settings, surroundings, () =>
      start === undefined
        ? import('./engine.ts').then((engine) => engine.startEngine(port, settings, surroundings))
        : start(port, settings, surroundings),
    )
  }

  mutex(name: string, options?: MutexOptions): Lockable {
    return mutex(this.#home, name, options)
  }

  rwlock(name: string, options?: TakeOptions): { read(): Lockable<ReadLease>; write(): Lockable<WriteLease> } {
    return rwlock(this.#home, name, options)
  }
  semaphore(name: string, options: TakeOptions & { readonly capacity: number }): Semaphore {
    return semaphore(this.#home, name, options)
  }
  striped(name: string, stripes: number): { for(key: string): Lockable } {
    return striped(this.#home, name, stripes)
  }
  all<const Things extends readonly Lockable<Omit<Lease, 'fence'>>[]>(
    things: Things,
    options?: TakeOptions,
  ): Lockable<MultiLease<LeasesOf<Things>>> {
    return all(this.#home, things, options)
  }
  election(name: string, options?: TakeOptions): Election {
    this.#home.require('elections', 'an election')
    return election(this.#home, name, options)
  }
  latch(name: string, count: number): Latch {
    this.#home.require('cells', 'a latch')
    return latch(this.#home, name, count)
  }
  barrier(name: string, parties: number): Barrier {
    this.#home.require('cells', 'a barrier')
    return barrier(this.#home, name, parties)
  }
  cell(name: string): Cell {
    this.#home.require('cells', 'a cell')
    return cell(this.#home, name)
  }

  async inspect(name: string): Promise<readonly LineView[]> {
    checkName('name', name)
    const rows = await Promise.all(KINDS.map((kind) => this.#home.ask((ledger) => ledger.inspect(lineOf(kind, name)))))
    return rows.filter((row) => row !== null).map(lineView)
  }

  async *list(options: { readonly prefix?: string; readonly signal?: AbortSignal } = {}): AsyncIterable<LineView> {
    const prefix = checkText('prefix', given(checkSignalOnly(options).prefix, ''), NAME_BYTES_MAX)
    for (const kind of KINDS) {
      let after = ''
      for (let more = true; more; ) {
        options.signal?.throwIfAborted()
        const work = this.#home.ask((ledger) => ledger.list(lineOf(kind, prefix), after, LINES_A_PAGE))
        const page = await patiently(this.#home.clock, work, { signal: options.signal })
        for (const row of page) yield lineView(row)
        more = page.length === LINES_A_PAGE
        after = page.at(-1)?.line ?? after
      }
    }
  }

  async forceRelease(name: string, claimId?: string): Promise<number> {
    checkName('name', name)
    const id = claimId === undefined ? null : checkText('claimId', claimId, NAME_BYTES_MAX)
    const ended = await Promise.all(
      KINDS.map((kind) => this.#home.ask((ledger) => ledger.evict(lineOf(kind, name), id))),
    )
    return ended.reduce((sum, { evicted }) => sum + evicted, 0)
  }

  status(): Status {
    const { engine } = this.#home
    if (engine === null) return this.#closing === null ? IDLE : { ...IDLE, link: 'closed' }
    const { link, pulse, sessions } = engine.keeper
    return {
      link: link.state,
      session: sessions.state,
      heartbeat: pulse.heartbeat,
      heartbeatReason: pulse.reason,
      held: engine.takes.held,
      waiting: engine.takes.waiting,
      connections: link.connections,
    }
  }

  outside<T>(fn: () => T): T {
    checkFunction(fn)
    return runOutside(fn)
  }

  async ready(options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    const { signal } = checkSignalOnly(options)
    signal?.throwIfAborted()
    if (this.#closing !== null) throw new ClosedError('the Holdfast object is closed')
    const connected = this.#home.load().then(({ keeper }) => keeper.connect())
    await patiently(this.#home.clock, connected, { signal })
  }

  async close(options: { readonly drain?: Duration } = {}): Promise<void> {
    requireObject('options', options)
    const drainMs = bounded('drain', given(options.drain, '0ms'), 0, Number.MAX_SAFE_INTEGER)
    this.#closing ??= this.#close(drainMs)
    await this.#closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  static {
    showOnConsole(HoldfastObject.prototype, 'Holdfast', (locks) => ({
      namespace: locks.#home.settings.namespace,
      ...locks.status(),
    }))
  }

  async #close(drainMs: number): Promise<void> {
    const shut = this.#home.shut()
    // What runs already refuses new takes in this very step.
    const engine = shut instanceof Promise ? await shut : shut
    if (engine === null) return
    const { keeper, takes, changes } = engine
    takes.refuse()
    await takes.drained(drainMs)
    takes.endAll()
    await keeper.close()
    changes.close()
  }
}

/**
 * Makes the object that all locks of a namespace come from. Returns at once and opens its connection at the first take;
 * await `ready()` to fail at start instead. Close it before the process ends, so that nobody has to wait for the ttl.
 *
 * @param target a backend such as `memory()` or `sqlite(file)`, or a URL: `sqlite:file`, `memory:`
 * @throws {TypeError | RangeError} naming the option and the value
 */
export function holdfast(target: string | Backend, options: HoldfastOptions): Holdfast {
  const backend = typeof target === 'string' ? backendOf(target) : target
  return new HoldfastObject(backend, options, { clock: systemClock, random: systemRandom })
}
