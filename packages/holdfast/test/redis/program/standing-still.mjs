/**
 * Takes a lock, tells who beats, and stands still for longer than a ttl. Given: a URL, or the module that makes a client;
 * and whether to close at the end.
 */
import { holdfast } from 'holdfast'
import { redis } from 'holdfast/redis'

const [target = '', end = ''] = process.argv.slice(2)
const backend = target.startsWith('file:') ? redis({ connect: target }) : target
const locks = holdfast(backend, { namespace: `still-${process.pid}`, ttl: '2s' })
const lease = await locks.mutex('x').acquire()
for (let looks = 0; looks < 400 && locks.status().heartbeat !== 'worker'; looks++) {
  await new Promise((resolve) => setTimeout(resolve, 20))
}
const { heartbeat } = locks.status()
const untilMs = performance.now() + 3000
while (performance.now() < untilMs);
const held = lease.isHeld()
await lease.confirm()
const endMs = performance.now()
if (end === 'close') await locks.close()
const print = () => process.stdout.write(JSON.stringify({ heartbeat, held, endedMs: performance.now() - endMs }))
process.once('exit', print)
