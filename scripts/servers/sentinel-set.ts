/** One primary with replicas and the sentinels that watch them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HOST } from './port.ts'
import { strings } from './redis-access.ts'
import { RedisServer } from './redis-server.ts'
import { onFreePorts, Server } from './server.ts'
import type { Launch } from './server-process.ts'
import { all, startOrStop } from './together.ts'
import { until } from './until.ts'

const NAME = 'holdfast'
const REPLICATION = ['--repl-diskless-sync-delay', 0, '--repl-ping-replica-period', 1]

export interface SentinelSetOptions {
  readonly replicas?: number
  readonly sentinels?: number
  /** How long a primary must be silent before it counts as down. */
  readonly downAfterMs?: number
  /** Further arguments of the primary and of every replica. */
  readonly args?: readonly (string | number)[]
  /** Gives each server a wall clock of its own: the primary's first. */
  readonly clockOffsetsMs?: readonly number[]
}

interface Watch {
  readonly primaryPort: number
  readonly quorum: number
  readonly downAfterMs: number
}

export class Sentinel extends Server {
  readonly #watch: Watch

  constructor(name: string, port: number, watch: Watch) {
    super(name, port)
    this.#watch = watch
    const { primaryPort, quorum, downAfterMs } = watch
    const lines = [
      `port ${port}`,
      `bind ${HOST}`,
      `dir ${this.folder}`,
      `sentinel monitor ${NAME} ${HOST} ${primaryPort} ${quorum}`,
      `sentinel down-after-milliseconds ${NAME} ${downAfterMs}`,
      // Also the time after which a second failover may begin.
      `sentinel failover-timeout ${NAME} ${3 * downAfterMs}`,
      `sentinel parallel-syncs ${NAME} 2`,
    ]
    writeFileSync(this.#config, `${lines.join('\n')}\n`)
  }

  get #config(): string {
    return join(this.folder, 'sentinel.conf')
  }

  async primaryPort(): Promise<number> {
    const [, port] = strings(await this.ask('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME))
    return Number(port)
  }

  /** Whether it knows so many replicas and enough sentinels to fail over. */
  async isSettled(replicas: number): Promise<boolean> {
    await this.ask('SENTINEL', 'CKQUORUM', NAME)
    const fields = strings(await this.ask('SENTINEL', 'MASTER', NAME))
    const field = (name: string): string | undefined => fields[fields.indexOf(name) + 1]
    return (
      field('flags') === 'master' &&
      Number(field('num-slaves')) === replicas &&
      Number(field('num-other-sentinels')) >= this.#watch.quorum
    )
  }

  protected override launch(): Launch {
    return { program: 'redis-sentinel', args: [this.#config] }
  }
}

export class SentinelSet {
  /** What the sentinels call the primary. */
  readonly name: string = NAME
  /** The first one was the primary at the start. */
  readonly servers: readonly RedisServer[]
  readonly sentinels: readonly Sentinel[]

  constructor(servers: readonly RedisServer[], sentinels: readonly Sentinel[]) {
    this.servers = servers
    this.sentinels = sentinels
  }

  /** Starts the set and waits until a failover would succeed. */
  static start(options: SentinelSetOptions = {}): Promise<SentinelSet> {
    const { replicas = 2, sentinels = 3, downAfterMs = 1_000, args = [], clockOffsetsMs } = options
    return onFreePorts(1 + replicas + sentinels, async (ports) => {
      const [primaryPort = 0] = ports
      const servers = ports.slice(0, 1 + replicas).map((port, index) => {
        const role = index === 0 ? [] : ['--replicaof', `${HOST} ${primaryPort}`]
        const clockOffsetMs = clockOffsetsMs?.[index]
        return new RedisServer(port, {
          name: index === 0 ? 'primary' : `replica-${index}`,
          args: [...REPLICATION, ...role, ...args],
          ...(clockOffsetMs === undefined ? {} : { clockOffsetMs }),
        })
      })
      const watch = { primaryPort, quorum: Math.floor(sentinels / 2) + 1, downAfterMs }
      const watchers = ports
        .slice(1 + replicas)
        .map((port, index) => new Sentinel(`sentinel-${index + 1}`, port, watch))
      const set = new SentinelSet(servers, watchers)
      await startOrStop(set, async () => {
        await all(servers, (server) => server.start())
        await until('the replicas are in step', () => set.#replicasInStep())
        await all(watchers, (sentinel) => sentinel.start())
        await set.settled()
      })
      return set
    })
  }

  /** The addresses of the sentinels, as clients want them. */
  get addresses(): readonly { readonly host: string; readonly port: number }[] {
    return this.sentinels.map(({ host, port }) => ({ host, port }))
  }

  /** The server that most of the running sentinels name. */
  async primary(): Promise<RedisServer> {
    const named = await all(
      this.sentinels.filter(({ running }) => running),
      (sentinel) => sentinel.primaryPort(),
    )
    const server = this.servers.find(({ port }) => 2 * named.filter((other) => other === port).length > named.length)
    if (server === undefined) throw new Error(`the sentinels name ${named.join(', ')}`)
    return server
  }

  /** Resolves with the next primary once the sentinels name it and it takes writes. */
  promotedAfter(previous: RedisServer): Promise<RedisServer> {
    return until('another server is promoted', async () => {
      const server = await this.primary()
      if (server === previous) return false
      return (await server.info('replication')).role === 'master' && server
    })
  }

  /** Hands over in order, with no server lost, and resolves with the next primary. */
  async failover(): Promise<RedisServer> {
    const previous = await this.primary()
    await until('a failover begins', async () => {
      // Refused while the last one is not over.
      await this.sentinels[0]?.ask('SENTINEL', 'FAILOVER', NAME)
      return true
    })
    return this.promotedAfter(previous)
  }

  /** Resolves once every server that runs has its role and a failover would succeed. */
  async settled(): Promise<void> {
    const replicas = this.servers.length - 1
    await all(this.sentinels, (sentinel) => until(`${sentinel.name} is settled`, () => sentinel.isSettled(replicas)))
    await until('the replicas are in step', () => this.#replicasInStep())
  }

  /** From now on a primary must be silent for so long before it counts as down. */
  async downAfter(ms: number): Promise<void> {
    await all(this.sentinels, (sentinel) =>
      sentinel.ask('SENTINEL', 'SET', NAME, 'down-after-milliseconds', String(ms)),
    )
  }

  async stop(): Promise<void> {
    await all([...this.sentinels, ...this.servers], (server) => server.stop())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #replicasInStep(): Promise<boolean> {
    const running = this.servers.filter((server) => server.running)
    const roles = await all(running, (server) => server.info('replication'))
    const behind = roles.filter(({ role, master_link_status: link }) => role === 'slave' && link !== 'up')
    return behind.length === 0 && roles.filter(({ role }) => role === 'master').length === 1
  }
}
