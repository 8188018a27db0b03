/** Waiting until a number of parts is done, by whatever processes; a part that reports twice counts once. */
import './setting/temporary-folder.mjs'
import { holdfast } from 'holdfast'

const locks = holdfast('sqlite:./locks.db', { namespace: 'shop' })

// snippet: latch
const imported = locks.latch('import:2026-11-30', 3)

async function importPart(part) {
  await load(part)
  console.log(`${await imported.countDown(part)} parts remain`)
}
async function publishWhenDone() {
  await imported.wait({ wait: '10m' })
  console.log('all parts are in')
}
// end
const load = async (part) => console.log(`loading ${part}`)

const publishing = publishWhenDone()
await importPart('north')
await importPart('south')
await importPart('south')
await importPart('east')
await publishing
await locks.close()

// prints
// loading north
// 2 parts remain
// loading south
// 1 parts remain
// loading south
// 1 parts remain
// loading east
// 0 parts remain
// all parts are in
