/** One server of the bench's own and a process for each who takes part; what the server did meanwhile is counted. */
import { setTimeout as pause } from 'node:timers/promises'
import { requirePrograms } from '../../../../../scripts/servers/programs.ts'
import { RedisServer } from '../../../../../scripts/servers/redis-server.ts'
import { nowMs } from '../../sale/moment.ts'
import type { Adapter } from './adapter.ts'
import { Contestant } from './contestant.ts'

/** What the server spent while something was done. */
export interface Spent {
  /** Sent by the contestant itself; what its scripts called is left out. */
  readonly commands: number
  readonly cpuMs: number
}

export interface Watched<T> {
  readonly result: T
  readonly spent: Spent
}

export class Arena {
  readonly server: RedisServer
  readonly #script: string
  readonly #contestants: Contestant[] = []

  constructor(server: RedisServer, script: string) {
    this.server = server
    this.#script = script
  }

  static async open(childScript: string): Promise<Arena> {
    requirePrograms(['redis-server'])
    return new Arena(await RedisServer.start({ name: 'bench' }), childScript)
  }

  contestant(adapter: Adapter): Contestant {
    const contestant = new Contestant(this.#script, adapter, [this.server.url])
    this.#contestants.push(contestant)
    return contestant
  }

  async watched<T>(adapter: Adapter, work: () => Promise<T>): Promise<Watched<T>> {
    const before = await this.#totals(adapter)
    const result = await work()
    return { result, spent: difference(before, await this.#totals(adapter)) }
  }

  /** What is done later, to tidy up, is left out. */
  async watchedUntil<T>(endAtMs: number, adapter: Adapter, work: () => Promise<T>): Promise<Watched<T>> {
    const before = await this.#totals(adapter)
    const [result, after] = await Promise.all([
      work(),
      pause(Math.max(0, endAtMs - nowMs())).then(() => this.#totals(adapter)),
    ])
    return { result, spent: difference(before, after) }
  }

  async close(): Promise<void> {
    for (const contestant of this.#contestants) contestant.end()
    await this.server.stop()
  }

  async #totals({ sends }: Adapter): Promise<Spent> {
    const [counts, cpu] = await Promise.all([this.server.commandCounts(), this.server.info('cpu')])
    return {
      commands: sends.reduce((sum, name) => sum + (counts[name] ?? 0), 0),
      cpuMs: 1000 * (Number(cpu.used_cpu_user) + Number(cpu.used_cpu_sys)),
    }
  }
}

function difference(before: Spent, after: Spent): Spent {
  return { commands: after.commands - before.commands, cpuMs: after.cpuMs - before.cpuMs }
}
