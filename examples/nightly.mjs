/** A job that every instance starts and one does: the others go on at once and can say who does it. */
import './setting/temporary-folder.mjs'
import { setTimeout as pause } from 'node:timers/promises'
import { holdfast } from 'holdfast'

// Three instances, which would be three processes.
const instances = [1, 2, 3].map((number) => ({
  number,
  locks: holdfast('sqlite:./locks.db', { namespace: 'shop' }),
}))
const [first, ...others] = instances
const buildReport = async () => {
  await Promise.all(others.map(nightly))
  return pause(100, 'the report')
}

async function nightly({ number, locks }) {
  // snippet: nightly
  const nightly = await locks.mutex('nightly-report').tryRun(buildReport, { maxHold: '2h', label: 'nightly' })
  if (nightly.ran) {
    console.log(`instance ${number} built ${nightly.value}`)
  } else {
    console.log(`left to ${nightly.holder?.label ?? 'somebody'} of ${nightly.holder?.host ?? 'somewhere'}`)
  }
  // end
}

await nightly(first)
await Promise.all(instances.map(({ locks }) => locks.close()))

// prints
// left to nightly of HOST
// left to nightly of HOST
// instance 1 built the report
