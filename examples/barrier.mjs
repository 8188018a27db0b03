/** Parties that wait for each other: before each round, or around a whole section. */
import './setting/temporary-folder.mjs'
import { setTimeout as pause } from 'node:timers/promises'
import { holdfast } from 'holdfast'

const locks = holdfast('sqlite:./locks.db', { namespace: 'shop' })
const log = []

// snippet: barrier
const rounds = locks.barrier('rounds', 3)

async function player(name) {
  for (const round of [1, 2]) {
    await prepare(name, round)
    await rounds.pass({ wait: '1m' }) // nobody starts before all are ready
    play(round)
  }
}
// end

// snippet: double
const meeting = locks.barrier('meeting', 3)
const attend = (name) => meeting.run(() => talk(name), { wait: '1m' }) // all enter together, all leave together
// end

const prepare = (name, round) => pause(name.length * 10 * round)
const play = (round) => log.push(round)
await Promise.all(['a', 'bbb', 'ccccc'].map(player))
console.log(`rounds as played: ${log.join(' ')}`)

let talking = 0
const talk = async (name) => {
  talking++
  await pause(name.length * 10)
}
const left = await Promise.all(['a', 'bbb', 'ccccc'].map((name) => attend(name).then(() => talking)))
console.log(`talked before the first left: ${left.join(' ')}`)
await locks.close()

// prints
// rounds as played: 1 1 1 2 2 2
// talked before the first left: 3 3 3
