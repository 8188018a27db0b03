/** A limit on calls in flight over all processes, and numbered places for what must be told apart. */
import './setting/temporary-folder.mjs'
import { setTimeout as pause } from 'node:timers/promises'
import { holdfast } from 'holdfast'

const locks = holdfast('sqlite:./locks.db', { namespace: 'shop' })

// snippet: cap
const api = locks.semaphore('payment-api', { capacity: 3 })

async function call(request) {
  return api.run(() => send(request), { wait: '1m' })
}
async function callInBulk(requests) {
  return api.run(() => Promise.all(requests.map(send)), { permits: 2, wait: '1m' }) // two at once count as two
}
// end

let inFlight = 0
let most = 0
const send = async (request) => {
  inFlight++
  most = Math.max(most, inFlight)
  await pause(20)
  inFlight--
  return `answer ${request}`
}
const answers = await Promise.all([...Array(8).keys()].map(call))
console.log(`${answers.length} answers, never more than three in flight: ${most <= 3}`)
console.log(await callInBulk(['a', 'b']))

// snippet: slot
const screens = locks.semaphore('screens', { capacity: 2 })
await screens.run(
  (lease) => console.log(`drawing on screen ${lease.slot.number}, fenced by a ${typeof lease.slot.fence}`),
  { slot: true },
)
// end
await locks.close()

// prints
// 8 answers, never more than three in flight: true
// [ 'answer a', 'answer b' ]
// drawing on screen 0, fenced by a bigint
