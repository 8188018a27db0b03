/** Records what tasks see of a lock, and has it checked. The second lock is none at all. */
import './setting/temporary-folder.mjs'
import { setTimeout as sleep } from 'node:timers/promises'
import { holdfast } from 'holdfast'
import { check, pictureOf, readHistory } from 'holdfast/verify'

// snippet: record
/** Three tasks take the lock, keep it for a moment and give it back; each says what it does before, and what it got after. */
async function historyOf(take) {
  const lines = []
  const note = (event) => lines.push(JSON.stringify({ ...event, ns: String(process.hrtime.bigint()) }))
  const visit = async (task) => {
    const call = { type: 'invoke', process: task, kind: 'mutex', name: 'door' }
    note({ ...call, op: `${task}1`, action: 'acquire' })
    const lease = await take()
    note({ type: 'ok', process: task, op: `${task}1`, fence: String(lease.fence) })
    await sleep(5)
    note({ ...call, op: `${task}2`, action: 'release', of: `${task}1` })
    await lease.release()
    note({ type: 'ok', process: task, op: `${task}2` })
  }
  await Promise.all(['a', 'b', 'c'].map(visit))
  return lines.join('\n')
}
// end

// snippet: check
const locks = holdfast('sqlite:./locks.db', { namespace: 'checked' })
const kept = check(readHistory(await historyOf(() => locks.mutex('door').acquire())))
console.log(`${kept.claims} claims, ${kept.violations.length} violations`)

const none = { fence: 1n, release: async () => {} }
const broken = check(readHistory(await historyOf(async () => none)))
for (const { rule, operations } of broken.violations.slice(0, 1)) console.log(rule, operations.length)
// end

if (pictureOf(broken.violations[0].operations).split('\n').length > 2) console.log('it can be drawn')
await locks.close()

// prints
// 3 claims, 0 violations
// exclusion 2
// it can be drawn
