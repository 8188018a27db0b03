/** Telling contention, loss and outage apart: by code, never by message. */
import './setting/temporary-folder.mjs'
import { setTimeout as pause } from 'node:timers/promises'
import { holdfast, isHoldfastError } from 'holdfast'

const locks = holdfast('sqlite:./locks.db', { namespace: 'shop' })
const other = holdfast('sqlite:./locks.db', { namespace: 'shop' })

async function attempt(work, options) {
  // snippet: errors
  try {
    return await locks.mutex('report').run(work, options)
  } catch (error) {
    if (isHoldfastError(error, 'WAIT_TIMEOUT')) return `busy: ${error.holder?.label} has it`
    if (isHoldfastError(error, 'LEASE_LOST')) return `lost (${error.reason}), and the work ${error.settled?.status}`
    if (isHoldfastError(error, 'BACKEND_UNAVAILABLE')) return 'the store gave no answer: try again later'
    throw error
  }
  // end
}

const held = await other.mutex('report').acquire({ label: 'weekly' })
console.log(await attempt(() => 'done', { wait: '100ms' }))
await held.release()
console.log(await attempt(() => pause(200), { maxHold: '100ms' }))
console.log(await attempt(() => 'done'))
await Promise.all([locks.close(), other.close()])

// prints
// busy: weekly has it
// lost (max-hold), and the work fulfilled
// done
