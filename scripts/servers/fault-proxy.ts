/**
 * A proxy in front of a server that does what networks do: it delays, swallows, cuts and refuses, and gives single
 * requests a fate of their own. Order inside of a connection is kept.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'
import { HOST } from './port.ts'
import { type Fate, Link, type Target } from './proxy-link.ts'
import type { Direction } from './proxy-way.ts'

export class FaultProxy {
  /** Decides on each request; a request is a command with its arguments. Without it all pass. */
  onRequest: ((request: readonly string[]) => Fate) | null = null
  /** How long after its sending a `late` request, and the second of `twice`, arrives. */
  lateMs = 0
  readonly #target: Target
  readonly #listener: Server
  readonly #links = new Set<Link>()
  readonly #holes = new Set<Direction>()
  readonly #late = new Set<{ stop(): void }>()
  #port = 0
  #delayMs = 0
  #jitterMs = 0

  constructor(target: Target) {
    this.#target = target
    this.#listener = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#take(client))
  }

  static async start({ host = HOST, port }: { readonly host?: string; readonly port: number }): Promise<FaultProxy> {
    const proxy = new FaultProxy({ host, port })
    await proxy.accept()
    return proxy
  }

  get host(): string {
    return HOST
  }

  get port(): number {
    return this.#port
  }

  get url(): string {
    return `redis://${HOST}:${this.#port}`
  }

  /** Open connections of clients. */
  get connections(): number {
    return [...this.#links].filter(({ open }) => open).length
  }

  /** Holds everything back so long, in each direction. */
  delay(delayMs: number, jitterMs = 0): void {
    this.#delayMs = delayMs
    this.#jitterMs = jitterMs
  }

  /** Keeps connections open and passes nothing on that way; new ones are still accepted. */
  hole(direction: Direction | 'both' = 'both'): void {
    for (const way of direction === 'both' ? (['up', 'down'] as const) : [direction]) this.#holes.add(way)
  }

  /** Ends delays and holes; what was held back arrives, in order. */
  heal(): void {
    this.#holes.clear()
    this.delay(0)
    for (const link of this.#links) link.release()
  }

  /** Resets all connections now. */
  cut(): void {
    for (const link of this.#links) link.cut()
  }

  /** Resets all connections and refuses new ones. */
  async refuse(): Promise<void> {
    const closed = new Promise((resolve) => this.#listener.close(resolve))
    this.cut()
    await closed
  }

  /** Takes connections again, on the same port. */
  accept(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#listener.once('error', reject)
      this.#listener.listen({ host: HOST, port: this.#port }, () => {
        this.#listener.off('error', reject)
        const address = this.#listener.address()
        if (typeof address === 'object' && address !== null) this.#port = address.port
        resolve()
      })
    })
  }

  /** Resets all connections; what was to come late never comes. */
  async close(): Promise<void> {
    for (const late of this.#late) late.stop()
    if (this.#listener.listening) await this.refuse()
    else this.cut()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #take(client: Socket): void {
    const link: Link = new Link(client, this.#target, {
      fate: (request) => this.onRequest?.(request) ?? 'pass',
      late: (bytes) => this.#sendLate(bytes),
      isHole: (way) => this.#holes.has(way),
      delayMs: () => this.#delayMs + Math.random() * this.#jitterMs,
      closed: () => this.#links.delete(link),
    })
    this.#links.add(link)
  }

  #sendLate(bytes: Buffer): void {
    const timer = setTimeout(() => {
      const socket = connect({ ...this.#target, noDelay: true })
      // Nobody waits for the answer, nor misses it.
      socket.on('error', () => {}).resume()
      socket.on('close', () => this.#late.delete(late))
      socket.end(bytes)
      late.stop = () => socket.destroy()
    }, this.lateMs)
    const late = { stop: (): void => clearTimeout(timer) }
    this.#late.add(late)
  }
}
