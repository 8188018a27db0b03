/**
 * Begins a transaction on the file of a store and stops itself inside it: from then on nobody can write there. Before
 * it stops it says until when the store itself keeps the lock for the present holder, which nothing can change any
 * more, on the clock that all processes share. On SIGCONT it goes on, rolls back and ends.
 */
import { uptime } from 'node:os'

const [, , file] = process.argv

async function open() {
  const builtIn = await import('node:sqlite').catch(() => null)
  if (builtIn !== null) return new builtIn.DatabaseSync(file)
  const { default: Database } = await import('libsql')
  return new Database(file)
}

const database = await open()
database.exec('pragma busy_timeout = 1000')
database.exec('begin immediate')
const { end } = database
  .prepare('select ends_ms as end from hf_claim join hf_session on hf_session.id = session where open = 1')
  .get()
const endMs = Number(process.hrtime.bigint()) / 1e6 + end - uptime() * 1000
process.stdout.write(`until ${endMs}\n`, () => {
  process.kill(process.pid, 'SIGSTOP')
  database.exec('rollback')
  database.close()
})
