/**
 * What every primitive of one Holdfast object works with. The engine behind it is started by the first of them that
 * needs it; until then there is no connection, no timer and no code loaded for it.
 */
import type { Clock } from '../clock.ts'
import type { Engine } from '../engine.ts'
import { ClosedError, UnsupportedError } from '../errors.ts'
import type { Grant } from '../front/grant.ts'
import type { TakeTerms, Told, Wish } from '../front/task.ts'
import type { AGAIN, Until } from '../keeper/again.ts'
import type { Settings } from '../options.ts'
import type { Lack, Ledger, Port } from '../port.ts'
import type { Random } from '../random.ts'

const WISHES_MAX = 256

export class Home {
  readonly settings: Settings
  readonly clock: Clock
  readonly random: Random
  /** Null before the first need of it. */
  engine: Engine | null = null
  readonly #start: () => Engine | Promise<Engine>
  #starting: Promise<Engine> | null = null
  #closed = false
  readonly #wishes = new Map<string, Wish>()
  #lastWish: Wish | null = null

  readonly #kind: string
  readonly #lacks: readonly Lack[]

  constructor(
    port: Pick<Port, 'kind' | 'lacks'>,
    settings: Settings,
    { clock, random }: { readonly clock: Clock; readonly random: Random },
    start: () => Engine | Promise<Engine>,
  ) {
    this.#kind = port.kind
    this.#lacks = port.lacks ?? []
    this.settings = settings
    this.clock = clock
    this.random = random
    this.#start = start
  }

  /** @throws {UnsupportedError} the backend has it not */
  require(what: Lack, inWords: string): void {
    if (this.#lacks.includes(what)) throw new UnsupportedError(`the ${this.#kind} backend does not have ${inWords}`)
  }

  /** The same promise for all who ask before it is there, so that they go on in the order in which they came. */
  load(): Promise<Engine> {
    if (this.#starting !== null) return this.#starting
    if (this.#closed) return Promise.reject(new ClosedError('the Holdfast object is closed'))
    const starting = this.#begin()
    this.#starting = starting
    // Visible only when those who waited for it have their turn: nobody may pass them.
    starting.then(
      (engine) => {
        this.engine = engine
      },
      () => {
        this.#starting = null
      },
    )
    return starting
  }

  /** Nothing is started any more. Gives the engine that is to be closed, if there is one or will be in a moment. */
  shut(): Engine | null | Promise<Engine | null> {
    this.#closed = true
    return this.engine ?? this.#starting?.catch(() => null) ?? null
  }

  /** A pause that somebody waits for, so the process stays alive for it. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.clock.after(ms, resolve).ref())
  }

  /** Tells what became of it, or why it could not be tried. */
  take(terms: TakeTerms, told: Told, failed: (error: unknown) => void): void {
    if (this.engine === null) {
      this.load().then(() => this.take(terms, told, failed), failed)
      return
    }
    try {
      this.engine.takes.take(terms, told)
    } catch (error) {
      failed(error)
    }
  }

  /** One question to the store, within the time limit of a request. */
  async ask<T>(work: (ledger: Ledger) => Promise<T>): Promise<T> {
    const { keeper } = await this.load()
    return keeper.link.call(keeper.sessions.callMs, work)
  }

  async until<T>(name: string, look: () => Promise<T | typeof AGAIN>, terms: Until): Promise<T> {
    const { changes } = await this.load()
    return changes.until(name, look, terms)
  }

  watch(lease: object, grant: Grant): void {
    this.engine?.takes.leaks.began(lease, grant)
  }

  /** The same object for equal wishes, so that a hundred thousand leases do not keep as many of them. */
  shared(wish: Wish): Wish {
    if (wish.label !== null || wish.value !== null || wish.maxHoldMs !== null) return wish
    const last = this.#lastWish
    if (last !== null && alike(last, wish)) return last
    this.#lastWish = this.#known(wish)
    return this.#lastWish
  }

  #known(wish: Wish): Wish {
    const key = `${wish.weight} ${wish.capacity} ${wish.shared} ${wish.slot} ${wish.alone} ${wish.detached}`
    const known = this.#wishes.get(key)
    if (known !== undefined) return known
    if (this.#wishes.size < WISHES_MAX) this.#wishes.set(key, wish)
    return wish
  }

  async #begin(): Promise<Engine> {
    return this.#start()
  }
}

/** Both without label, value and end of their own. */
function alike(a: Wish, b: Wish): boolean {
  return (
    a.weight === b.weight &&
    a.capacity === b.capacity &&
    a.shared === b.shared &&
    a.slot === b.slot &&
    a.alone === b.alone &&
    a.detached === b.detached
  )
}
