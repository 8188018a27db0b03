/**
 * The way between the processes and the store: every request, answer and hint is a message that takes time, may be
 * lost, and may arrive again much later. The store serves one message at a time. A connection that is cut rejects what
 * waits on it, while what it carried may still arrive.
 */
import { Store } from '../../../holdfast/src/backends/memory/store.ts'
import { BackendUnavailableError } from '../../../holdfast/src/errors.ts'
import type { Actor } from './actor.ts'
import type { Kernel } from './kernel.ts'
import type { Observer } from './observer.ts'

/** How the network behaves now. Rates are probabilities a message. */
export interface Weather {
  readonly delayMs: readonly [number, number]
  /** Some messages take much longer. */
  readonly slow: number
  readonly slowMs: number
  readonly loss: number
  readonly twice: number
  /** How much later the second copy comes, on average. */
  readonly twiceMs: number
  readonly hintLoss: number
}

interface Call {
  readonly op: string
  readonly work: (store: Store) => unknown
  readonly connection: number
  readonly sentMs: number
  readonly limitMs: number
  resolve: ((value: unknown) => void) | null
  reject: (error: unknown) => void
}

/** Numbers for the trace. */
const OPS =
  'open end enter ask leave amend beat evict inspect list get set add count remove listen hello hint cut reconnect'
const OP_KINDS: ReadonlyMap<string, number> = new Map(OPS.split(' ').map((op, index) => [op, index + 1]))

export class Network {
  readonly kernel: Kernel
  readonly server: Actor
  readonly store: Store
  readonly observer: Observer
  readonly ordered: boolean
  readonly wires: Set<Wire> = new Set()
  readonly #wireOf = new Map<string, Wire>()
  weather: Weather

  constructor(kernel: Kernel, server: Actor, observer: Observer, ordered: boolean, weather: Weather) {
    this.kernel = kernel
    this.server = server
    this.observer = observer
    this.ordered = ordered
    this.weather = weather
    this.store = new Store(server.clock, (what) => this.#hint(what))
  }

  /** Hints about claims of this session go to this client only, as a channel a session would have it. */
  owns(sessionId: string, wire: Wire): void {
    this.#wireOf.set(sessionId, wire)
  }

  #hint(what: string): void {
    const owner =
      what.charAt(SESSION_ID_LENGTH) === '.' ? this.#wireOf.get(what.slice(0, SESSION_ID_LENGTH)) : undefined
    if (owner !== undefined) return owner.hint(what)
    for (const wire of this.wires) wire.hint(what)
  }
}

const SESSION_ID_LENGTH = 16
/** A driver asks again when its subscription is not confirmed. */
const AGAIN_MS = 300

/** One process's side of it. */
export class Wire {
  readonly actor: Actor
  readonly #network: Network
  readonly #kernel: Kernel
  readonly #onHint: (what: string | null) => void
  /** Requests sent, or answers coming back, vanish while this is above 0. */
  readonly deaf: { up: number; down: number } = { up: 0, down: 0 }
  readonly #calls = new Set<Call>()
  readonly #parked: Call[] = []
  readonly #parks: boolean
  #connection = 0
  #connected = true
  #wantsHints = false
  #hintsOf = -1
  readonly #lastMs = { up: 0, down: 0 }
  closed = false

  constructor(network: Network, actor: Actor, parks: boolean, onHint: (what: string | null) => void) {
    this.#network = network
    this.#kernel = network.kernel
    this.actor = actor
    this.#parks = parks
    this.#onHint = onHint
    network.wires.add(this)
  }

  /** Sends one request. `limitMs` is only for the books: an answer after it is a late one. */
  request<T>(op: string, limitMs: number, work: (store: Store) => T): Promise<T> {
    if (this.closed) return Promise.reject(new BackendUnavailableError('this client is closed'))
    return new Promise<T>((resolve, reject) => {
      const call: Call = {
        op,
        work,
        connection: this.#connection,
        sentMs: this.#kernel.nowMs,
        limitMs: this.actor.clock.trueMs(limitMs),
        resolve: resolve as (value: unknown) => void,
        reject,
      }
      if (this.#connected) this.#send(call)
      else if (this.#parks) this.#parked.push(call)
      else reject(new BackendUnavailableError('not connected'))
    })
  }

  /** Hints arrive from the moment at which the server has served this. */
  async listen(limitMs: number): Promise<void> {
    this.#wantsHints = true
    const connection = this.#connection
    await this.request('listen', limitMs, () => {
      this.#hintsOf = connection
    })
  }

  unlisten(): void {
    this.#wantsHints = false
    this.#hintsOf = -1
  }

  hint(what: string): void {
    if (this.#hintsOf !== this.#connection || this.closed || this.actor.dead) return
    const { kernel, observer, weather } = this.#network
    if (kernel.dice.chance(weather.hintLoss) || this.deaf.down > 0) return observer.happened('lost hint')
    this.#deliver(() => {
      this.#note('hint')
      if (!this.closed) this.#onHint(what)
    })
  }

  /** The connection breaks; a new one stands `downMs` later. */
  cut(downMs: number): void {
    if (this.closed || !this.#connected) return
    this.#connected = false
    this.#connection++
    this.#network.observer.happened('connection cut')
    const waiting = [...this.#calls]
    this.#calls.clear()
    this.#kernel.at(this.#kernel.nowMs, this.actor, 'mail', () => {
      this.#note('cut')
      for (const call of waiting) this.#settle(call, () => call.reject(new BackendUnavailableError('connection reset')))
    })
    this.#kernel.at(this.#kernel.nowMs + downMs, this.actor, 'mail', () => this.#reconnect())
  }

  close(): void {
    this.closed = true
    this.#network.wires.delete(this)
    this.#calls.clear()
  }

  #reconnect(): void {
    if (this.closed) return
    this.#note('reconnect')
    this.#connected = true
    for (const call of this.#parked.splice(0)) this.#send(call)
    if (this.#wantsHints) void this.#listenAgain()
  }

  /** A driver subscribes anew by itself. What changed while nobody listened is not known, so everything may have. */
  async #listenAgain(): Promise<void> {
    const connection = this.#connection
    while (!this.closed && this.#connected && connection === this.#connection && this.#hintsOf !== connection) {
      const asked = this.listen(AGAIN_MS).then(
        () => true,
        () => false,
      )
      const late = new Promise<false>((resolve) => {
        this.actor.clock.aside(AGAIN_MS, () => resolve(false))
      })
      if ((await Promise.race([asked, late])) && !this.closed) this.#onHint(null)
    }
  }

  #send(call: Call): void {
    this.#calls.add(call)
    const { kernel, observer, weather, server } = this.#network
    const arrive = (): void => this.#serve(call)
    if (this.deaf.up > 0 || kernel.dice.chance(weather.loss)) observer.happened('lost request')
    else kernel.at(this.#arrivalMs('up'), server, 'mail', arrive)
    if (!kernel.dice.chance(weather.twice)) return
    kernel.at(kernel.nowMs + weather.delayMs[0] + kernel.dice.around(weather.twiceMs), server, 'mail', () => {
      observer.happened('duplicate')
      arrive()
    })
  }

  #serve(call: Call): void {
    const { kernel, observer, store, weather, server } = this.#network
    kernel.trace.note(
      kernel.nowMs,
      server.number,
      kindOf(call.op),
      () => `store    serves ${call.op} of ${this.actor.name}`,
    )
    let answer: () => void
    try {
      const value = call.work(store)
      answer = () => call.resolve?.(value)
    } catch (error) {
      answer = () => call.reject(error)
    }
    if (call.connection !== this.#connection || this.closed) return
    if (this.deaf.down > 0 || kernel.dice.chance(weather.loss)) return observer.happened('lost answer')
    this.#deliver(() => {
      this.#note(call.op)
      if (call.connection !== this.#connection) return
      if (call.resolve !== null && kernel.nowMs - call.sentMs > call.limitMs) observer.happened('late answer')
      this.#settle(call, answer)
    })
  }

  #settle(call: Call, how: () => void): void {
    this.#calls.delete(call)
    if (call.resolve === null) return
    how()
    call.resolve = null
  }

  #deliver(run: () => void): void {
    this.#kernel.at(this.#arrivalMs('down'), this.actor, 'mail', run)
  }

  #arrivalMs(way: 'up' | 'down'): number {
    const { kernel, weather, ordered } = this.#network
    const { dice } = kernel
    const [least, most] = weather.delayMs
    const slowMs = weather.slow > 0 && dice.chance(weather.slow) ? dice.around(weather.slowMs) : 0
    const atMs = kernel.nowMs + dice.between(least, most) + slowMs
    if (!ordered) return atMs
    this.#lastMs[way] = Math.max(this.#lastMs[way], atMs)
    return this.#lastMs[way]
  }

  #note(op: string): void {
    const { trace, nowMs } = this.#kernel
    trace.note(nowMs, this.actor.number, kindOf(op), () => `${this.actor.name.padEnd(8)} gets ${op}`)
  }
}

function kindOf(op: string): number {
  const kind = OP_KINDS.get(op)
  if (kind === undefined) throw new RangeError(`no such message: ${op}`)
  return kind
}
