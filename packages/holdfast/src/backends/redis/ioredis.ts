/**
 * A wire over ioredis 5 or 6, alone, under Sentinel or as a cluster. What it must not do for us is queue: a take that
 * waits in its queue would take effect after its caller has gone.
 */
import { BackendUnavailableError } from '../../errors.ts'
import { codeOf } from './failure.ts'
import type { Script } from './script.ts'
import type { Replication, Subscription, Wire } from './wire.ts'

/** The part of ioredis that is used; `Redis` and `Cluster` have it. */
export interface Ioredis {
  readonly status: string
  readonly isCluster?: boolean
  readonly options?: object
  connect(): Promise<unknown>
  disconnect(): void
  duplicate(): Ioredis
  evalsha(sha: string, keys: number, ...args: string[]): Promise<unknown>
  eval(text: string, keys: number, ...args: string[]): Promise<unknown>
  call(command: string, ...args: string[]): Promise<unknown>
  subscribe(...channels: string[]): Promise<unknown>
  on(event: string, listener: (first: string, second: string) => void): unknown
  off(event: string, listener: (first: string, second: string) => void): unknown
}

export function isIoredis(client: unknown): client is Ioredis {
  if (typeof client !== 'object' || client === null) return false
  const { status, evalsha, duplicate, subscribe } = client as Partial<Record<keyof Ioredis, unknown>>
  return typeof status === 'string' && [evalsha, duplicate, subscribe].every((method) => typeof method === 'function')
}

/** @param own the client was made by us, and is closed with the wire */
export class IoredisWire implements Wire {
  readonly driver = 'ioredis'
  readonly cluster: boolean
  readonly failsOver: boolean
  readonly warnings: readonly string[]
  readonly #client: Ioredis
  readonly #own: boolean
  readonly #subscriptions = new Set<IoredisSubscription>()
  /** For takes that wait for replicas: `WAIT` holds up whatever shares its connection. */
  #aside: Ioredis | null = null

  constructor(client: Ioredis, own: boolean) {
    this.#client = client
    this.#own = own
    this.cluster = client.isCluster === true
    this.failsOver = this.cluster || Array.isArray(optionsOf(client).sentinels)
    this.warnings = own ? [] : warningsAbout(client)
  }

  get connections(): number {
    return 1 + this.#subscriptions.size + (this.#aside === null ? 0 : 1)
  }

  /** Resolves when the client is connected; one that waits for its first command is told to. */
  async ready(): Promise<void> {
    await readied(this.#client)
  }

  async run(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    requireReady(this.#client)
    return runOn(this.#client, script, keys, args)
  }

  async ask([command = '', ...args]: readonly string[]): Promise<unknown> {
    requireReady(this.#client)
    return this.#client.call(command, ...args)
  }

  async runReplicated(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    { count, limitMs }: Replication,
  ): Promise<{ readonly reply: unknown; readonly acknowledged: number }> {
    this.#aside ??= quiet(this.#client.duplicate())
    await readied(this.#aside)
    const reply = await runOn(this.#aside, script, keys, args)
    const acknowledged = await this.#aside.call('WAIT', String(count), String(limitMs))
    return { reply, acknowledged: Number(acknowledged) }
  }

  async subscribe(
    channels: readonly string[],
    onMessage: (message: string) => void,
    onGap: () => void,
  ): Promise<Subscription> {
    const subscription = new IoredisSubscription(quiet(this.#client.duplicate()), channels, onMessage, onGap, () =>
      this.#subscriptions.delete(subscription),
    )
    this.#subscriptions.add(subscription)
    try {
      await subscription.open()
    } catch (error) {
      await subscription.close()
      throw error
    }
    return subscription
  }

  async close(): Promise<void> {
    await Promise.all([...this.#subscriptions].map((subscription) => subscription.close()))
    this.#aside?.disconnect()
    if (this.#own) this.#client.disconnect()
  }
}

class IoredisSubscription implements Subscription {
  readonly #client: Ioredis
  readonly #channels: readonly string[]
  readonly #onMessage: (message: string) => void
  readonly #onGap: () => void
  readonly #onClose: () => void
  #open = false

  constructor(
    client: Ioredis,
    channels: readonly string[],
    onMessage: (message: string) => void,
    onGap: () => void,
    onClose: () => void,
  ) {
    this.#client = client
    this.#channels = channels
    this.#onMessage = onMessage
    this.#onGap = onGap
    this.#onClose = onClose
  }

  async open(): Promise<void> {
    this.#client.on('message', (_channel, message) => this.#onMessage(message))
    await readied(this.#client)
    await this.#client.subscribe(...this.#channels)
    this.#open = true
    this.#client.on('ready', () => void this.#again())
  }

  async close(): Promise<void> {
    this.#open = false
    this.#client.disconnect()
    this.#onClose()
  }

  /** The connection is back: what was published meanwhile is not told again. */
  async #again(): Promise<void> {
    try {
      await this.#client.subscribe(...this.#channels)
      if (this.#open) this.#onGap()
    } catch {
      // The connection is gone again, and comes back, or the client was closed.
    }
  }
}

async function runOn(
  client: Ioredis,
  script: Script,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  try {
    return await client.evalsha(script.sha, keys.length, ...keys, ...args)
  } catch (error) {
    if (codeOf(error) !== 'NOSCRIPT') throw error
    // By its keys it comes to the same server, whose cache has lost it or never had it.
    return client.eval(script.text, keys.length, ...keys, ...args)
  }
}

function requireReady({ status }: Ioredis): void {
  if (status !== 'ready') throw new BackendUnavailableError(`the ioredis client is not connected: ${status}`)
}

function readied(client: Ioredis): Promise<void> {
  if (client.status === 'ready') return Promise.resolve()
  return new Promise((resolve, reject) => {
    const done = (): void => {
      client.off('ready', onReady)
      client.off('end', onEnd)
    }
    const onReady = (): void => {
      done()
      resolve()
    }
    const onEnd = (): void => {
      done()
      reject(new BackendUnavailableError('the ioredis client was closed'))
    }
    client.on('ready', onReady)
    client.on('end', onEnd)
    if (client.status === 'end') onEnd()
    // What it says of failed attempts comes with the requests that fail.
    if (client.status === 'wait') client.connect().catch(() => {})
  })
}

/** Without a listener the client would write its errors to the console. */
function quiet(client: Ioredis): Ioredis {
  client.on('error', () => {})
  return client
}

interface Options {
  readonly sentinels?: unknown
  readonly autoResendUnfulfilledCommands?: unknown
  readonly maxRetriesPerRequest?: unknown
  readonly failoverDetector?: unknown
  readonly socketTimeout?: unknown
}

function optionsOf(client: Ioredis): Options {
  return (client.options ?? {}) as Options
}

function warningsAbout(client: Ioredis): readonly string[] {
  const { sentinels, failoverDetector, socketTimeout } = optionsOf(client)
  const found: string[] = []
  if (Array.isArray(sentinels) && failoverDetector !== true && socketTimeout === undefined) {
    found.push('ioredis stays with a primary that hangs unless failoverDetector or socketTimeout is set')
  }
  return found
}
