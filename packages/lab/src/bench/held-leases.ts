/**
 * What 100,000 held leases cost: statements a heartbeat, counted in a database object that was handed in, and bytes
 * each, with the names and the array that the holder keeps them in. Raw, for the statements: the same with 1,000 leases, because the number must not matter.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type Holdfast, holdfast, type Lease } from 'holdfast'
import { sqlite } from 'holdfast/sqlite'
import { findDriver, openAlike } from '../sale/driver.ts'
import { nowMs } from '../sale/moment.ts'
import { runJob } from './child.ts'
import { type Counts, countStatements } from './counted-database.ts'
import type { Job } from './job.ts'
import { atLeast, atMost, type Check, type Measurement, type Round } from './measurement.ts'
import { medianRound } from './statistics.ts'

const JOB = 'held-leases'
const FEW = 1_000
const MANY = 100_000
/** So many takes are on their way at once. */
const BATCH = 500
const TTL_MS = 3_000
const BEAT_MS = TTL_MS / 3
const WATCH_MS = 5 * BEAT_MS
const LIMIT_MS = 240_000
const STATEMENTS_MAX = 3
const BYTES_MAX = 1_000

export const heldLeases: Measurement = {
  name: JOB,
  what: `${MANY.toLocaleString('en-US')} leases held by one process; raw: ${FEW.toLocaleString('en-US')} of them`,
  async measure({ countRounds, freshFolder, childScript }) {
    const rounds: Round[] = []
    for (let round = 0; round < countRounds; round += 1) {
      rounds.push((await runJob(childScript, JOB, `${freshFolder()}/locks.db`, LIMIT_MS)) as Round)
    }
    return { rounds, checks: checksOf(medianRound(rounds)) }
  },
}

function checksOf(round: Round): readonly Check[] {
  const figure = (name: string): number => round[name] ?? Number.NaN
  const beats = WATCH_MS / BEAT_MS
  return [
    atMost(
      `transactions in ${beats} beats with ${MANY.toLocaleString('en-US')} leases held`,
      figure('oursTransactions'),
      beats + 1,
    ),
    atLeast(
      `transactions in ${beats} beats with ${MANY.toLocaleString('en-US')} leases held`,
      figure('oursTransactions'),
      beats - 2,
    ),
    atMost('statements in the largest of them', figure('oursStatementsMax'), STATEMENTS_MAX),
    atMost('statements outside transactions meanwhile', figure('oursSingle'), 0),
    atMost('bytes a held lease (heapUsed + external)', figure('bytes'), BYTES_MAX),
    atLeast('leases still held at the end', figure('held'), FEW + MANY),
  ]
}

export const heldLeasesJob: Job = async (input) => {
  const counter = countStatements(openAlike(await findDriver(), input as string))
  const locks = holdfast(sqlite(counter.database), { namespace: 'bench', ttl: `${TTL_MS}ms` })
  const few = await takeAll(locks, 'few', FEW)
  const raw = await beats(counter.take)
  const before = memoryBytes()
  const takeAtMs = nowMs()
  const many = await takeAll(locks, 'many', MANY)
  const takeUs = (1000 * (nowMs() - takeAtMs)) / MANY
  const bytes = (memoryBytes() - before) / MANY
  const ours = await beats(counter.take)
  const held = [...few, ...many].filter((lease) => lease.isHeld()).length
  await locks.close()
  return {
    rawStatementsMax: Math.max(...raw.transactions),
    oursStatementsMax: Math.max(...ours.transactions),
    rawTransactions: raw.transactions.length,
    oursTransactions: ours.transactions.length,
    oursSingle: ours.single,
    bytes,
    takeUs,
    held,
  }
}

async function takeAll(locks: Holdfast, name: string, count: number): Promise<readonly Lease[]> {
  const leases: Lease[] = []
  while (leases.length < count) {
    const first = leases.length
    const size = Math.min(BATCH, count - first)
    const batch = Array.from({ length: size }, (_, index) => locks.mutex(`${name}:${first + index}`).acquire())
    leases.push(...(await Promise.all(batch)))
  }
  return leases
}

/** What is asked of the store while nobody takes or releases. */
async function beats(take: () => Counts): Promise<Counts> {
  await pause(BEAT_MS)
  take()
  await pause(WATCH_MS)
  return take()
}

function memoryBytes(): number {
  if (globalThis.gc === undefined) throw new Error('memory can only be measured with --expose-gc')
  for (let time = 0; time < 3; time += 1) globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
