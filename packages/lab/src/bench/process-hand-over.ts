/**
 * Hand-over between processes: two of them take one name in turn for sections of 1 ms, and the time from the end of a
 * section to the start of the next in the other process is measured on the clock that both share. Raw: the turn is a
 * row that each looks at every millisecond.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { holdfast } from 'holdfast'
import { type Driver, findDriver, numberIn } from '../sale/driver.ts'
import { nowMs } from '../sale/moment.ts'
import { startChild } from './child.ts'
import type { Job } from './job.ts'
import { atLeast, atMost, type Measurement, type Round, type Setting } from './measurement.ts'
import { handOvers, type Section } from './sections.ts'
import { medianRound, percentile } from './statistics.ts'

const JOB = 'process-hand-over'
const RUN_MS = 1_500
const SECTION_MS = 1
const LIMIT_MS = 30_000
const P50_MS_MAX = 5
/** Below it the processes did not take turns, and the gaps say nothing. */
const HAND_OVERS_MIN = 50

interface Orders {
  readonly mode: 'raw' | 'ours'
  readonly file: string
  readonly side: 0 | 1
}

export const processHandOver: Measurement = {
  name: JOB,
  what: 'two processes in turn (fair), sections of 1 ms; raw: a row that says whose turn it is, looked at every 1 ms',
  async measure(setting) {
    const rounds: Round[] = []
    for (let round = 0; round < setting.rounds; round += 1) {
      const raw = await gaps(setting, 'raw')
      const ours = await gaps(setting, 'ours')
      const [rawP50Ms, oursP50Ms] = [percentile(raw, 50), percentile(ours, 50)]
      const tail = { rawP95Ms: percentile(raw, 95), oursP95Ms: percentile(ours, 95) }
      rounds.push({ rawP50Ms, oursP50Ms, ratio: oursP50Ms / rawP50Ms, ...tail, handOvers: ours.length })
    }
    const { oursP50Ms = Number.NaN, handOvers = Number.NaN } = medianRound(rounds)
    const checks = [
      atMost('hand-over between processes p50, ms', oursP50Ms, P50_MS_MAX),
      atLeast('hand-overs between processes in a round', handOvers, HAND_OVERS_MIN),
    ]
    return { rounds, checks }
  },
}

async function gaps({ freshFolder, childScript }: Setting, mode: Orders['mode']): Promise<readonly number[]> {
  const file = `${freshFolder()}/turns.db`
  if (mode === 'raw') makeTurns(await findDriver(), file)
  const children = ([0, 1] as const).map((side) => {
    const orders: Orders = { mode, file, side }
    return startChild(childScript, JOB, orders, LIMIT_MS)
  })
  await Promise.all(children.map((child) => child.hear()))
  for (const child of children) child.say('go')
  const told = (await Promise.all(children.map((child) => child.hear()))) as readonly (readonly Section[])[]
  return handOvers(told)
}

export const processHandOverJob: Job = async (input, parent) => {
  const { mode, file, side } = input as Orders
  const turn = mode === 'raw' ? rawTurn(await findDriver(), file, side) : ourTurn(file)
  await turn(async () => {})
  parent.say('ready')
  await parent.hear()
  const sections: Section[] = []
  const endAtMs = nowMs() + RUN_MS
  while (nowMs() < endAtMs) {
    await turn(async () => {
      const startAtMs = nowMs()
      await pause(SECTION_MS)
      sections.push([startAtMs, nowMs()])
    })
  }
  return sections
}

type Turn = (section: () => Promise<void>) => Promise<void>

function ourTurn(file: string): Turn {
  const mutex = holdfast(`sqlite:${file}`, { namespace: 'bench' }).mutex('turn', { fair: true })
  return (section) => mutex.run(section)
}

function makeTurns(driver: Driver, file: string): void {
  const database = driver.open(file)
  database.exec('pragma journal_mode = wal')
  database.exec('create table turn (id integer primary key, side integer not null)')
  database.exec('insert into turn values (1, 0)')
  database.close()
}

function rawTurn(driver: Driver, file: string, side: 0 | 1): Turn {
  const database = driver.open(file)
  database.exec('pragma busy_timeout = 1000')
  const read = database.prepare('select side from turn where id = 1')
  const pass = database.prepare('update turn set side = 1 - side where id = 1')
  return async (section) => {
    // A side that has ended passes the turn no more, so the other one must not wait for it for ever.
    const giveUpAtMs = nowMs() + RUN_MS
    while (numberIn(read.get(), 'side') !== side) {
      if (nowMs() > giveUpAtMs) return
      await pause(1)
    }
    await section()
    pass.run()
  }
}
