/** A lock that outlives the process that took it: taken in one step of a pipeline, given back in another. */
import './setting/temporary-folder.mjs'
import { holdfast } from 'holdfast'

// snippet: detached
async function begin(locks) {
  const lease = await locks.mutex('deploy').acquire({ detached: true, maxHold: '10m', label: 'release 1.4' })
  return lease.id // keep it: whoever has it can end the lease
}
async function finish(locks, leaseId) {
  return locks.mutex('deploy').release(leaseId) // from any process; false: it was over
}
// end

const first = holdfast('sqlite:./locks.db', { namespace: 'ci' })
const id = await begin(first)
await first.close() // the process ends, the lock stays

const second = holdfast('sqlite:./locks.db', { namespace: 'ci' })
console.log('still held:', (await second.mutex('deploy').tryAcquire()) === null)
console.log('released:', await finish(second, id))
console.log('again:', await finish(second, id))
await second.close()

// prints
// still held: true
// released: true
// again: false
