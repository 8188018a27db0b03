/**
 * The benchmark: raw baseline and ours in turns, medians over the rounds, every raw round printed. With `--check` it
 * exits with 1 when a promised figure is missed, and names it.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { killAll } from './bench/child.ts'
import { heldLeases } from './bench/held-leases.ts'
import { idleWaiters } from './bench/idle-waiters.ts'
import { localHandOver } from './bench/local-hand-over.ts'
import { localStatements } from './bench/local-statements.ts'
import { longWait } from './bench/long-wait.ts'
import { describeMachine, type Machine, machineLine } from './bench/machine.ts'
import type { Measurement, Setting } from './bench/measurement.ts'
import { pageOf } from './bench/page.ts'
import { processHandOver } from './bench/process-hand-over.ts'
import { redisBurst } from './bench/redis/burst.ts'
import { redisContended } from './bench/redis/contended.ts'
import { redisHeld } from './bench/redis/held.ts'
import { redisProcesses } from './bench/redis/processes.ts'
import { redisQuorum } from './bench/redis/quorum.ts'
import { redisSleeps } from './bench/redis/sleeps.ts'
import { redisUncontended } from './bench/redis/uncontended.ts'
import { versionsLine } from './bench/redis/versions.ts'
import { checkTable, type Found, figure, figureTable, roundLines } from './bench/report.ts'
import { medianRound } from './bench/statistics.ts'
import { uncontended } from './bench/uncontended.ts'
import { openWorkplace } from './sale/workplace.ts'

const REDIS: readonly Measurement[] = [
  redisUncontended,
  redisContended,
  redisBurst,
  redisSleeps,
  redisProcesses,
  redisQuorum,
  redisHeld,
]

const SQLITE: readonly Measurement[] = [
  localHandOver,
  localStatements,
  uncontended,
  processHandOver,
  longWait,
  idleWaiters,
  heldLeases,
]

const ALL = [...SQLITE, ...REDIS]
const NAMES = ALL.map(({ name }) => name).join(', ')

const HELP = `Measures the library against a raw baseline, and on Redis against its peers.

  npm run bench                      7 rounds on SQLite files, about six minutes
  npm run bench:redis                7 rounds on a Redis server of its own, about twenty-five minutes
  npm run bench -- --short           3 rounds
  npm run bench -- --check           exits with 1 when a promised figure is missed
  npm run bench -- --json FILE       also writes everything to FILE
  npm run bench -- --html FILE       also writes a page with charts to FILE
  npm run bench -- --only NAME       one measurement, may be repeated: ${NAMES}
`

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    redis: { type: 'boolean', default: false },
    json: { type: 'string' },
    html: { type: 'string' },
    only: { type: 'string', multiple: true },
  },
})
if (values.help) process.stdout.write(HELP)
else await main(chosen(values.only))

async function main(measurements: readonly Measurement[]): Promise<void> {
  const setting = settingOf(openWorkplace('bench', killAll))
  const machine = await describeMachine()
  const place = measurements.some((measurement) => REDIS.includes(measurement))
    ? [machineLine(machine), versionsLine()]
    : [machineLine(machine)]
  process.stdout.write(`${place.join('\n')}\n`)
  const all: Found[] = []
  for (const measurement of measurements) {
    process.stdout.write(`\n${measurement.name}: ${measurement.what}\n`)
    const found = await measured(measurement, setting)
    process.stdout.write(found.failure === null ? roundLines(found.rounds) : `  ${found.failure}\n`)
    all.push(found)
  }
  const checks = all.flatMap((found) => found.checks)
  process.stdout.write(`\n${figureTable(all)}\n\n${checkTable(checks)}\n`)
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(asJson(machine, place, all), null, 2)}\n`)
  if (values.html !== undefined) writeFileSync(values.html, pageOf(place, new Date(), all))
  const missed = all.flatMap(missedBy)
  for (const one of missed) process.stderr.write(`missed: ${one}\n`)
  process.exitCode = values.check && missed.length > 0 ? 1 : 0
}

/** A measurement that fails misses its promises, and the others go on. */
async function measured(measurement: Measurement, setting: Setting): Promise<Found> {
  try {
    return { measurement, failure: null, ...(await measurement.measure(setting)) }
  } catch (error) {
    killAll()
    return { measurement, failure: String(error), rounds: [], checks: [] }
  }
}

function missedBy({ measurement, failure, checks }: Found): readonly string[] {
  if (failure !== null) return [`${measurement.name}: ${failure}`]
  const missed = checks.filter(({ ok }) => !ok)
  return missed.map(({ what, got, kind, limit }) => `${what} is ${figure(got)}, should be ${kind} ${limit}`)
}

function settingOf(folder: string): Setting {
  let folders = 0
  return {
    rounds: values.short ? 3 : 7,
    countRounds: values.short ? 1 : 3,
    longRounds: values.short ? 1 : 7,
    childScript: fileURLToPath(new URL('./bench-child.mjs', import.meta.url)),
    freshFolder() {
      folders += 1
      const fresh = join(folder, String(folders))
      mkdirSync(fresh)
      return fresh
    },
  }
}

function asJson(machine: Machine, place: readonly string[], all: readonly Found[]): Readonly<Record<string, unknown>> {
  const measurements = all.map(({ measurement: { name, what }, failure, rounds, checks }) => {
    return { name, what, failure, median: medianRound(rounds), rounds, checks }
  })
  return { at: new Date().toISOString(), machine, place, measurements }
}

function chosen(names: readonly string[] | undefined): readonly Measurement[] {
  const unknown = names?.find((name) => !ALL.some((measurement) => measurement.name === name))
  if (names === undefined) return values.redis ? REDIS : SQLITE
  if (unknown === undefined) return ALL.filter(({ name }) => names.includes(name))
  process.stderr.write(`--only must be one of ${NAMES}, not ${JSON.stringify(unknown)}\n`)
  process.exit(64)
}
