/**
 * A wire over ioredis 5 or 6, alone, under Sentinel or as a cluster. What it must not do for us is queue: a take that
 * waits in its queue would take effect after its caller has gone.
 */
import { type Clock, systemClock, within } from '../../clock.ts'
import { BackendUnavailableError } from '../../errors.ts'
import { codeOf } from './failure.ts'
import { loosen } from './ioredis-loose.ts'
import { ioredisWarnings } from './ioredis-settings.ts'
import { IoredisSpare } from './ioredis-spare.ts'
import { Listenings } from './listening.ts'
import { type Replicated, Replicator } from './replicated.ts'
import type { Script } from './script.ts'
import { READY_MS } from './settings.ts'
import { slotOf } from './slot.ts'
import { type Runner, runOn, type Spare } from './spare.ts'
import type { Replication, Subscription, Wire } from './wire.ts'

/** The part of ioredis that is used; `Redis` and `Cluster` have it. */
export interface Ioredis {
  readonly status: string
  readonly isCluster?: boolean
  readonly options?: object
  readonly stream?: { unref?(): unknown } | null
  connect(): Promise<unknown>
  disconnect(reconnect?: boolean): void
  duplicate(override: object): Ioredis
  evalsha(sha: string, keys: number, ...args: string[]): Promise<unknown>
  eval(text: string, keys: number, ...args: string[]): Promise<unknown>
  call(command: string, ...args: string[]): Promise<unknown>
  subscribe(...channels: string[]): Promise<unknown>
  on(event: string, listener: (first: unknown, second: string) => void): unknown
  off(event: string, listener: (first: unknown, second: string) => void): unknown
  listenerCount?(event: string): number
}

/** And what a cluster has besides. */
interface IoredisCluster extends Ioredis {
  /** By slot: who keeps it, as `host:port`, the primary first. */
  readonly slots: readonly (readonly string[] | undefined)[]
  nodes(role: 'master' | 'all'): readonly Ioredis[]
}

/** One of several servers may be away, and the others are not to wait for it. */
const NODE_READY_MS = 300
/** So often at most a server is left for being a replica. */
const LEAVE_MS = 1000

export function isIoredis(client: unknown): client is Ioredis {
  if (typeof client !== 'object' || client === null) return false
  const { status, evalsha, duplicate, subscribe } = client as Partial<Record<keyof Ioredis, unknown>>
  return typeof status === 'string' && [evalsha, duplicate, subscribe].every((method) => typeof method === 'function')
}

/** @param own the client was made by us, and is closed with the wire */
export class IoredisWire implements Wire, Runner {
  readonly driver = 'ioredis'
  readonly cluster: boolean
  readonly failsOver: boolean
  readonly warnings: readonly string[]
  readonly #client: Ioredis
  readonly #clock: Clock
  readonly #own: boolean
  readonly #listenings: Listenings
  readonly #replicator: Replicator
  /** Its server is the one that Sentinel names. */
  readonly #named: boolean
  #leftMs = Number.NEGATIVE_INFINITY
  #closed = false

  constructor(client: Ioredis, own: boolean, clock: Clock = systemClock) {
    this.#client = client
    this.#clock = clock
    this.#own = own
    this.cluster = client.isCluster === true
    this.#named = Array.isArray((client.options as { sentinels?: unknown } | undefined)?.sentinels)
    this.failsOver = this.cluster || this.#named
    this.warnings = own ? [] : ioredisWarnings(client)
    this.#listenings = new Listenings(clock, () => this.#spare(null), this.failsOver)
    this.#replicator = new Replicator(clock, (key) => this.#spare(key))
    if (own) loosen(client)
  }

  get connections(): number {
    const { cluster } = this
    const own = cluster ? this.#nodes().filter(({ status }) => status === 'ready').length : 1
    return own + this.#listenings.size + this.#replicator.connections
  }

  async ready(): Promise<void> {
    await readied(this.#client, this.#clock, READY_MS, this.#own)
    if (!this.cluster) return
    // A server of a cluster is connected to by its first command, and until then the client refuses the second.
    await Promise.allSettled(this.#nodes().map((node) => readied(node, this.#clock, NODE_READY_MS, false)))
  }

  run(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    const { status } = this.#client
    if (status !== 'ready') return Promise.reject(notConnected(status))
    const work = runOn(this, script, keys, args)
    return this.#named ? work.catch((error: unknown) => this.#failed(error)) : work
  }

  bySha(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    return this.#client.evalsha(script.sha, keys.length, ...keys, ...args)
  }
  byText(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    return this.#client.eval(script.text, keys.length, ...keys, ...args)
  }

  async info(section: string): Promise<string> {
    return String(await this.#client.call('INFO', section))
  }

  async runReplicated(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    replication: Replication,
  ): Promise<Replicated> {
    const { status } = this.#client
    if (status !== 'ready') throw notConnected(status)
    const usual = (): Promise<unknown> => runOn(this, script, keys, args)
    return this.#replicator.run(this.#placeOf(keys[0] ?? ''), script, keys, args, replication, usual)
  }

  subscribe(
    channels: readonly string[],
    onMessage: (message: string) => void,
    onGap: () => void,
  ): Promise<Subscription> {
    return this.#listenings.open({ channels, onMessage, onGap })
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#listenings.close()
    this.#replicator.close()
    if (this.#own) this.#client.disconnect()
  }

  /** Who has become a replica is left, and Sentinel asked anew. All else that is written there would fail as well. */
  #failed(error: unknown): never {
    const nowMs = this.#clock.monotonicMs()
    if (codeOf(error) === 'READONLY' && nowMs > this.#leftMs + LEAVE_MS) {
      this.#leftMs = nowMs
      this.#client.disconnect(true)
    }
    throw error
  }

  #nodes(): readonly Ioredis[] {
    return (this.#client as IoredisCluster).nodes('master')
  }

  #placeOf(key: string): string {
    if (!this.cluster) return ''
    return (this.#client as IoredisCluster).slots[slotOf(prefixOf(this.#client) + key)]?.[0] ?? ''
  }

  async #spare(key: string | null): Promise<Spare> {
    if (this.#closed) throw new BackendUnavailableError('this client of Redis is closed')
    return new IoredisSpare(this.cluster ? this.#nodeFor(key) : this.#client, prefixOf(this.#client))
  }

  #nodeFor(key: string | null): Ioredis {
    const nodes = this.#nodes()
    const place = key === null ? null : this.#placeOf(key)
    const live = nodes.filter(({ status }) => status === 'ready' || status === 'wait')
    const node =
      place === null ? live[this.#listenings.size % live.length] : nodes.find((one) => addressOf(one) === place)
    if (node === undefined) throw new BackendUnavailableError('the server of the cluster that is needed is not known')
    return node
  }
}

function notConnected(status: string, cause: unknown = null): BackendUnavailableError {
  const why = cause instanceof Error && cause.message !== '' ? `, ${cause.message}` : ''
  return new BackendUnavailableError(`the ioredis client is not connected: ${status}${why}`, { cause })
}

function prefixOf({ options }: Ioredis): string {
  return (options as { keyPrefix?: string } | undefined)?.keyPrefix ?? ''
}

function addressOf({ options }: Ioredis): string {
  const { host, port } = (options ?? {}) as { host?: string; port?: number }
  return `${host}:${port}`
}

/** Resolves when the client is connected; one that waits for its first command is told to. */
async function readied(client: Ioredis, clock: Clock, limitMs: number, own: boolean): Promise<void> {
  if (client.status === 'ready') return
  let onChange = (): void => {}
  let onError = (_: unknown): void => {}
  let lastError: unknown = null
  // Where nobody listens to the errors of a client that was handed in, it writes them to the console, and shall go on.
  const listens = own || (client.listenerCount?.('error') ?? 0) > 0
  const ready = new Promise<void>((resolve, reject) => {
    onError = (error) => {
      lastError = error
      if (own) reject(error)
    }
    onChange = () => {
      if (client.status === 'ready') resolve()
      else if (client.status === 'end') reject(new BackendUnavailableError('the ioredis client was closed'))
    }
    client.on('ready', onChange)
    client.on('end', onChange)
    if (listens) client.on('error', onError)
    onChange()
    // What it says of failed attempts comes as events.
    if (client.status === 'wait') client.connect().catch(() => {})
  })
  const outcome = await within(clock, limitMs, ready)
  client.off('ready', onChange)
  client.off('end', onChange)
  if (listens) client.off('error', onError)
  if (outcome.kind === 'error') throw outcome.error
  if (outcome.kind === 'late') throw notConnected(client.status, lastError)
}
