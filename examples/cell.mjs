/** A small shared value: compare-and-set by version, a life of its own, and watching it change. */
import './setting/temporary-folder.mjs'
import { holdfast } from 'holdfast'

const locks = holdfast('sqlite:./locks.db', { namespace: 'shop' })

// snippet: cell
const rate = locks.cell('exchange-rate')

await rate.set('1.08', { ifVersion: null }) // only if there is none
const seen = await rate.get()
const written = await rate.set('1.09', { ifVersion: seen.version }) // null: somebody was faster
// end
console.log(seen.value, written > seen.version)
console.log('too late:', await rate.set('1.10', { ifVersion: seen.version }))

const stop = new AbortController()
async function follow() {
  // snippet: watch
  for await (const value of rate.watch({ signal: stop.signal })) {
    console.log('the rate is', value)
    // end
    if (value === '1.09') rate.set('1.11', { ttl: '1h' })
    else stop.abort()
    // snippet: watch
  }
  // end
}
await follow().catch((error) => {
  if (error !== stop.signal.reason) throw error
})
await locks.close()

// prints
// 1.08 true
// too late: null
// the rate is 1.09
// the rate is 1.11
