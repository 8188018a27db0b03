/** Runs one job of a measurement in a process of its own. Started by the benchmark, never by hand. */
import { heldLeasesJob } from './bench/held-leases.ts'
import { idleHolderJob, idleWaiterJob } from './bench/idle-waiters.ts'
import { work } from './bench/job.ts'
import { localHandOverJob } from './bench/local-hand-over.ts'
import { localStatementsJob } from './bench/local-statements.ts'
import { longHolderJob, longWaiterJob } from './bench/long-wait.ts'
import { processHandOverJob } from './bench/process-hand-over.ts'
import { CONTENDER_JOB, contenderJob } from './bench/redis/contender-job.ts'
import { HOLDER_JOB, holderJob } from './bench/redis/holder-job.ts'
import { uncontendedJob } from './bench/uncontended.ts'

const jobs = {
  'local-hand-over': localHandOverJob,
  'local-statements': localStatementsJob,
  uncontended: uncontendedJob,
  'process-hand-over': processHandOverJob,
  'long-holder': longHolderJob,
  'long-waiter': longWaiterJob,
  'idle-holder': idleHolderJob,
  'idle-waiter': idleWaiterJob,
  'held-leases': heldLeasesJob,
  [CONTENDER_JOB]: contenderJob,
  [HOLDER_JOB]: holderJob,
}

const [name = '', input = 'null'] = process.argv.slice(2)
await work(jobs, name, JSON.parse(input))
