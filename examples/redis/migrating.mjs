/** Every call that docs/migrating.md puts beside one of another library, at work on Redis. */
import { subscribe } from 'node:diagnostics_channel'
// snippet: begin
import { holdfast, isHoldfastError } from 'holdfast'
import { redis } from 'holdfast/redis'
import { Redis } from 'ioredis'

const client = new Redis(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379')
// end
subscribe('holdfast:take', ({ outcome }) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1))
const outcomes = new Map()

// snippet: begin
const locks = holdfast(redis(client), { namespace: 'shop', ttl: '15s' })
await locks.ready()
// end
const other = holdfast(redis(client), { namespace: 'shop' })
const work = (lease) => ({ shown: JSON.stringify(lease).length > 0, fence: lease.fence })

const receipt = await locks.mutex('order:7').run((lease) => pay(7, lease.signal), { wait: '5s' })
async function pay(id, signal) {
  signal.throwIfAborted()
  return `receipt for ${id}`
}
console.log(receipt)

// One lock, by hand.
{
  const lease = await locks.mutex('order:7').acquire({ wait: 'forever', maxHold: '10s' })
  lease.assertHeld('2s')
  console.log('held:', lease.isHeld(), lease.validForMs() > 5000, lease.fence > 0n)
  console.log('for the other process:', await other.mutex('order:7').tryAcquire({ wait: '1s', maxHold: '10s' }))
  console.log('without waiting:', (await other.mutex('order:7').tryRun(work)).ran)
  const [line] = await locks.inspect('order:7')
  console.log('holders, waiters:', line.holders.length, line.waiters.length)
  const late = await other
    .mutex('order:7')
    .acquire({ wait: '500ms' })
    .catch((error) => error)
  console.log('too late:', isHoldfastError(late, 'WAIT_TIMEOUT'), late.holder.pid === process.pid)
  console.log('released:', await lease.release())
}

// Within each other, and fair.
const nested = locks.mutex('order:7', { reentrant: true })
await nested.run(() => nested.run(work))
await locks.mutex('order:7', { fair: true }).run(work)

// Several at once.
await locks.all([locks.mutex('a'), locks.mutex('b')]).run((both) => both.leases.map(work))

// Left behind for somebody else.
{
  const { id } = await locks.mutex('import').acquire({ detached: true, maxHold: '30m' })
  console.log('handed on:', await other.mutex('import').release(id))
}

// Readers and writers.
{
  const book = locks.rwlock('book')
  await book.read().run(work)
  const writer = await book.write().acquire()
  const reader = await writer.downgrade()
  console.log('downgraded:', reader.mode)
  console.log('ended by force:', await other.forceRelease('book'), 'released:', await reader.release())
}

// Permits.
{
  const pool = locks.semaphore('pool', { capacity: 5 })
  const two = await pool.acquire({ permits: 2 })
  const short = await pool.acquire({ maxHold: '10s' })
  const first = await pool.acquire({ slot: true })
  console.log('a slot:', first.slot.number < 5, first.slot.fence > 0n)
  await Promise.all([two, short, first].map((permit) => permit.release()))
}

// Who leads.
{
  const stop = new AbortController()
  const election = locks.election('scheduler')
  await election.lead(
    async (term) => {
      console.log('leads:', term.isHeld(), (await election.leader()).value)
      stop.abort()
    },
    { signal: stop.signal, value: 'node-1' },
  )
  const term = await election.acquire({ value: 'node-1' })
  console.log('leads again:', term.isHeld())
  await term.release()
}

// Waiting for each other.
{
  const parts = locks.latch('import', 2)
  await Promise.all([parts.wait({ wait: '1m' }), parts.countDown('north'), parts.countDown('south')])
  const gate = locks.latch('gate', 1)
  await Promise.all([gate.wait(), gate.countDown('open')])
  const meeting = locks.barrier('meeting', 2)
  const attend = () => meeting.run(() => 'talked', { wait: '1m' })
  console.log('both:', await Promise.all([attend(), attend()]))
}

// A small shared value.
{
  const limit = locks.cell('limit')
  await limit.set('5')
  const { value, version } = await limit.get()
  console.log('set:', (await limit.set(`${value}0`, { ifVersion: version })) !== null)
  console.log('set from an old version:', await limit.set('6', { ifVersion: version }))
}

console.log('link:', locks.status().link, 'timeouts seen:', outcomes.get('timeout'))
await Promise.all([locks.close({ drain: '10s' }), other.close()])
client.disconnect()

// prints
// receipt for 7
// held: true true true
// for the other process: null
// without waiting: false
// holders, waiters: 1 0
// too late: true true
// released: true
// handed on: true
// downgraded: read
// ended by force: 1 released: false
// a slot: true true
// leads: true node-1
// leads again: true
// both: [ 'talked', 'talked' ]
// set: true
// set from an old version: null
// link: up timeouts seen: 2
