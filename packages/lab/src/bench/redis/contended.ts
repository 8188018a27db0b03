/**
 * Tasks of one process that want one name again and again, 2, 30 and 1,000 of them, with sections of 0, 1 and 10 ms.
 * A raw pair has no way to wait, so there is none here; those that poll ask every 10 ms.
 */
import { nowMs } from '../../sale/moment.ts'
import { atLeast, atMost, type Check, type Measurement, type Round } from '../measurement.ts'
import { figureIn, medianOver, named } from '../scenes.ts'
import type { Adapter } from './adapter.ts'
import { OURS, PEERS } from './adapters.ts'
import { Arena } from './arena.ts'
import type { CrowdAnswer } from './contender-job.ts'
import type { Contestant } from './contestant.ts'
import { lineFigures } from './line-figures.ts'

interface Scene {
  readonly tasks: number
  readonly holdMs: number
}

const HOLDS_MS: readonly number[] = [0, 1, 10]
const SCENES: readonly Scene[] = [2, 30, 1_000].flatMap((tasks) => HOLDS_MS.map((holdMs) => ({ tasks, holdMs })))
const START_MS = 20
const SLICE_MS = 400
/** Played once before the first round, and not counted: by then the code that is measured is compiled, whoever wrote it. */
const WARM_UP: Scene = { tasks: 30, holdMs: 0 }
const LIMIT_MS = 20_000
const ALL = [...OURS, ...PEERS]

const COMMANDS_MAX: ReadonlyMap<number, number> = new Map([
  [0, 0.1],
  [1, 0.1],
  [10, 0.25],
])
const TIMES_PEER_MIN = 20
const JAIN_MIN = 0.99

export const redisContended: Measurement = {
  name: 'redis-contended',
  what: 'tasks of one process on one name, again and again; those that poll ask every 10 ms',
  charts: [
    { figure: 'perSecond', title: 'Sections a second', better: 'more', log: true },
    { figure: 'handOverP50Us', title: 'Hand-over p50, µs', better: 'less', log: true },
    { figure: 'longestWaitMs', title: 'Longest wait, ms', better: 'less' },
    { figure: 'commands', title: 'Commands a section', better: 'less', log: true },
    { figure: 'jain', title: 'Jain index of sections a task', better: 'more' },
  ],
  async measure({ rounds, childScript }) {
    const arena = await Arena.open(childScript)
    try {
      const contestants = ALL.map((adapter) => [adapter, arena.contestant(adapter)] as const)
      for (const [adapter, contestant] of contestants) await turn(arena, adapter, contestant, WARM_UP)
      const found: Round[] = []
      while (found.length < rounds) found.push(await oneRound(arena, contestants))
      return { rounds: found, checks: checksOf(found) }
    } finally {
      await arena.close()
    }
  },
}

async function oneRound(arena: Arena, contestants: readonly (readonly [Adapter, Contestant])[]): Promise<Round> {
  const found: Round[] = []
  for (const scene of SCENES) {
    for (const [adapter, contestant] of contestants) {
      found.push(named(sceneName(scene), adapter.name, await turn(arena, adapter, contestant, scene)))
    }
  }
  return Object.assign({}, ...found) as Round
}

let turns = 0

async function turn(arena: Arena, adapter: Adapter, contestant: Contestant, { tasks, holdMs }: Scene): Promise<Round> {
  await contestant.ready()
  turns += 1
  const startAtMs = nowMs() + START_MS
  const endAtMs = startAtMs + SLICE_MS
  const crowd = { name: `line:${turns}`, tasks, holdMs, sections: Number.POSITIVE_INFINITY, startAtMs, endAtMs }
  const work = (): Promise<CrowdAnswer> => contestant.do({ kind: 'crowd', ...crowd }, LIMIT_MS)
  const { result, spent } = await arena.watchedUntil(endAtMs, adapter, work)
  if (!result.sections.drained) contestant.end()
  const figures = lineFigures([result.sections], { tasks, fromMs: startAtMs, toMs: endAtMs, orderMs: 0 })
  const count = result.sections.task.length
  return { ...figures, commands: spent.commands / count, serverUs: (1000 * spent.cpuMs) / count }
}

function sceneName({ tasks, holdMs }: Scene): string {
  return `${tasks.toLocaleString('en-US')} tasks, ${holdMs} ms`
}

function checksOf(rounds: readonly Round[]): readonly Check[] {
  return OURS.flatMap((ours) => {
    const worst = (figure: string, scenes: readonly Scene[]): number =>
      Math.max(...scenes.map((scene) => medianOf(rounds, scene, ours, figure)))
    const busiest = { tasks: 1_000, holdMs: 0 }
    const timesPeer = medianOver(rounds, (round) => {
      const rate = ({ name }: Adapter): number => figureIn(round, sceneName(busiest), name, 'perSecond')
      return rate(ours) / Math.max(...PEERS.map(rate).filter((one) => one > 0))
    })
    return [
      atMost(`${ours.name}, sections in one process that began before their turn`, worst('inversions', SCENES), 0),
      ...HOLDS_MS.map((holdMs) => {
        const scenes = SCENES.filter((scene) => scene.holdMs === holdMs)
        const max = COMMANDS_MAX.get(holdMs) ?? Number.NaN
        return atMost(`${ours.name}, commands a section of ${holdMs} ms in one process`, worst('commands', scenes), max)
      }),
      atLeast(`${ours.name}, 1,000 tasks of one process, times the fastest peer`, timesPeer, TIMES_PEER_MIN),
      atLeast(`${ours.name}, Jain index of 1,000 tasks`, medianOf(rounds, busiest, ours, 'jain'), JAIN_MIN),
    ]
  })
}

function medianOf(rounds: readonly Round[], scene: Scene, { name }: Adapter, figure: string): number {
  return medianOver(rounds, (round) => figureIn(round, sceneName(scene), name, figure))
}
