/** Orders that load a store: a shared counter, and takes of every kind at random until told to stop. */
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { thingOf } from './objects.mjs'
import { readRow, underGuard, writeRow } from './resource.mjs'
import { nowMs } from './voice.mjs'

/**
 * Adds to the number in a file for so long, in steps of reading, a turn of the event loop, and writing; in several tasks
 * at once, under a lock or under none. Says how often.
 */
export async function count({ object, file, thing, ms, tasks }) {
  const endMs = nowMs() + ms
  let added = 0
  const add = async () => {
    const seen = Number(readFileSync(file, 'utf8'))
    await turn()
    writeFileSync(file, String(seen + 1))
    added++
  }
  const work = async () => {
    while (nowMs() < endMs) await (thing === null ? add() : thingOf(object, thing).run(add, { wait: '20s' }))
  }
  await Promise.all(Array.from({ length: tasks }, work))
  return added
}

let between = false

/** Whether it has read the row and will write it in a moment. */
export function isBetween() {
  return between
}

/**
 * Adds to the row of a resource for so long under a lock, in two transactions with a pause between reading and writing,
 * under the lease's guard or without one. Says how many writes were accepted and how many were refused as late.
 */
export async function countRow({ object, file, thing, ms, pauseMs, guarded }) {
  const endMs = nowMs() + ms
  const told = { added: 0, late: 0 }
  const add = async (lease) => {
    const seen = await underGuard(file, guarded ? lease : null, readRow)
    between = true
    await pause(pauseMs)
    between = false
    await underGuard(file, guarded ? lease : null, (database) => writeRow(database, String(Number(seen) + 1)))
    told.added++
  }
  while (nowMs() < endMs) {
    await thingOf(object, thing)
      .run(add, { wait: '20s' })
      .catch((error) => {
        if (error.code === 'STALE_FENCE') told.late++
        // Lost, but what it did while it had the lock, or was let through by the guard, was counted.
        else if (error.code !== 'LEASE_LOST') throw error
        else if (error.settled?.reason?.code === 'STALE_FENCE') told.late++
      })
  }
  return told
}

/** Takes the thing so often, one task after another in the order of their numbers; says when each came and was served. */
export async function stand({ object, thing, tasks, rounds, holdMs, gapMs }) {
  const turns = []
  const one = async (number) => {
    const calledMs = nowMs()
    const lease = await thingOf(object, thing).acquire({ wait: '30s' })
    turns.push({ number, calledMs, grantedMs: nowMs(), fence: String(lease.fence) })
    await pause(holdMs)
    await lease.release()
  }
  for (let round = 0; round < rounds; round++) {
    await Promise.all(
      Array.from({ length: tasks }, async (_, index) => {
        if (gapMs > 0) await pause(Math.random() * gapMs)
        await one(round * tasks + index)
      }),
    )
  }
  return turns
}

let churning = false
let churn = Promise.resolve(null)

/** Takes, holds and gives back at random until `rest`; a take that is not granted in time is only counted. */
export function work({ object, things, tasks, holdMs, wait }) {
  churning = true
  const counts = { granted: 0, lost: 0, failed: {} }
  const one = async () => {
    const thing = things[Math.floor(Math.random() * things.length)]
    try {
      const lease = await thingOf(object, thing).acquire({ wait })
      counts.granted++
      await pause(Math.random() * holdMs)
      if (!(await lease.release())) counts.lost++
    } catch (error) {
      const code = error.code ?? error.message
      counts.failed[code] = (counts.failed[code] ?? 0) + 1
    }
  }
  const task = async () => {
    while (churning) await one()
  }
  churn = Promise.all(Array.from({ length: tasks }, task)).then(() => counts)
}

export function rest() {
  churning = false
  return churn
}
