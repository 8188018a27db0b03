/**
 * A wire over node-redis 5 or 6: one server, a primary that Sentinel names, or a cluster. It is used with command options
 * of our own: no timer for each command, and texts as texts whatever its owner has them mapped to.
 */
import type { Clock } from '../../clock.ts'
import { BackendUnavailableError } from '../../errors.ts'
import { codeOf, isRefusal } from './failure.ts'
import { Listenings } from './listening.ts'
import { type MakeNodeRedis, Renewal } from './node-redis-renewal.ts'
import { nodeRedisWarnings } from './node-redis-settings.ts'
import { type NodeRedisNode, NodeRedisSpare } from './node-redis-spare.ts'
import { type Replicated, Replicator } from './replicated.ts'
import type { Script } from './script.ts'
import { READY_MS } from './settings.ts'
import { slotOf } from './slot.ts'
import { type Runner, runOn, type Spare } from './spare.ts'
import type { Replication, Subscription, Wire } from './wire.ts'

/** The part of node-redis that is used; what createClient, createCluster and createSentinel give has it. */
export interface NodeRedis {
  readonly isOpen: boolean
  /** A cluster of version 5 has none. */
  readonly isReady?: boolean
  /** What it puts before keys; from version 6 on. */
  readonly _keyPrefix?: string | Buffer | undefined
  connect(): Promise<unknown>
  destroy(): unknown
  unref?(): void
  withCommandOptions(options: object): NodeRedis
  evalSha(sha: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  eval(text: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  info(section: string): Promise<unknown>
  on(event: string, listener: (...args: unknown[]) => void): unknown
  off(event: string, listener: (...args: unknown[]) => void): unknown
  listenerCount?(event: string): number
}

interface Sentinel extends NodeRedis {
  _execute<T>(readOnly: boolean, work: (primary: NodeRedisNode) => Promise<T>): Promise<T>
}

interface ClusterNode {
  readonly address: string
  readonly client?: NodeRedisNode | undefined
}
interface Cluster extends NodeRedis {
  readonly slots: readonly ({ readonly master: ClusterNode } | undefined)[]
  readonly masters: readonly ClusterNode[]
  nodeClient(node: ClusterNode): Promise<NodeRedisNode>
  /** Looks up anew who keeps what. It does so by itself only when a server that still answers sends it elsewhere. */
  readonly _slots?: { rediscover?(startWith: NodeRedisNode): Promise<unknown> }
}

/** `primary`: a client of one server, which we have looked up. */
export type NodeRedisKind = 'client' | 'cluster' | 'sentinel' | 'primary'

const PLAIN = { timeout: undefined, typeMapping: {} }
const LOOK_MS = 20
const REDISCOVER_MS = 500

export function nodeRedisKind(client: unknown): NodeRedisKind | null {
  if (typeof client !== 'object' || client === null) return null
  const has = (name: string): boolean => typeof (client as Record<string, unknown>)[name] === 'function'
  if (!['evalSha', 'eval', 'withCommandOptions', 'connect', 'destroy'].every(has)) return null
  if (has('nodeClient')) return 'cluster'
  if (has('acquire') && has('_execute')) return 'sentinel'
  return has('duplicate') && 'isReady' in client ? 'client' : null
}

export class NodeRedisWire implements Wire, Runner {
  readonly driver = 'redis'
  readonly cluster: boolean
  readonly failsOver: boolean
  readonly warnings: readonly string[]
  readonly #kind: NodeRedisKind
  readonly #clock: Clock
  /** Of a client of ours. */
  readonly #renewal: Renewal | null
  #client: NodeRedis
  #commands: NodeRedis
  readonly #listenings: Listenings
  readonly #replicator: Replicator
  #rediscoveredMs = Number.NEGATIVE_INFINITY
  #closed = false

  /** @param make makes another one like it, if it is ours: to be connected, replaced and closed */
  constructor(client: NodeRedis, kind: NodeRedisKind, make: MakeNodeRedis | null, clock: Clock) {
    this.#client = client
    this.#commands = client.withCommandOptions(PLAIN)
    this.#kind = kind
    this.#clock = clock
    this.cluster = kind === 'cluster'
    this.failsOver = kind !== 'client'
    this.warnings = make === null ? nodeRedisWarnings(client, kind) : []
    this.#renewal = make === null ? null : new Renewal(clock, client, make, (another) => this.#use(another))
    this.#listenings = new Listenings(clock, () => this.#spare(null), this.failsOver)
    this.#replicator = new Replicator(clock, (key) => this.#spare(key))
  }

  get connections(): number {
    const own = this.cluster ? (this.#client as Cluster).masters.filter(({ client }) => client?.isReady).length : 1
    return own + this.#listenings.size + this.#replicator.connections
  }

  /** A client that was handed in is connected by its owner, or not at all. */
  async ready(): Promise<void> {
    const untilMs = this.#clock.monotonicMs() + READY_MS
    let lastError: unknown = null
    const onError = (error: unknown): void => {
      lastError = error
    }
    // Where nobody listens to the errors of a client that was handed in, they shall end the process as before.
    const listens = (this.#client.listenerCount?.('error') ?? 0) > 0
    if (listens) this.#client.on('error', onError)
    try {
      while (!this.#connected()) {
        const failure = this.#renewal?.failure ?? null
        // A client that tries on says so by staying open.
        const over = !this.#client.isOpen && (this.#renewal === null || failure !== null)
        const isLate = this.#clock.monotonicMs() > untilMs
        if (over || isRefusal(failure) || isLate) throw failure ?? this.#notConnected(lastError)
        await new Promise<void>((resolve) => this.#clock.after(LOOK_MS, resolve).ref())
      }
    } finally {
      if (listens) this.#client.off('error', onError)
    }
  }

  run(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    if (!this.#takes(keys[0] ?? '')) return Promise.reject(this.#notConnected())
    const work = runOn(this, script, keys, args)
    const renewal = this.#renewal
    if (renewal === null) return work
    return renewal.during(work).catch((error: unknown) => {
      if (this.failsOver && codeOf(error) === 'READONLY') renewal.later()
      throw error
    })
  }

  bySha(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    return this.#commands.evalSha(script.sha, { keys: keys as string[], arguments: args as string[] })
  }
  byText(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    return this.#commands.eval(script.text, { keys: keys as string[], arguments: args as string[] })
  }

  async info(section: string): Promise<string> {
    return String(await this.#commands.info(section))
  }

  async runReplicated(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    replication: Replication,
  ): Promise<Replicated> {
    const [key = ''] = keys
    if (!this.#takes(key)) throw this.#notConnected()
    const usual = (): Promise<unknown> => runOn(this, script, keys, args)
    return this.#replicator.run(this.#ownerOf(key)?.address ?? '', script, keys, args, replication, usual)
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
    await this.#renewal?.close()
  }

  #use(client: NodeRedis): void {
    this.#client = client
    this.#commands = client.withCommandOptions(PLAIN)
  }

  #connected(): boolean {
    return this.#client.isReady ?? this.#client.isOpen
  }

  /** Whether a command about the key would be written now, and not wait in a queue for a connection. */
  #takes(key: string): boolean {
    if (!this.#connected()) return false
    const owner = this.#ownerOf(key)
    if (owner?.client === undefined || owner.client.isReady) return true
    this.#rediscover()
    return false
  }

  #ownerOf(key: string): ClusterNode | undefined {
    if (!this.cluster) return undefined
    return (this.#client as Cluster).slots[slotOf(this.#prefix() + key)]?.master
  }

  /** Nobody who answers is asked about the keys of a server that is gone, so nobody says who keeps them now. */
  #rediscover(): void {
    const { masters, _slots } = this.#client as Cluster
    const live = masters.find(({ client }) => client?.isReady)?.client
    const nowMs = this.#clock.monotonicMs()
    if (live === undefined || nowMs < this.#rediscoveredMs + REDISCOVER_MS) return
    this.#rediscoveredMs = nowMs
    _slots?.rediscover?.(live).catch(() => {})
  }

  #prefix(): string {
    return String(this.#client._keyPrefix ?? '')
  }

  #notConnected(cause: unknown = null): BackendUnavailableError {
    const why = this.#client.isOpen ? 'is not connected' : 'is closed, or was never connected'
    const said = cause instanceof Error && cause.message !== '' ? `: ${cause.message}` : ''
    return new BackendUnavailableError(`the node-redis client ${why}${said}`, { cause })
  }

  async #spare(key: string | null): Promise<Spare> {
    if (this.#closed) throw new BackendUnavailableError('this client of Redis is closed')
    return new NodeRedisSpare(await this.#model(key), this.#prefix())
  }

  /** A client of one server, to be duplicated. */
  async #model(key: string | null): Promise<NodeRedisNode> {
    if (this.#kind === 'client' || this.#kind === 'primary') return this.#client as unknown as NodeRedisNode
    if (this.#kind === 'sentinel') return (this.#client as Sentinel)._execute(false, async (primary) => primary)
    const cluster = this.#client as Cluster
    const live = cluster.masters.filter(({ client }) => client === undefined || client.isReady)
    const node = key === null ? live[this.#listenings.size % live.length] : this.#ownerOf(key)
    if (node === undefined) throw new BackendUnavailableError('the server of the cluster that is needed is not known')
    return cluster.nodeClient(node)
  }
}
