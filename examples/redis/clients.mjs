/** All ways to say where a Redis is. None of them connects before it is used. */
import { holdfast } from 'holdfast'
import { redis } from 'holdfast/redis'
import { Redis } from 'ioredis'

const ca = undefined
const client = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379')

// snippet: ways
const byUrl = holdfast('rediss://user:password@host:6379/0', { namespace: 'shop' })
const sentinels = holdfast('redis+sentinel://user:password@host1:26379,host2:26379/primary/0', { namespace: 'shop' })
const cluster = holdfast('redis+cluster://user:password@host1:6379,host2:6379', { namespace: 'shop' })

const handedIn = holdfast(redis(client), { namespace: 'shop' })
const named = holdfast(redis({ sentinels: [{ host: 'host1' }], name: 'primary' }), { namespace: 'shop' })
const withAuthority = holdfast(redis({ cluster: [{ host: 'host1' }], tls: { ca } }), { namespace: 'shop' })
const module = import.meta.resolve('../setting/redis-client.config.mjs')
const made = holdfast(redis({ connect: module }), { namespace: 'shop' })
// end

const lease = await handedIn.mutex('report').acquire()
const { ran } = await made.mutex('report').tryRun(() => {})
console.log(ran)
await lease.release()
console.log(await made.mutex('report').tryRun(() => 'done'))

await Promise.all([byUrl, sentinels, cluster, handedIn, named, withAuthority, made].map((locks) => locks.close()))
client.disconnect()

// prints
// false
// { ran: true, value: 'done' }
