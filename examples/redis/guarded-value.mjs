/** A write that Redis refuses when its writer has been passed by another: check and write are one step there. */
import { holdfast, isHoldfastError } from 'holdfast'
// snippet: guard
import { redisGuard } from 'holdfast/guard'
import { redis } from 'holdfast/redis'
import { Redis } from 'ioredis'

const client = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379')
const guard = redisGuard(client, 'stock:9')

async function sell(lease, count) {
  await guard.enter(undefined, lease) // before the first read
  const stock = Number(await client.get('stock:9'))
  if (stock < count) return false
  await guard.set(lease, String(stock - count)) // refused if somebody newer has entered since
  return true
}
// end

// snippet: work
const reserve = `
  redis.call('DECRBY', KEYS[1], ARGV[1])
  redis.call('SADD', KEYS[2], ARGV[2])
  return redis.call('GET', KEYS[1])
`

function reserveFor(customer, lease) {
  return guard.run(lease, reserve, { keys: ['reserved'], args: ['2', customer] })
}
// end
await client.set('stock:9', '10')

// Two processes. The first is paused for too long; here an operator takes the lock from it.
const one = holdfast(redis(client), { namespace: 'stock' })
const two = holdfast(redis(client), { namespace: 'stock' })
const paused = await one.mutex('stock:9').acquire()
await two.forceRelease('stock:9')
await two.mutex('stock:9').run(async (lease) => {
  console.log(`sold: ${await sell(lease, 3)}, left after a reservation: ${await reserveFor('ann', lease)}`)
})

try {
  await sell(paused, 10)
} catch (error) {
  if (!isHoldfastError(error, 'STALE_FENCE')) throw error
  console.log(`refused, a newer holder has been here: ${error.fence > paused.fence}`)
}
console.log(await client.get('stock:9'))
await Promise.all([one.close(), two.close()])
client.disconnect()

// prints
// sold: true, left after a reservation: 5
// refused, a newer holder has been here: true
// 5
