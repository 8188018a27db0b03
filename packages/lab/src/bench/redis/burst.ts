/**
 * A burst: 1,000 tasks of one process want one name at the same moment, a section of 0 ms each, and all of them are
 * served. Those that poll ask every 10 ms.
 */
import { nowMs } from '../../sale/moment.ts'
import { atLeast, atMost, type Check, type Measurement, type Round } from '../measurement.ts'
import { figureIn, medianOver, named } from '../scenes.ts'
import type { Adapter } from './adapter.ts'
import { OURS, PEERS } from './adapters.ts'
import { Arena } from './arena.ts'
import type { CrowdAnswer } from './contender-job.ts'
import type { Contestant } from './contestant.ts'
import { inOneLine, jain } from './line-figures.ts'

const TASKS = 1_000
const SCENE = '1,000 tasks, one section each'
const START_MS = 20
/** Who has not served all by then is given this time. */
const LIMIT_MS = 15_000
const GRACE_MS = 5_000
const ALL = [...OURS, ...PEERS]

const OF_PEER_MAX = 0.4
const JAIN_MIN = 0.99

export const redisBurst: Measurement = {
  name: 'redis-burst',
  what: `${TASKS.toLocaleString('en-US')} tasks of one process come to one name at once, and all are served; at most ${LIMIT_MS / 1000} s`,
  charts: [
    { figure: 'allServedMs', title: 'Until all were served, ms', better: 'less', log: true },
    { figure: 'commands', title: 'Commands a section', better: 'less', log: true },
  ],
  async measure({ rounds, childScript }) {
    const arena = await Arena.open(childScript)
    try {
      const contestants = ALL.map((adapter) => [adapter, arena.contestant(adapter)] as const)
      const found: Round[] = []
      while (found.length < rounds) {
        const turns: Round[] = []
        for (const [adapter, contestant] of contestants) {
          turns.push(named(SCENE, adapter.name, await turn(arena, adapter, contestant, found.length)))
        }
        found.push(Object.assign({}, ...turns) as Round)
      }
      return { rounds: found, checks: checksOf(found) }
    } finally {
      await arena.close()
    }
  },
}

async function turn(arena: Arena, adapter: Adapter, contestant: Contestant, number: number): Promise<Round> {
  await contestant.ready()
  const startAtMs = nowMs() + START_MS
  const endAtMs = startAtMs + LIMIT_MS
  const crowd = { name: `burst:${adapter.name}:${number}`, tasks: TASKS, holdMs: 0, sections: 1, startAtMs, endAtMs }
  const work = (): Promise<CrowdAnswer> => contestant.do({ kind: 'crowd', ...crowd }, LIMIT_MS + GRACE_MS)
  const { result, spent } = await arena.watched(adapter, work)
  if (!result.sections.drained) contestant.end()
  const sections = inOneLine([result.sections])
  return {
    allServedMs: sections.length === TASKS ? (sections.at(-1)?.endAtMs ?? Number.NaN) - startAtMs : LIMIT_MS,
    served: sections.length,
    jain: jain(
      sections.map(() => 1),
      TASKS,
    ),
    commands: spent.commands / sections.length,
    serverUs: (1000 * spent.cpuMs) / sections.length,
  }
}

function checksOf(rounds: readonly Round[]): readonly Check[] {
  return OURS.flatMap((ours) => {
    const got = medianOver(rounds, (round) => {
      const took = ({ name }: Adapter): number => figureIn(round, SCENE, name, 'allServedMs')
      return took(ours) / Math.min(...PEERS.map(took))
    })
    const fairness = medianOver(rounds, (round) => figureIn(round, SCENE, ours.name, 'jain'))
    return [
      atMost(`${ours.name}, burst of 1,000 tasks, times of the fastest peer's time`, got, OF_PEER_MAX),
      atLeast(`${ours.name}, burst of 1,000 tasks, Jain index`, fairness, JAIN_MIN),
    ]
  })
}
