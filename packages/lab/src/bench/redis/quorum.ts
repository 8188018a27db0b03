/**
 * A quorum of five servers, take and release one after the other: with all of them up, with one that is stopped where
 * it is, and with one that is killed. Who waits for all of them instead of for a majority stands still then.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { requirePrograms } from '../../../../../scripts/servers/programs.ts'
import { RedisServer } from '../../../../../scripts/servers/redis-server.ts'
import { atMost, type Check, type Measurement, type Round } from '../measurement.ts'
import { figureIn, medianOver, named } from '../scenes.ts'
import { percentile } from '../statistics.ts'
import type { Adapter } from './adapter.ts'
import { QUORUM_TTL_MS } from './adapters/ours.ts'
import { OURS, PEERS, RAW } from './adapters.ts'
import type { LapsAnswer } from './contender-job.ts'
import { Contestant } from './contestant.ts'

const NODES = 5
const PASSES = 3
const SLICE_MS = 250
const LIMIT_MS = 10_000
const OF_ALL_UP_MAX = 1.1
const ALL_UP = 'all five up'
const STOPPED = 'one stopped'
const KILLED = 'one killed'

const ALL = [...RAW, ...OURS, ...PEERS].filter(({ openQuorum }) => openQuorum !== undefined)

export const redisQuorum: Measurement = {
  name: 'redis-quorum',
  what: 'take + release, one after the other, on five servers; raw: `SET … NX PX` and compare-and-delete, a majority waited for',
  charts: [
    { figure: 'p50Us', title: 'Take and release p50, µs', better: 'less', log: true },
    { figure: 'p99Us', title: 'Take and release p99, µs', better: 'less', log: true },
  ],
  async measure({ rounds, childScript }) {
    requirePrograms(['redis-server'])
    const found: Round[] = []
    while (found.length < rounds) found.push(await oneRound(childScript))
    return { rounds: found, checks: checksOf(found) }
  },
}

/** Fresh servers each time: one that lost what it knew would hold back for a minute. */
async function oneRound(childScript: string): Promise<Round> {
  const servers = await Promise.all(Array.from({ length: NODES }, () => RedisServer.start({ name: 'node' })))
  const urls = servers.map(({ url }) => url)
  const contestants = ALL.map((adapter) => [adapter, new Contestant(childScript, adapter, urls)] as const)
  try {
    const laps = new Laps(contestants)
    await laps.ready()
    // So young that they may still hold back, nodes can spare none among them.
    await pause(1.2 * QUORUM_TTL_MS)
    const [unlucky] = servers.slice(-1)
    for (let pass = 0; pass < PASSES; pass += 1) {
      await laps.run(ALL_UP)
      unlucky?.pause()
      await laps.run(STOPPED)
      unlucky?.resume()
      await laps.ready()
    }
    await unlucky?.kill()
    for (let pass = 0; pass < PASSES; pass += 1) await laps.run(KILLED)
    return laps.figures()
  } finally {
    for (const [, contestant] of contestants) contestant.end()
    await Promise.all(servers.map((server) => server.stop()))
  }
}

class Laps {
  readonly #contestants: readonly (readonly [Adapter, Contestant])[]
  readonly #tookUs = new Map<string, Map<Adapter, number[]>>()
  readonly #out = new Set<Adapter>()

  constructor(contestants: readonly (readonly [Adapter, Contestant])[]) {
    this.#contestants = contestants
  }

  /** Also those that stood still are started anew. */
  async ready(): Promise<void> {
    this.#out.clear()
    for (const [, contestant] of this.#contestants) await contestant.ready()
  }

  async run(scene: string): Promise<void> {
    const found = this.#tookUs.get(scene) ?? new Map<Adapter, number[]>()
    this.#tookUs.set(scene, found)
    for (const [adapter, contestant] of this.#contestants) {
      const all = found.get(adapter) ?? []
      found.set(adapter, all)
      if (this.#out.has(adapter)) continue
      const { tookUs, stuck } = await contestant.do<LapsAnswer>({ kind: 'laps', forMs: SLICE_MS }, LIMIT_MS)
      all.push(...tookUs)
      if (!stuck) continue
      contestant.end()
      this.#out.add(adapter)
    }
  }

  figures(): Round {
    const rows = [...this.#tookUs].flatMap(([scene, found]) =>
      [...found].map(([{ name }, tookUs]) =>
        named(scene, name, {
          p50Us: percentile(tookUs, 50),
          p99Us: percentile(tookUs, 99),
          pairs: tookUs.length,
        }),
      ),
    )
    return Object.assign({}, ...rows) as Round
  }
}

function checksOf(rounds: readonly Round[]): readonly Check[] {
  return ALL.filter((adapter) => OURS.includes(adapter)).flatMap(({ name }) =>
    [STOPPED, KILLED].map((scene) => {
      const p50 = (round: Round, of: string): number => figureIn(round, of, name, 'p50Us')
      const got = medianOver(rounds, (round) => p50(round, scene) / p50(round, ALL_UP))
      return atMost(`${name}, quorum of five, ${scene}, times the latency with all up`, got, OF_ALL_UP_MAX)
    }),
  )
}
