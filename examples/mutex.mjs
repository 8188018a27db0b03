/** The mutex in its other forms: a lease to keep, nested takes, first come first served, and keys by the million. */
import './setting/temporary-folder.mjs'
import { holdfast, isHoldfastError } from 'holdfast'

const locks = holdfast('sqlite:./locks.db', { namespace: 'shop' })
let balance = 0
const later = []
const edit = async (lease) => console.log(`editing ${lease.name}: ${lease.isHeld()}`)

// snippet: lease
const lease = await locks.mutex('doc:9').acquire({ wait: '5s', maxHold: '1m' })
try {
  await edit(lease)
} finally {
  await lease.release() // `await using lease = …` does this where the language has it
}
// end

// snippet: try
const free = await locks.mutex('doc:9').tryAcquire()
if (free === null) {
  console.log('somebody else edits it')
} else {
  await free.release()
}
// end

// snippet: reentrant
const account = locks.mutex('account:3', { reentrant: true })

async function deposit(amount) {
  return account.run(() => book(amount))
}
async function payIn(amounts) {
  // Each deposit is nested in this lease; among themselves they still exclude each other.
  return account.run(() => Promise.all(amounts.map(deposit)))
}
// end

const book = async (amount) => {
  const before = balance
  await null
  balance = before + amount
}
await payIn([10, 20, 30])
console.log(`balance ${balance}`)

// snippet: deadlock
const plain = locks.mutex('account:4')
await plain.run(async () => {
  try {
    await plain.run(() => book(10)) // would wait for itself
  } catch (error) {
    if (!isHoldfastError(error, 'DEADLOCK')) throw error
    locks.outside(() => later.push(plain.run(() => book(10)))) // stands in line as a stranger
  }
})
// end
await Promise.all(later)
console.log(`balance ${balance}`)

// snippet: fair
const printer = locks.mutex('printer')
const print = (page) => printer.run(() => console.log(page), { fair: true })
// end
await Promise.all([print('page 1'), print('page 2')])

// snippet: striped
const perUser = locks.striped('user', 64)
await perUser.for('ann@example.com').run(() => console.log('ann alone'))
// end

await locks.close()

// prints
// editing doc:9: true
// balance 60
// balance 70
// page 1
// page 2
// ann alone
