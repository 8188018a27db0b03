/** One leader and a standby that takes over, and somebody who watches who leads. */
import './setting/temporary-folder.mjs'
import { EventEmitter, once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { holdfast } from 'holdfast'

const open = () => holdfast('sqlite:./locks.db', { namespace: 'shop' })
const said = new EventEmitter()
const say = (text) => {
  console.log(text)
  said.emit(text)
}

async function candidate(name, locks, stop) {
  // snippet: lead
  const election = locks.election('scheduler')
  await election.lead(
    async (term) => {
      say(`${name} leads`)
      const over = AbortSignal.any([term.signal, stop]) // the term was lost, or this process is to end
      while (!over.aborted) await schedule(term.fence, over)
    },
    { signal: stop, value: name },
  )
  // end
}
const schedule = (_fence, signal) => pause(20, undefined, { signal }).catch(() => {})

async function watch(locks, stop) {
  // snippet: observe
  for await (const leader of locks.election('scheduler').observe({ signal: stop })) {
    say(`the leader is ${leader === null ? 'nobody' : leader.value}`)
  }
  // end
}

// Three processes: two candidates and somebody who watches.
const [one, two, watcher] = [open(), open(), open()]
const [stopOne, stopTwo, stopWatching] = [1, 2, 3].map(() => new AbortController())

const first = candidate('one', one, stopOne.signal)
await once(said, 'one leads')
const standby = candidate('two', two, stopTwo.signal)
const watching = watch(watcher, stopWatching.signal).catch((error) => {
  if (error !== stopWatching.signal.reason) throw error
})
await once(said, 'the leader is one')
stopOne.abort()
await Promise.all([first, once(said, 'the leader is two')])
stopTwo.abort()
await Promise.all([standby, once(said, 'the leader is nobody')])
stopWatching.abort()
await watching
await Promise.all([one, two, watcher].map((locks) => locks.close()))

// prints
// one leads
// the leader is one
// two leads
// the leader is two
// the leader is nobody
