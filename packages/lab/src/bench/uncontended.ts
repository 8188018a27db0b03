/**
 * Take and release of a name that nobody else wants, against two transactions that update one row each, on the same
 * driver and with the same `synchronous`, in slices that alternate inside each round.
 */
import { holdfast } from 'holdfast'
import { sqlite } from 'holdfast/sqlite'
import { type Database, findDriver, numberIn } from '../sale/driver.ts'
import { runJob } from './child.ts'
import type { Job } from './job.ts'
import { atLeast, type Measurement, type Round } from './measurement.ts'
import { medianRound } from './statistics.ts'

const JOB = 'uncontended'
const SLICES = 10
/** Pairs of transactions, or takes with their release, in one slice. */
const PAIRS = 300
const LIMIT_MS = 180_000
const RATIO_MIN = 0.5

export const uncontended: Measurement = {
  name: JOB,
  what: 'take + release; raw: two transactions `begin immediate; update one row; commit`',
  async measure({ rounds, freshFolder, childScript }) {
    const input = { folder: freshFolder(), rounds }
    const found = (await runJob(childScript, JOB, input, LIMIT_MS)) as readonly Round[]
    const { ratio = Number.NaN } = medianRound(found)
    return { rounds: found, checks: [atLeast('uncontended take + release, share of the raw rate', ratio, RATIO_MIN)] }
  },
}

export const uncontendedJob: Job = async (input) => {
  const { folder, rounds } = input as { readonly folder: string; readonly rounds: number }
  const driver = await findDriver()
  const handed = driver.open(`${folder}/handed.db`)
  const handedLocks = holdfast(sqlite(handed), { namespace: 'bench' })
  const locks = holdfast(`sqlite:${folder}/locks.db`, { namespace: 'bench' })
  await Promise.all([handedLocks.ready(), locks.ready()])
  const synchronous = numberIn(handed.prepare('pragma synchronous').get(), 'synchronous')
  const raw = rawPairs(driver.open(`${folder}/raw.db`), synchronous)
  const ours = takes(locks.mutex('alone'))
  const found: Round[] = []
  for (let round = -1; round < rounds; round += 1) {
    let rawMs = 0
    let oursMs = 0
    for (let slice = 0; slice < SLICES; slice += 1) {
      rawMs += await timed(raw)
      oursMs += await timed(ours)
    }
    const us = (ms: number): number => (1000 * ms) / (SLICES * PAIRS)
    // The first round only warms up.
    if (round >= 0) found.push({ rawUs: us(rawMs), oursUs: us(oursMs), ratio: rawMs / oursMs, synchronous })
  }
  await Promise.all([handedLocks.close(), locks.close()])
  return found
}

async function timed(slice: () => Promise<void>): Promise<number> {
  const startAt = performance.now()
  await slice()
  return performance.now() - startAt
}

function takes(mutex: ReturnType<ReturnType<typeof holdfast>['mutex']>): () => Promise<void> {
  return async () => {
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const lease = await mutex.acquire()
      await lease.release()
    }
  }
}

function rawPairs(database: Database, synchronous: number): () => Promise<void> {
  database.exec('pragma journal_mode = wal')
  database.exec(`pragma synchronous = ${synchronous}`)
  database.exec('create table counter (id integer primary key, value integer not null)')
  database.exec('insert into counter values (1, 0)')
  const begin = database.prepare('begin immediate')
  const update = database.prepare('update counter set value = value + 1 where id = 1')
  const commit = database.prepare('commit')
  return async () => {
    for (let transaction = 0; transaction < 2 * PAIRS; transaction += 1) {
      begin.run()
      update.run()
      commit.run()
    }
  }
}
