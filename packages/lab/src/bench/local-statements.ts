/**
 * What 1,000 tasks of one process ask of the store when all want one name at once. A count, so it does not vary with
 * the machine: BEGIN and COMMIT count as statements, and so do beats that fall into it.
 */
import { holdfast } from 'holdfast'
import { sqlite } from 'holdfast/sqlite'
import { findDriver, openAlike } from '../sale/driver.ts'
import { runJob } from './child.ts'
import { countStatements } from './counted-database.ts'
import type { Job } from './job.ts'
import { atMost, type Measurement, type Round } from './measurement.ts'
import { medianRound } from './statistics.ts'

const JOB = 'local-statements'
const TASKS = 1_000
const LIMIT_MS = 60_000
const STATEMENTS_MAX = 0.1

export const localStatements: Measurement = {
  name: JOB,
  what: `statements a section when ${TASKS.toLocaleString('en-US')} tasks of one process want one name at once; raw: one take and release of their own each`,
  async measure({ countRounds, freshFolder, childScript }) {
    const input = { file: `${freshFolder()}/locks.db`, rounds: countRounds }
    const found = (await runJob(childScript, JOB, input, LIMIT_MS)) as readonly Round[]
    const { oursStatements = Number.NaN } = medianRound(found)
    return {
      rounds: found,
      checks: [atMost('statements a section, 1,000 tasks on one name', oursStatements, STATEMENTS_MAX)],
    }
  },
}

export const localStatementsJob: Job = async (input) => {
  const { file, rounds } = input as { readonly file: string; readonly rounds: number }
  const counter = countStatements(openAlike(await findDriver(), file))
  const locks = holdfast(sqlite(counter.database), { namespace: 'bench' })
  await locks.mutex('first').run(() => {})
  const found: Round[] = []
  for (let round = 0; round < rounds; round += 1) {
    counter.take()
    for (let task = 0; task < TASKS; task += 1) await locks.mutex('alone').run(section)
    const rawStatements = counter.take().statements / TASKS
    await Promise.all(Array.from({ length: TASKS }, () => locks.mutex('line').run(section)))
    found.push({ rawStatements, oursStatements: counter.take().statements / TASKS })
  }
  await locks.close()
  return found
}

/** Long enough for other tasks to run in between. */
function section(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
