/** Orders about what several parties do together: latch, barrier, double barrier and election. */
import { keep } from './holding.mjs'
import { objectOf } from './objects.mjs'
import { nowMs, say } from './voice.mjs'

/** Ends what `meet` and `lead` are inside of, by name. */
const doors = new Map()

export async function latchWait({ object, name, count, options }) {
  await objectOf(object).latch(name, count).wait(options)
}

export async function latchCount({ object, name, count, id }) {
  return objectOf(object).latch(name, count).countDown(id)
}

export async function pass({ object, name, parties, options }) {
  await objectOf(object).barrier(name, parties).pass(options)
}

/** The double barrier; says when it is inside and stays there until `leave`. */
export async function meet({ object, name, parties, options }) {
  await objectOf(object)
    .barrier(name, parties)
    .run(() => inside(name), options)
}

function inside(name) {
  say({ event: 'inside', name, atMs: nowMs() })
  return new Promise((resolve) => doors.set(name, resolve))
}

export function leave({ name }) {
  doors.get(name)?.()
}

/** Campaigns until `resign`; each term is said, and its lease is known by `as`. */
export async function lead({ object, as, name, value }) {
  const candidacy = new AbortController()
  doors.set(name, () => candidacy.abort())
  const term = async (lease) => {
    say({ event: 'term', ...keep(as, lease), atMs: nowMs() })
    await new Promise((resolve) => {
      lease.signal.addEventListener('abort', resolve, { once: true })
      candidacy.signal.addEventListener('abort', resolve, { once: true })
    })
  }
  await objectOf(object).election(name).lead(term, { value, signal: candidacy.signal })
}

export async function leader({ object, name }) {
  const found = await objectOf(object).election(name).leader()
  return found === null ? null : { ...found, fence: String(found.fence) }
}
