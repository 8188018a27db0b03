/** Two accounts at once: both locks or none, taken in one order whoever asks, so that nobody waits in a circle. */
import './setting/temporary-folder.mjs'
import { holdfast } from 'holdfast'

const locks = holdfast('sqlite:./locks.db', { namespace: 'shop' })
const balance = { ann: 100, bob: 100 }

// snippet: all
async function transfer(from, to, amount) {
  const both = locks.all([locks.mutex(`account:${from}`), locks.mutex(`account:${to}`)])
  return both.run(
    async ({ leases: [source, target] }) => {
      await withdraw(from, amount, source.fence) // each lease has its own fence
      await deposit(to, amount, target.fence)
    },
    { wait: '5s' },
  )
}
// end
const withdraw = async (name, amount, _fence) => {
  const before = balance[name]
  await null
  balance[name] = before - amount
}
const deposit = (name, amount, fence) => withdraw(name, -amount, fence)

await Promise.all([transfer('ann', 'bob', 30), transfer('bob', 'ann', 10), transfer('ann', 'bob', 5)])
console.log(balance)
await locks.close()

// prints
// { ann: 75, bob: 125 }
