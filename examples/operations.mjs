/** What an operator sees and can do: events, who holds what, and ending a holder by force. */
import './setting/temporary-folder.mjs'
// snippet: events
import { subscribe } from 'node:diagnostics_channel'
import { setTimeout as pause } from 'node:timers/promises'
import { holdfast } from 'holdfast'

subscribe('holdfast:take', ({ kind, label, outcome, waitedMs }) => count('take', { kind, label, outcome }, waitedMs))
subscribe('holdfast:lost', ({ label, reason, heldMs }) => count('lost', { label, reason }, heldMs))
// end

const count = (what, labels) => console.log(what, Object.values(labels).join(' '))
const locks = holdfast('sqlite:./locks.db', { namespace: 'shop', ttl: '1s' })
const operator = holdfast('sqlite:./locks.db', { namespace: 'shop' })
const lease = await locks.mutex('report').acquire({ label: 'weekly' })

// snippet: inspect
for await (const line of operator.list({ prefix: '' })) {
  const [holder] = line.holders
  console.log(`${line.kind} ${line.name}: held by ${holder?.label}, ${line.waiters.length} waiting`)
}
const ended = await operator.forceRelease('report')
// end

// The holder works on until it is told, within a beat.
await pause(2_000, undefined, { signal: lease.signal }).catch(() => {})
console.log(`ended: ${ended}, told: ${lease.signal.reason.reason}`)
const { link, held, waiting } = locks.status()
console.log({ link, held, waiting })
await Promise.all([locks.close(), operator.close()])

// prints
// take lock weekly granted
// lock report: held by weekly, 0 waiting
// lost weekly revoked
// ended: 1, told: revoked
// { link: 'up', held: 0, waiting: 0 }
