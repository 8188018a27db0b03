/**
 * Keeps a node-redis client of ours connected. Where the library would give up, pause while keeping the process alive, or
 * believe in a server that hangs, the client is replaced by another one.
 */
import { type Clock, type Timer, within } from '../../clock.ts'
import { BackendUnavailableError } from '../../errors.ts'
import type { NodeRedis } from './node-redis.ts'
import { CONNECT_MS } from './settings.ts'
import { Silence } from './silence.ts'

export type MakeNodeRedis = () => NodeRedis | Promise<NodeRedis>

const PAUSE_MS = { first: 50, max: 1000 }
const END_MS = 1000

export class Renewal {
  /** What kept it from being connected, the last time. */
  failure: unknown = null
  readonly #clock: Clock
  readonly #make: MakeNodeRedis
  readonly #onRenewed: (client: NodeRedis) => void
  readonly #silence: Silence
  #client: NodeRedis
  #timer: Timer | null = null
  /** Until when the connection is waited for. */
  #late: Timer | null = null
  #pauseMs = PAUSE_MS.first
  #closed = false

  constructor(clock: Clock, client: NodeRedis, make: MakeNodeRedis, onRenewed: (client: NodeRedis) => void) {
    this.#clock = clock
    this.#client = client
    this.#make = make
    this.#onRenewed = onRenewed
    this.#silence = new Silence(clock, () => void this.#renew())
    this.#connect(client)
  }

  /** A request to the server, which must not owe its answer for ever. */
  during<T>(work: Promise<T>): Promise<T> {
    return this.#silence.during(work)
  }

  /** It leads to a server that is not the one it was. */
  later(): void {
    if (this.#closed || this.#timer !== null) return
    this.#timer = this.#clock.after(this.#pauseMs, () => void this.#renew())
    this.#pauseMs = Math.min(this.#pauseMs * 2, PAUSE_MS.max)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#timer?.cancel()
    this.#late?.cancel()
    this.#silence.close()
    await within(this.#clock, END_MS, ended(this.#client))
  }

  #connect(client: NodeRedis): void {
    // The one of several servers that is asked first may hang, and the library asks the others when it answers.
    const late = this.#clock.after(CONNECT_MS, () => {
      if (client !== this.#client) return
      this.failure ??= new BackendUnavailableError(`no connection to Redis within ${CONNECT_MS} ms`)
      this.later()
    })
    this.#late = late
    const fell = (error: unknown): void => {
      if (client !== this.#client) return
      this.failure = error
      if (client.isOpen) return
      late.cancel()
      this.later()
    }
    client.on('error', fell)
    client.on('node-ready', () => loosen(client))
    client.connect().then(() => {
      late.cancel()
      this.#pauseMs = PAUSE_MS.first
      this.failure = null
      loosen(client)
      if (client !== this.#client || this.#closed) void ended(client)
    }, fell)
  }

  async #renew(): Promise<void> {
    this.#timer = null
    const before = this.#client
    void ended(before)
    try {
      const client = await this.#make()
      if (before !== this.#client || this.#closed) return await ended(client)
      this.#client = client
      this.#onRenewed(client)
      this.#connect(client)
    } catch (error) {
      this.failure = error
      this.later()
    }
  }
}

async function ended(client: NodeRedis): Promise<void> {
  try {
    if (client.isOpen) await client.destroy()
  } catch {
    // It ended by itself meanwhile.
  }
}

/** Its connections keep no process alive. */
function loosen(client: NodeRedis): void {
  const { masters } = client as { readonly masters?: readonly { readonly client?: { unref(): void } | undefined }[] }
  for (const node of masters ?? []) node.client?.unref()
  client.unref?.()
}
