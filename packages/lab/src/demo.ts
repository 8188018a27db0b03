/**
 * The demo: a flash sale over several server processes, first without a lock, then with one, then with the holder of
 * the lock killed in the middle. Ends by itself, removes its files, and exits with 1 when an act shows what it must not.
 */
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type ActResult, playAct, type Scene } from './sale/act.ts'
import { findDriver } from './sale/driver.ts'
import { ACTS, closingSentence, resultTable, SHORT_TTL_MS, whole } from './sale/program.ts'
import { openProgress } from './sale/progress.ts'
import { killAll } from './sale/staff.ts'
import { faultsOf } from './sale/verdict.ts'
import { openWorkplace } from './sale/workplace.ts'

/** A sale that takes longer hangs, and is ended. */
const RUN_MS_MAX = 58_000
const STOCK = 1_000
const REQUESTS = 5_000
const CONNECTIONS = 200

const HELP = `A flash sale over several processes: without a lock, with one, and with its holder killed.

  npm run demo
  npm run demo -- --servers 4     how many server processes, 2 to 16 (default 3)
`

const { values } = parseArgs({
  options: { servers: { type: 'string', default: '3' }, help: { type: 'boolean', default: false } },
})
if (values.help) process.stdout.write(HELP)
else await main(serverCount(values.servers))

async function main(servers: number): Promise<void> {
  const folder = openWorkplace('demo', killAll)
  setTimeout(() => {
    process.stderr.write(`the demo did not end within ${RUN_MS_MAX / 1000} s\n`)
    process.exit(1)
  }, RUN_MS_MAX).unref()

  const driver = await findDriver()
  const serverScript = fileURLToPath(new URL('./demo-server.mjs', import.meta.url))
  const scene = { driver, folder, serverScript, servers, stock: STOCK, requests: REQUESTS, connections: CONNECTIONS }
  process.stdout.write(introduction(scene))
  const acts: ActResult[] = []
  for (const plan of ACTS) acts.push(await play(plan, scene, acts.length + 1))
  process.stdout.write(`\n${resultTable(acts)}\n\n${closingSentence(acts, STOCK, servers)}\n`)
  const faults = acts.flatMap((act) => faultsOf(act, scene).map((fault) => `${act.plan.title}: ${fault}`))
  for (const fault of faults) process.stderr.write(`not as it must be: ${fault}\n`)
  process.exitCode = faults.length === 0 ? 0 : 1
}

async function play(plan: ActResult['plan'], scene: Scene, number: number): Promise<ActResult> {
  const progress = openProgress(process.stdout, `act ${number}, ${plan.title.padEnd(14)}`, scene.requests)
  const act = await playAct(plan, scene, number, progress.update)
  progress.end()
  return act
}

function introduction({ servers, stock, requests, connections, driver }: Scene): string {
  return `A flash sale: ${whole(stock)} sneakers, ${whole(requests)} purchase requests (${connections} at a time) to ${servers} server processes that
share a SQLite file (${driver.name}). Each purchase reads the stock, waits for the payment and writes the stock back.
In the last act one server is killed while it holds the lock; its ttl is ${SHORT_TTL_MS / 1000} s, so the others wait no longer than about that.

`
}

function serverCount(text: string): number {
  const count = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  if (count >= 2 && count <= 16) return count
  process.stderr.write(`--servers must be a whole number from 2 to 16, not ${JSON.stringify(text)}\n`)
  process.exit(64)
}
