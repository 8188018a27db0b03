/** Orders about the life of a process: what keeps it alive, which threads and listeners it has, and its end. */
import { forgetObject, makeObject, objectOf, thingOf } from './objects.mjs'
import { nowMs, say } from './voice.mjs'

const workers = new Map()

export function status({ object }) {
  return objectOf(object).status()
}

export async function close({ object, drain }) {
  await objectOf(object).close(drain === undefined ? {} : { drain })
  forgetObject(object)
}

/** From now on the test's own channel keeps nobody alive. */
export function hangUp() {
  process.channel.unref()
}

/** Closes and hangs up in one step: what is alive after that is the library's. */
export async function closeAndEnd({ object }) {
  await objectOf(object).close()
  process.channel.unref()
  say({ event: 'closed', atMs: nowMs() })
}

/** From now on threads that are started are known, and their ends said. */
export function watchWorkers() {
  process.on('worker', (worker) => {
    const { threadId } = worker
    workers.set(threadId, worker)
    worker.once('exit', () => {
      workers.delete(threadId)
      say({ event: 'worker-over', threadId, atMs: nowMs() })
    })
  })
}

export function workerCount() {
  return workers.size
}

export async function endWorkers() {
  await Promise.all([...workers.values()].map((worker) => worker.terminate()))
}

const STARTING_MS = 50

/** Opens, takes, beats and closes again, and says what Node knows to be active before and after. */
export async function cycles({ file, count, options, restMs }) {
  // A thread of any kind makes Node open these; they are there from then on.
  void [process.stdout, process.stderr]
  const before = standing()
  for (let cycle = 0; cycle < count; cycle++) {
    await makeObject({ object: 'cycle', file, options })
    const lease = await thingOf('cycle', { kind: 'mutex', name: 'cycle' }).acquire()
    // So that the worker is met at every point of its start, and at work in some of the cycles.
    await new Promise((resolve) => setTimeout(resolve, cycle % 10 === 0 ? restMs : Math.random() * STARTING_MS))
    await lease.release()
    await objectOf('cycle').close()
  }
  await new Promise((resolve) => setTimeout(resolve, restMs))
  return { before, after: standing() }
}

function standing() {
  const listeners = process.eventNames().map((name) => `${String(name)}: ${process.listenerCount(name)}`)
  return { resources: process.getActiveResourcesInfo().sort(), listeners: listeners.sort() }
}

/** Gives up its rights for good. */
export function become({ uid, gid }) {
  process.setgroups([])
  process.setgid(gid)
  process.setuid(uid)
}
