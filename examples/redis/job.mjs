/** The same job as examples/job.mjs, for processes of several machines: only the store's address is another. */
import { setTimeout as pause } from 'node:timers/promises'
import { holdfast } from 'holdfast'

// snippet: redis
const locks = holdfast(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379', { namespace: 'shop' })
await locks.ready() // a wrong address or password shows here, not at the first order
// end
const elsewhere = holdfast(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379', { namespace: 'shop' })

const orders = new Map([[7, { id: 7, receipt: null }]])
const charge = async (order, { signal }) => {
  console.log(`charging order ${order.id}`)
  await pause(50, undefined, { signal })
  return `receipt for ${order.id}`
}

async function payOrder(from, id) {
  const work = async (lease) => {
    const order = orders.get(id)
    order.receipt ??= await charge(order, { signal: lease.signal })
    return order.receipt
  }
  return from.mutex(`order:${id}`).run(work, { wait: '5s', maxHold: '1m', label: 'pay' })
}

// Two machines, at the same time.
console.log(await Promise.all([payOrder(locks, 7), payOrder(elsewhere, 7)]))
await Promise.all([locks.close(), elsewhere.close()])

// prints
// charging order 7
// [ 'receipt for 7', 'receipt for 7' ]
