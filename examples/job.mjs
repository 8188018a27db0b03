/** A job that must not be done twice: it stands in line, looks again, and stops when the lock is lost. */
import './setting/temporary-folder.mjs'
import { setTimeout as pause } from 'node:timers/promises'

// snippet: job
import { holdfast } from 'holdfast'

const locks = holdfast('sqlite:./locks.db', { namespace: 'shop' })

async function payOrder(id) {
  const work = async (lease) => {
    const order = await orders.get(id)
    if (order.receipt) return order.receipt // somebody else was first
    lease.assertHeld('2s') // enough time left for the next step?
    order.receipt = await charge(order, { signal: lease.signal }) // aborts when the lock is lost
    return order.receipt
  }
  return locks.mutex(`order:${id}`).run(work, { wait: '5s', maxHold: '1m', label: 'pay' })
}
// end

const orders = new Map([[7, { id: 7, receipt: null }]])
const charge = async (order, { signal }) => {
  console.log(`charging order ${order.id}`)
  await pause(50, undefined, { signal })
  return `receipt for ${order.id}`
}

// Two requests for one order, at the same time.
console.log(await Promise.all([payOrder(7), payOrder(7)]))
await locks.close()

// prints
// charging order 7
// [ 'receipt for 7', 'receipt for 7' ]
