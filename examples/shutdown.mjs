/** Ending well: no new work, what runs may finish, and the locks are free at once instead of one ttl later. */
import './setting/temporary-folder.mjs'
import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { holdfast, isHoldfastError } from 'holdfast'

const locks = holdfast('sqlite:./locks.db', { namespace: 'shop' })

// snippet: shutdown
const server = createServer(async ({ url }, response) => response.writeHead(await handle(url)).end())

process.once('SIGTERM', async () => {
  server.close() // one that listens keeps the process alive
  await locks.close({ drain: '10s' })
})

async function handle(customer) {
  try {
    return await locks.mutex(`customer:${customer}`).run((lease) => serve(customer, lease.signal))
  } catch (error) {
    if (isHoldfastError(error, 'CLOSED')) return 503 // this process is on its way out
    throw error
  }
}
// end

const serving = new EventEmitter()
const serve = async (_customer, signal) => {
  serving.emit('started')
  await pause(200, undefined, { signal })
  return 200
}
await once(server.listen(0, '127.0.0.1'), 'listening')
const started = once(serving, 'started')
const told = once(process, 'SIGTERM')
const closed = once(server, 'close')
const running = fetch(`http://127.0.0.1:${server.address().port}/ann`)
await started
process.kill(process.pid, 'SIGTERM')
await told
console.log('new request:', await handle('/bob'))
console.log('running request:', (await running).status)
await Promise.all([locks.close(), closed])

// Nobody has to wait for what the closed object held.
const next = holdfast('sqlite:./locks.db', { namespace: 'shop' })
console.log('free again:', (await next.mutex('customer:/ann').tryAcquire()) !== null)
await next.close()

// prints
// new request: 503
// running request: 200
// free again: true
