/**
 * Take and release of a name that nobody else wants, against two transactions that update one row each, on the same
 * driver and with the same `synchronous`, in slices that alternate inside each round. Also, without a promise, the same
 * on a database object that was handed in: its settings are asked for and put back around each transaction.
 */
import { holdfast, type Lockable } from 'holdfast'
import { sqlite } from 'holdfast/sqlite'
import { type Database, findDriver, openAlike } from '../sale/driver.ts'
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
  const locks = holdfast(`sqlite:${folder}/locks.db`, { namespace: 'bench' })
  const handedLocks = holdfast(sqlite(openAlike(driver, `${folder}/handed.db`)), { namespace: 'bench' })
  const slices = {
    raw: rawPairs(openAlike(driver, `${folder}/raw.db`)),
    ours: takes(locks.mutex('alone')),
    handed: takes(handedLocks.mutex('alone')),
  }
  await oneRound(slices)
  const found: Round[] = []
  while (found.length < rounds) {
    const { raw, ours, handed } = await oneRound(slices)
    found.push({ rawUs: raw, oursUs: ours, ratio: raw / ours, handedUs: handed, handedRatio: raw / handed })
  }
  await Promise.all([handedLocks.close(), locks.close()])
  return found
}

/** Microseconds a pair of each kind. */
async function oneRound<K extends string>(slices: Record<K, () => Promise<void>>): Promise<Record<K, number>> {
  const kinds = Object.entries(slices) as [K, () => Promise<void>][]
  const totalMs = new Map<K, number>()
  for (let slice = 0; slice < SLICES; slice += 1) {
    for (const [kind, run] of kinds) totalMs.set(kind, (totalMs.get(kind) ?? 0) + (await timed(run)))
  }
  const us = [...totalMs].map(([kind, ms]) => [kind, (1000 * ms) / (SLICES * PAIRS)])
  return Object.fromEntries(us) as Record<K, number>
}

async function timed(slice: () => Promise<void>): Promise<number> {
  const startAt = performance.now()
  await slice()
  return performance.now() - startAt
}

function takes(mutex: Lockable): () => Promise<void> {
  return async () => {
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const lease = await mutex.acquire()
      await lease.release()
    }
  }
}

function rawPairs(database: Database): () => Promise<void> {
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
