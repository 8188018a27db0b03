/**
 * Take and release of names that nobody else wants, 1, 16 and 256 on their way at once. Raw: the pair that a lock
 * cannot do without, over the same client library. Turns are short and go round several times, to and fro, so that
 * what else the machine does meets all alike.
 */
import { atLeast, atMost, type Check, type Measurement, type Round } from '../measurement.ts'
import { figureIn, medianOver, named } from '../scenes.ts'
import type { Adapter } from './adapter.ts'
import { OURS, PEERS, RAW } from './adapters.ts'
import { Arena } from './arena.ts'
import type { Contestant } from './contestant.ts'
import type { Slice } from './uncontended-slice.ts'

const CROWDS: readonly number[] = [1, 16, 256]
const SLICE_MS = 40
/** Not counted: by then the code that is measured is compiled, whoever wrote it. */
const WARM_UP_MS = 500
const PASSES = 8
const LIMIT_MS = 20_000
const ALL = [...RAW, ...OURS, ...PEERS]

const OF_RAW_MIN: ReadonlyMap<number, number> = new Map([
  [1, 0.7],
  [256, 0.95],
])

export const redisUncontended: Measurement = {
  name: 'redis-uncontended',
  what: 'take + release of free names, so many at once; raw: `SET key token NX PX` + compare-and-delete, same client',
  charts: [
    { figure: 'perSecond', title: 'Takes and releases a second', better: 'more' },
    { figure: 'clientUs', title: 'CPU of the client, µs a take and release', better: 'less' },
    { figure: 'serverUs', title: 'CPU of the server, µs a take and release', better: 'less' },
  ],
  async measure({ rounds, childScript }) {
    const arena = await Arena.open(childScript)
    try {
      const contestants = ALL.map((adapter) => [adapter, arena.contestant(adapter)] as const)
      for (const [, contestant] of contestants) {
        await contestant.ready()
        for (const atOnce of CROWDS) await slice(contestant, atOnce, WARM_UP_MS)
      }
      const found: Round[] = []
      while (found.length < rounds) found.push(await oneRound(arena, contestants))
      return { rounds: found, checks: checksOf(found) }
    } finally {
      await arena.close()
    }
  },
}

async function oneRound(arena: Arena, contestants: readonly (readonly [Adapter, Contestant])[]): Promise<Round> {
  const scenes: Round[] = []
  for (const atOnce of CROWDS) {
    const sums = new Map(ALL.map((adapter) => [adapter, new Sum()]))
    for (let pass = 0; pass < PASSES; pass += 1) {
      for (const [adapter, contestant] of pass % 2 === 0 ? contestants : [...contestants].reverse()) {
        const { result, spent } = await arena.watched(adapter, () => slice(contestant, atOnce, SLICE_MS))
        sums.get(adapter)?.add(result, spent.cpuMs, spent.commands)
      }
    }
    scenes.push(...figuresOf(sceneOf(atOnce), sums))
  }
  return Object.assign({}, ...scenes) as Round
}

function slice(contestant: Contestant, atOnce: number, forMs: number): Promise<Slice> {
  return contestant.do({ kind: 'slice', atOnce, forMs }, LIMIT_MS)
}

class Sum {
  pairs = 0
  ms = 0
  clientMs = 0
  serverMs = 0
  commands = 0
  abortTimers = 0

  add(slice: Slice, serverMs: number, commands: number): void {
    this.pairs += slice.pairs
    this.ms += slice.ms
    this.clientMs += slice.cpuMs
    this.serverMs += serverMs
    this.commands += commands
    this.abortTimers += slice.abortTimers
  }

  get perSecond(): number {
    return (1000 * this.pairs) / this.ms
  }
}

function figuresOf(scene: string, sums: ReadonlyMap<Adapter, Sum>): readonly Round[] {
  return [...sums].map(([{ name, client }, sum]) => {
    const raw = RAW.find((adapter) => adapter.client === client)
    const rawSum = raw === undefined ? undefined : sums.get(raw)
    return named(scene, name, {
      perSecond: sum.perSecond,
      ofRaw: sum.perSecond / (rawSum?.perSecond ?? Number.NaN),
      clientUs: (1000 * sum.clientMs) / sum.pairs,
      serverUs: (1000 * sum.serverMs) / sum.pairs,
      commands: sum.commands / sum.pairs,
      abortTimers: sum.abortTimers,
    })
  })
}

function sceneOf(atOnce: number): string {
  return `${atOnce} at once`
}

function checksOf(rounds: readonly Round[]): readonly Check[] {
  return OURS.flatMap((ours) => {
    const ofRaw = [...OF_RAW_MIN].map(([atOnce, min]) => {
      const got = medianOver(rounds, (round) => figureIn(round, sceneOf(atOnce), ours.name, 'ofRaw'))
      return atLeast(`${ours.name}, ${atOnce} at once, share of the raw rate`, got, min)
    })
    const ofPeers = PEERS.filter(({ client }) => client === ours.client).map((peer) => {
      const scene = sceneOf(256)
      const rate = (round: Round, { name }: Adapter): number => figureIn(round, scene, name, 'perSecond')
      const got = medianOver(rounds, (round) => rate(round, ours) / rate(round, peer))
      return atLeast(`${ours.name}, 256 at once, times the rate of ${peer.name}`, got, 1)
    })
    const timers = CROWDS.map((atOnce) =>
      medianOver(rounds, (round) => figureIn(round, sceneOf(atOnce), ours.name, 'abortTimers')),
    )
    return [...ofRaw, ...ofPeers, atMost(`${ours.name}, calls of AbortSignal.timeout`, Math.max(...timers), 0)]
  })
}
