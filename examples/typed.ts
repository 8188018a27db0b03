/** What the types say: a lease, a tuple of leases, a slot, the transaction of a guard, the payload of an event. */
import './setting/temporary-folder.mjs'

// snippet: events
import { subscribe } from 'node:diagnostics_channel'
import type { EventByChannel } from 'holdfast'

subscribe('holdfast:lost', (message) => {
  const { label, reason, heldMs } = message as EventByChannel['holdfast:lost']
  count('lost', { label, reason }, heldMs)
})

// end

// snippet: types
import { type Duration, holdfast, isHoldfastError, type Lease } from 'holdfast'

const locks = holdfast('sqlite:./locks.db', { namespace: 'shop' })
const patience: Duration = '5s' // neither 5 nor '5' compiles

async function sell(sku: string): Promise<'sold' | 'busy'> {
  try {
    return await locks.mutex(`stock:${sku}`).run((lease) => take(sku, 1, lease), { wait: patience })
  } catch (error) {
    if (isHoldfastError(error, 'WAIT_TIMEOUT')) return 'busy' // error.holder says who has it
    throw error
  }
}

async function move(from: string, to: string): Promise<void> {
  const both = locks.all([locks.mutex(`stock:${from}`), locks.mutex(`stock:${to}`)])
  await both.run(async ({ leases: [source, target] }) => {
    await take(from, 1, source)
    await take(to, -1, target)
  })
}

async function take(sku: string, pieces: number, lease: Lease): Promise<'sold'> {
  await write(sku, pieces, lease.fence) // a bigint, which the shelf compares with the last it has seen
  return 'sold'
}

// end

// snippet: guard
import type { DatabaseSync } from 'node:sqlite'
import { sqlGuard } from 'holdfast/guard'

const guard = sqlGuard<DatabaseSync>({
  dialect: 'sqlite',
  table: 'guards',
  key: 'doc:9',
  run: async (tx, sql, params) => Number(tx.prepare(sql).run(...params).changes),
})
// end

async function write(sku: string, pieces: number, fence: bigint): Promise<void> {
  console.log(`${pieces} of ${sku}, fenced by a ${typeof fence}`)
}
function count(what: string, labels: Readonly<Record<string, string | null>>, _ms: number): void {
  console.log(what, labels.reason)
}

console.log(await sell('pen'))
await move('pen', 'cup')
// A take with `slot: true` has a slot for sure.
await locks.semaphore('tills', { capacity: 2 }).run(({ slot }) => console.log(`till ${slot.number}`), { slot: true })
console.log(typeof guard.enter)
const brief = await locks.mutex('brief').acquire({ maxHold: '5ms' })
await new Promise((resolve) => setTimeout(resolve, 100))
console.log(`held: ${brief.isHeld()}`)
await locks.close()

// prints
// 1 of pen, fenced by a bigint
// sold
// 1 of pen, fenced by a bigint
// -1 of cup, fenced by a bigint
// till 0
// function
// lost max-hold
// held: false
