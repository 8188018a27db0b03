/** Ending well: no new work, what runs may finish, and the locks are free at once instead of one ttl later. */
import './setting/temporary-folder.mjs'
import { EventEmitter, once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { holdfast, isHoldfastError } from 'holdfast'

const locks = holdfast('sqlite:./locks.db', { namespace: 'shop' })

// snippet: shutdown
process.once('SIGTERM', () => locks.close({ drain: '10s' }))

async function handle(request) {
  try {
    return await locks.mutex(`customer:${request.customer}`).run((lease) => serve(request, lease.signal))
  } catch (error) {
    if (isHoldfastError(error, 'CLOSED')) return { status: 503 } // this process is on its way out
    throw error
  }
}
// end

const serving = new EventEmitter()
const serve = async ({ customer }, signal) => {
  serving.emit('started')
  await pause(200, undefined, { signal })
  return { status: 200, customer }
}
const started = once(serving, 'started')
const told = once(process, 'SIGTERM')
const running = handle({ customer: 1 })
await started
process.kill(process.pid, 'SIGTERM')
await told
console.log('new request:', await handle({ customer: 2 }))
console.log('running request:', await running)
await locks.close()

// Nobody has to wait for what the closed object held.
const next = holdfast('sqlite:./locks.db', { namespace: 'shop' })
console.log('free again:', (await next.mutex('customer:1').tryAcquire()) !== null)
await next.close()

// prints
// new request: { status: 503 }
// running request: { status: 200, customer: 1 }
// free again: true
