/** A Redis Cluster: primaries that share the slots evenly, each with its replicas. */
import { HOST } from './port.ts'
import { RedisServer } from './redis-server.ts'
import { onFreePorts } from './server.ts'
import { all, startOrStop } from './together.ts'
import { until } from './until.ts'

const SLOTS = 16_384

export interface RedisClusterOptions {
  readonly primaries?: number
  /** Replicas of each primary. */
  readonly replicas?: number
  /** How long a node must be silent before it counts as down. */
  readonly nodeTimeoutMs?: number
  /** Further arguments of every node. */
  readonly args?: readonly (string | number)[]
  /** Gives each node a wall clock of its own: the primaries' first. */
  readonly clockOffsetsMs?: readonly number[]
}

/** A node as another one sees it. */
export interface SeenNode {
  readonly id: string
  readonly port: number
  readonly primary: boolean
  /** The id of its primary, when it is a replica. */
  readonly follows: string | null
  readonly down: boolean
  /** Of two that claim a slot, the one with the higher epoch has it. */
  readonly epoch: number
  /** First and last slot of each range. */
  readonly slots: readonly (readonly [number, number])[]
}

export class RedisCluster {
  /** The primaries of the start come first. */
  readonly nodes: readonly RedisServer[]

  constructor(nodes: readonly RedisServer[]) {
    this.nodes = nodes
  }

  /** Starts the nodes, joins them and waits until each of them sees a whole cluster. */
  static start(options: RedisClusterOptions = {}): Promise<RedisCluster> {
    const { primaries = 3, replicas = 1, nodeTimeoutMs = 2_000, args = [], clockOffsetsMs } = options
    const count = primaries * (1 + replicas)
    return onFreePorts(2 * count, async (ports) => {
      const nodes = ports.slice(0, count).map((port, index) => {
        const bus = ports[count + index] ?? 0
        const clustered = ['--cluster-enabled', 'yes', '--cluster-port', bus, '--cluster-node-timeout', nodeTimeoutMs]
        const clockOffsetMs = clockOffsetsMs?.[index]
        return new RedisServer(port, {
          name: `node-${index + 1}`,
          args: [...clustered, '--repl-diskless-sync-delay', 0, ...args],
          ...(clockOffsetMs === undefined ? {} : { clockOffsetMs }),
        })
      })
      const cluster = new RedisCluster(nodes)
      await startOrStop(cluster, async () => {
        await all(nodes, (node) => node.start())
        await cluster.#join(ports.slice(count), primaries)
        await cluster.settled()
      })
      return cluster
    })
  }

  /** The addresses of the nodes, as clients want them. */
  get addresses(): readonly { readonly host: string; readonly port: number }[] {
    return this.nodes.map(({ host, port }) => ({ host, port }))
  }

  /** From now on a node must be silent for so long before it counts as down. */
  async downAfter(ms: number): Promise<void> {
    const running = this.nodes.filter((node) => node.running)
    await all(running, (node) => node.ask('CONFIG', 'SET', 'cluster-node-timeout', String(ms)))
  }

  /** The cluster as the first running node, or the one given, sees it. */
  async seen(by?: RedisServer): Promise<readonly SeenNode[]> {
    const node = by ?? this.nodes.find(({ running }) => running)
    if (node === undefined) throw new Error('no node is running')
    const text = String(await node.ask('CLUSTER', 'NODES'))
    return text.trimEnd().split('\n').map(seenNode)
  }

  slotOf(key: string): Promise<number> {
    const node = this.nodes.find(({ running }) => running)
    if (node === undefined) throw new Error('no node is running')
    return node.ask('CLUSTER', 'KEYSLOT', key).then(Number)
  }

  /** The node that serves a slot. */
  async primaryOf(slot: number, by?: RedisServer): Promise<RedisServer> {
    const seen = await this.seen(by)
    const owner = seen.find(({ slots, down }) => !down && slots.some(([first, last]) => first <= slot && slot <= last))
    if (owner === undefined) throw new Error(`no node serves slot ${slot}`)
    return this.#nodeAt(owner.port)
  }

  /** The running replicas of a primary. */
  async replicasOf(primary: RedisServer): Promise<readonly RedisServer[]> {
    const seen = await this.seen(primary)
    const id = seen.find(({ port }) => port === primary.port)?.id
    return seen
      .filter(({ follows, down }) => follows === id && !down)
      .map(({ port }) => this.#nodeAt(port))
      .filter(({ running }) => running)
  }

  /** Hands a primary's slots over to its replica in order, with no node lost, and resolves with the next primary. */
  async failover(primary: RedisServer): Promise<RedisServer> {
    const [replica] = await this.replicasOf(primary)
    if (replica === undefined) throw new Error(`${primary.name} has no replica`)
    await replica.ask('CLUSTER', 'FAILOVER')
    await until(`${replica.name} is promoted`, async () => (await replica.info('replication')).role === 'master')
    return replica
  }

  /** Resolves with the next primary of a slot once each running node knows it. */
  promotedAfter(previous: RedisServer, slot: number): Promise<RedisServer> {
    const others = this.nodes.filter((node) => node.running && node !== previous)
    return until(`slot ${slot} is served by another node`, async () => {
      const [first, ...more] = await all(others, (node) => this.primaryOf(slot, node))
      return first !== undefined && first !== previous && more.every((node) => node === first) && first
    })
  }

  /** Resolves once each running node sees all slots served, all nodes and all replicas in step. */
  async settled(): Promise<void> {
    const running = this.nodes.filter((node) => node.running)
    await all(running, (node) => until(`${node.name} sees a whole cluster`, () => this.#isWhole(node)))
    await this.agreed()
  }

  /**
   * Resolves once all running nodes know the same primaries, with the same slots and epochs.
   *
   * A node that takes a slot gives itself an epoch above those it knows. Without that of the slot's last owner the others
   * would keep to that one, and make the new one believe them: a slot that each of the two holds for the other's.
   */
  async agreed(): Promise<void> {
    const running = this.nodes.filter((node) => node.running)
    await until('all nodes know the same primaries', async () => {
      const pictures = await all(running, async (node) => primariesOf(await this.seen(node)))
      return new Set(pictures).size === 1
    })
  }

  async stop(): Promise<void> {
    await all(this.nodes, (node) => node.stop())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #join(busPorts: readonly number[], primaries: number): Promise<void> {
    const heads = this.nodes.slice(0, primaries)
    await all(heads, async (node) => {
      const index = heads.indexOf(node)
      const [first, next] = [index, index + 1].map((at) => Math.floor((at * SLOTS) / primaries))
      await node.ask('CLUSTER', 'ADDSLOTSRANGE', first ?? 0, (next ?? SLOTS) - 1)
      // Epochs that differ from the start spare the nodes a round of settling who is right.
      await node.ask('CLUSTER', 'SET-CONFIG-EPOCH', index + 1)
    })
    const [first] = this.nodes
    await all(busPorts, async (busPort) => {
      const port = this.nodes[busPorts.indexOf(busPort)]?.port ?? 0
      await first?.ask('CLUSTER', 'MEET', HOST, port, busPort)
    })
    await all(this.nodes, async (node) => {
      const knowsAll = async (): Promise<boolean> => {
        const seen = await this.seen(node)
        return seen.length === this.nodes.length && seen.filter(({ slots }) => slots.length > 0).length === primaries
      }
      await until(`${node.name} knows all nodes`, knowsAll)
    })
    await all(this.nodes.slice(primaries), async (node) => {
      const head = heads[this.nodes.indexOf(node) % primaries]
      await node.ask('CLUSTER', 'REPLICATE', String(await head?.ask('CLUSTER', 'MYID')))
    })
  }

  async #isWhole(node: RedisServer): Promise<boolean> {
    const text = String(await node.ask('CLUSTER', 'INFO'))
    const seen = await this.seen(node)
    const { role, master_link_status: link } = await node.info('replication')
    return (
      /cluster_state:ok/.test(text) &&
      /cluster_slots_ok:16384/.test(text) &&
      seen.length === this.nodes.length &&
      // A new replica looks like a primary without slots until its own word has come round.
      seen.every(({ down, primary, slots }) => down || !primary || slots.length > 0) &&
      this.nodes.every(({ port, running }) => !running || seen.some((other) => other.port === port && !other.down)) &&
      (role === 'master' || link === 'up')
    )
  }

  #nodeAt(port: number): RedisServer {
    const node = this.nodes.find((other) => other.port === port)
    if (node === undefined) throw new Error(`port ${port} belongs to no node`)
    return node
  }
}

function primariesOf(seen: readonly SeenNode[]): string {
  const primaries = seen.filter(({ primary, down }) => primary && !down)
  return JSON.stringify(primaries.map(({ id, epoch, slots }) => [id, epoch, slots]).sort())
}

/** `id host:port@bus flags primary ping pong epoch link slot…` */
function seenNode(line: string): SeenNode {
  const [id = '', address = '', flags = '', follows = '-', , , epoch, , ...slots] = line.split(' ')
  return {
    id,
    port: Number(/:(\d+)@/.exec(address)?.[1]),
    primary: flags.includes('master'),
    follows: follows === '-' ? null : follows,
    // With a question mark it is only suspected.
    down: /\bfail\b(?!\?)|noaddr|handshake/.test(flags),
    epoch: Number(epoch),
    // In brackets are slots on their way to another node.
    slots: slots.filter((range) => !range.startsWith('[')).map(slotRange),
  }
}

function slotRange(text: string): readonly [number, number] {
  const [first = '', last = first] = text.split('-')
  return [Number(first), Number(last)]
}
