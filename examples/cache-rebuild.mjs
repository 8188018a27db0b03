/** A cache that many read and one rebuilds: readers share, the writer is alone, and goes on as a reader. */
import './setting/temporary-folder.mjs'
import { setTimeout as pause } from 'node:timers/promises'
import { holdfast } from 'holdfast'

const locks = holdfast('sqlite:./locks.db', { namespace: 'shop' })
let cache = { version: 1 }
const compute = () => pause(50, { version: cache.version + 1 })
const announce = (version) => console.log(`version ${version} is out`)

// snippet: rwlock
const prices = locks.rwlock('price-list')

async function readPrices() {
  return prices.read().run(() => cache)
}

async function rebuildPrices() {
  const writer = await prices.write().acquire({ wait: '10s' })
  let lease = writer
  try {
    cache = await compute()
    lease = await writer.downgrade() // others may read now; no writer comes in between
    announce(cache.version)
  } finally {
    await lease.release()
  }
}
// end

const rebuilding = rebuildPrices()
const seen = await Promise.all([readPrices(), readPrices(), readPrices()])
await rebuilding
console.log(`readers saw ${seen.map(({ version }) => version)}`)
await locks.close()

// prints
// version 2 is out
// readers saw 2,2,2
