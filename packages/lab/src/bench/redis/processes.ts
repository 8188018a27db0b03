/**
 * Four and six processes with five tasks each that want one name again and again, with sections of 0, 1 and 10 ms. The
 * processes time a `PING` all the while: what a hand-over can be held to is what a round trip takes just then.
 */
import { nowMs } from '../../sale/moment.ts'
import { atMost, type Check, type Measurement, type Round } from '../measurement.ts'
import { figureIn, medianOver, named } from '../scenes.ts'
import { median } from '../statistics.ts'
import type { Adapter } from './adapter.ts'
import { FAIR, OURS, PEERS } from './adapters.ts'
import { Arena } from './arena.ts'
import type { CrowdAnswer } from './contender-job.ts'
import type { Contestant } from './contestant.ts'
import { lineFigures } from './line-figures.ts'

interface Scene {
  readonly processes: number
  readonly holdMs: number
}

const COUNTS: readonly number[] = [4, 6]
const HOLDS_MS: readonly number[] = [0, 1, 10]
const SCENES: readonly Scene[] = COUNTS.flatMap((processes) => HOLDS_MS.map((holdMs) => ({ processes, holdMs })))
const TASKS = 5
const START_MS = 30
const SLICE_MS = 600
const LIMIT_MS = 20_000
/**
 * Who asked so much earlier came first. Two who ask at the same time reach the server in either order, and so do two of
 * whom one's process was not given a core meanwhile.
 */
const ORDER_MS = 20
const ALL = [...OURS, FAIR, ...PEERS]

const COMMANDS_MAX = 4
const PINGS_MAX = 3

export const redisProcesses: Measurement = {
  name: 'redis-processes',
  what: `${COUNTS.join(' and ')} processes with ${TASKS} tasks each on one name, again and again; those that poll ask every 10 ms`,
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
      const teams = ALL.map((adapter): Team => [adapter, teamOf(arena, adapter)])
      const found: Round[] = []
      while (found.length < rounds) found.push(await oneRound(arena, teams, found.length))
      return { rounds: found, checks: checksOf(found) }
    } finally {
      await arena.close()
    }
  },
}

type Team = readonly [adapter: Adapter, contestants: readonly Contestant[]]

function teamOf(arena: Arena, adapter: Adapter): readonly Contestant[] {
  return Array.from({ length: Math.max(...COUNTS) }, () => arena.contestant(adapter))
}

async function oneRound(arena: Arena, teams: readonly Team[], number: number): Promise<Round> {
  const found: Round[] = []
  for (const scene of SCENES) {
    for (const [adapter, team] of teams) {
      const players = team.slice(0, scene.processes)
      const name = `${adapter.name}:${sceneName(scene)}:${number}`
      found.push(named(sceneName(scene), adapter.name, await turn(arena, adapter, players, scene, name)))
    }
  }
  return Object.assign({}, ...found) as Round
}

async function turn(
  arena: Arena,
  adapter: Adapter,
  players: readonly Contestant[],
  { holdMs }: Scene,
  name: string,
): Promise<Round> {
  await Promise.all(players.map((player) => player.ready()))
  const startAtMs = nowMs() + START_MS
  const endAtMs = startAtMs + SLICE_MS
  const crowd = { name, tasks: TASKS, holdMs, sections: Number.POSITIVE_INFINITY, startAtMs, endAtMs }
  const { result: answers, spent } = await arena.watchedUntil(endAtMs, adapter, () =>
    Promise.all(players.map((player) => player.do<CrowdAnswer>({ kind: 'crowd', ...crowd }, LIMIT_MS))),
  )
  for (const [index, { sections }] of answers.entries()) if (!sections.drained) players[index]?.end()
  const tasks = TASKS * players.length
  const terms = { tasks, fromMs: startAtMs, toMs: endAtMs, orderMs: ORDER_MS }
  const figures = lineFigures(
    answers.map(({ sections }) => sections),
    terms,
  )
  const count = answers.reduce((sum, { sections }) => sum + sections.task.length, 0)
  const pingP50Us = median(answers.map((answer) => answer.pingP50Us))
  return {
    ...figures,
    commands: spent.commands / count,
    serverUs: (1000 * spent.cpuMs) / count,
    pingP50Us,
    handOverPings: (figures.handOverP50Us ?? Number.NaN) / pingP50Us,
  }
}

function sceneName({ processes, holdMs }: Scene): string {
  return `${processes} processes, ${holdMs} ms`
}

function checksOf(rounds: readonly Round[]): readonly Check[] {
  const worst = (adapter: Adapter, figure: string, scenes: readonly Scene[]): number =>
    Math.max(...scenes.map((scene) => medianOf(rounds, scene, adapter, figure)))
  const four = SCENES.filter(({ processes }) => processes === 4)
  const held = SCENES.filter(({ holdMs }) => holdMs > 0)
  const ours = OURS.map((adapter) =>
    atMost(`${adapter.name}, commands a section over 4 processes`, worst(adapter, 'commands', four), COMMANDS_MAX),
  )
  const sections = worst(FAIR, 'inversions', SCENES)
  const pings = worst(FAIR, 'handOverPings', held)
  return [
    ...ours,
    atMost(`${FAIR.name}, sections over processes that began before their turn`, sections, 0),
    atMost(`${FAIR.name}, hand-over between processes p50, times a PING`, pings, PINGS_MAX),
  ]
}

function medianOf(rounds: readonly Round[], scene: Scene, { name }: Adapter, figure: string): number {
  return medianOver(rounds, (round) => figureIn(round, sceneName(scene), name, figure))
}
