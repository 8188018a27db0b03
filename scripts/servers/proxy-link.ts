/** One client's connection through the proxy, with its own connection to the server. */
import { connect, type Socket } from 'node:net'
import { Way, type Weather } from './proxy-way.ts'
import { decode, type Reply } from './resp.ts'

/**
 * What becomes of a request.
 * - `pass`: it arrives and is answered.
 * - `lose`: it never arrives, and its connection is cut.
 * - `swallow`: it arrives and takes effect; its connection is cut when an answer comes, before the client has it.
 * - `late`: its connection is cut, and it arrives all the same, `lateMs` later.
 * - `twice`: it is answered, and arrives once more `lateMs` later.
 */
export type Fate = 'pass' | 'lose' | 'swallow' | 'late' | 'twice'

export interface Target {
  readonly host: string
  readonly port: number
}

export interface Rules extends Weather {
  fate(request: readonly string[]): Fate
  /** Sends this over a connection of its own, later. */
  late(bytes: Buffer): void
  closed(): void
}

/** What a second connection must say before it may repeat anything. */
const GREETINGS: ReadonlySet<string> = new Set(['AUTH', 'HELLO', 'SELECT'])
const LIST = '*'.charCodeAt(0)

export class Link {
  readonly #client: Socket
  readonly #server: Socket
  readonly #rules: Rules
  readonly #up: Way
  readonly #down: Way
  readonly #greetings: Buffer[] = []
  #pending: Buffer = Buffer.alloc(0)
  #swallowing = false

  constructor(client: Socket, target: Target, rules: Rules) {
    this.#client = client
    this.#rules = rules
    this.#server = connect({ ...target, allowHalfOpen: true, noDelay: true })
    this.#up = new Way('up', this.#server, rules)
    this.#down = new Way('down', client, rules)
    this.#listenToClient()
    this.#listenToServer()
  }

  get open(): boolean {
    return !this.#client.destroyed && !this.#client.readableEnded
  }

  release(): void {
    this.#up.release()
    this.#down.release()
  }

  cut(): void {
    this.#up.stop()
    this.#down.stop()
    if (!this.#client.destroyed) this.#client.resetAndDestroy()
    this.#server.destroy()
    this.#rules.closed()
  }

  #listenToClient(): void {
    const client = this.#client
    client.on('data', (bytes) => this.#hear(bytes))
    client.on('end', () => this.#up.push(null))
    // It is followed by `close`, which says all that matters.
    client.on('error', () => {})
    client.on('close', () => {
      // Behind a hole the server does not hear of it; a swallowed request must still take effect.
      if (this.#swallowing || this.#rules.isHole('up')) this.#up.push(null)
      else this.cut()
    })
  }

  #listenToServer(): void {
    const server = this.#server
    server.on('data', (bytes) => {
      if (!this.#swallowing) this.#down.push(bytes)
      else if (!this.#client.destroyed) this.#client.resetAndDestroy()
    })
    server.on('end', () => this.#down.push(null))
    server.on('error', () => {})
    server.on('close', (hadError) => {
      if (this.#client.destroyed || (hadError && !this.#rules.isHole('down'))) this.cut()
      else this.#down.push(null)
    })
  }

  /** Cuts what the client sends into requests, each of which has its own fate. */
  #hear(bytes: Buffer): void {
    // What does not begin like a request, TLS for one, is passed on as it is.
    if (this.#pending.length === 0 && bytes[0] !== LIST) return this.#up.push(bytes)
    this.#pending = Buffer.concat([this.#pending, bytes])
    for (let got = decode(this.#pending, 0); got !== null && this.open; got = decode(this.#pending, 0)) {
      const raw = this.#pending.subarray(0, got.end)
      this.#pending = this.#pending.subarray(got.end)
      this.#meet(raw, got.reply)
    }
  }

  #meet(raw: Buffer, reply: Reply): void {
    const request = Array.isArray(reply) ? reply.map(String) : []
    if (GREETINGS.has(request[0]?.toUpperCase() ?? '')) this.#greetings.push(raw)
    const fate = this.#rules.fate(request)
    if (fate === 'late' || fate === 'twice') this.#rules.late(Buffer.concat([...this.#greetings, raw]))
    if (fate === 'late' || fate === 'lose') this.cut()
    else this.#up.push(raw)
    if (fate === 'swallow') this.#swallowing = true
  }
}
