/**
 * Thirty tasks want one name at the same moment, a section of 10 ms each, in one process and over six. What no lock can
 * do without are the thirty sleeps themselves; they are timed one after the other in each round, without any lock.
 */
import { nowMs } from '../../sale/moment.ts'
import { atMost, type Check, type Measurement, type Round } from '../measurement.ts'
import { figureIn, medianOver, named } from '../scenes.ts'
import { median } from '../statistics.ts'
import { FAIR, OURS, PEERS, RAW } from './adapters.ts'
import { Arena } from './arena.ts'
import type { CrowdAnswer } from './contender-job.ts'
import type { Contestant } from './contestant.ts'
import { inOneLine } from './line-figures.ts'

const TASKS = 30
const HOLD_MS = 10
const PROCESSES = 6
const ONE = 'one process'
const SIX = 'six processes'
const START_MS = 20
const LIMIT_MS = 10_000
const GRACE_MS = 5_000
const ALL = [...OURS, FAIR, ...PEERS]

const OF_SLEEPS_ONE_MAX = 1.05
const OF_SLEEPS_SIX_MAX = 1.15

export const redisSleeps: Measurement = {
  name: 'redis-sleeps',
  what: `${TASKS} tasks come to one name at once for ${HOLD_MS} ms each; raw: the same sleeps, one after the other, without a lock`,
  charts: [{ figure: 'ofSleeps', title: 'Times the sleeps without a lock', better: 'less' }],
  async measure({ rounds, childScript }) {
    const arena = await Arena.open(childScript)
    try {
      const [raw] = RAW
      if (raw === undefined) throw new Error('there is nothing raw to compare with')
      const sleeper = arena.contestant(raw)
      const teams = ALL.map((adapter) => [adapter, times(PROCESSES, () => arena.contestant(adapter))] as const)
      const found: Round[] = []
      while (found.length < rounds) {
        const parts: Round[] = []
        for (const [adapter, team] of teams) {
          for (const [scene, players] of [
            [ONE, team.slice(0, 1)],
            [SIX, team],
          ] as const) {
            const sleepsMs = await sleeper.do<number>({ kind: 'sleeps', count: TASKS, holdMs: HOLD_MS }, LIMIT_MS)
            const { allServedMs, pingP50Us } = await turn(players, `${adapter.name}:${scene}:${found.length}`)
            parts.push(
              named(scene, adapter.name, { sleepsMs, allServedMs, ofSleeps: allServedMs / sleepsMs, pingP50Us }),
            )
          }
        }
        found.push(Object.assign({}, ...parts) as Round)
      }
      return { rounds: found, checks: checksOf(found) }
    } finally {
      await arena.close()
    }
  },
}

function times<T>(count: number, make: () => T): readonly T[] {
  return Array.from({ length: count }, make)
}

async function turn(
  players: readonly Contestant[],
  name: string,
): Promise<{ readonly allServedMs: number; readonly pingP50Us: number }> {
  await Promise.all(players.map((player) => player.ready()))
  const startAtMs = nowMs() + START_MS
  const crowd = {
    name,
    tasks: TASKS / players.length,
    holdMs: HOLD_MS,
    sections: 1,
    startAtMs,
    endAtMs: startAtMs + LIMIT_MS,
  }
  const answers = await Promise.all(
    players.map((player) => player.do<CrowdAnswer>({ kind: 'crowd', ...crowd }, LIMIT_MS + GRACE_MS)),
  )
  const sections = inOneLine(answers.map((answer) => answer.sections))
  const lastEndAtMs = sections.at(-1)?.endAtMs ?? Number.NaN
  return {
    allServedMs: sections.length === TASKS ? lastEndAtMs - startAtMs : LIMIT_MS,
    pingP50Us: median(answers.map((answer) => answer.pingP50Us)),
  }
}

function checksOf(rounds: readonly Round[]): readonly Check[] {
  return OURS.flatMap((ours) => {
    const of = (scene: string, figure: string) => (round: Round) => figureIn(round, scene, ours.name, figure)
    const one = medianOver(rounds, of(ONE, 'ofSleeps'))
    const six = medianOver(rounds, (round) => {
      const roundTripsMs = (TASKS * of(SIX, 'pingP50Us')(round)) / 1000
      return of(SIX, 'allServedMs')(round) / (OF_SLEEPS_SIX_MAX * of(SIX, 'sleepsMs')(round) + roundTripsMs)
    })
    return [
      atMost(`${ours.name}, 30 tasks × 10 ms, ${ONE}, share of the sleeps' time`, one, OF_SLEEPS_ONE_MAX),
      atMost(
        `${ours.name}, 30 tasks × 10 ms, ${SIX}, share of ${OF_SLEEPS_SIX_MAX} × the sleeps + ${TASKS} round trips`,
        six,
        1,
      ),
    ]
  })
}
