/**
 * Orders of two parties that hand locks to and fro while takes are aborted close to their grants. The holder gives back
 * on the ticks of a grid on the clock that both share, so that the other one knows when its grant is due.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { thingOf } from './objects.mjs'
import { nowMs } from './voice.mjs'

const REMEMBERED = 15

let holding = false
let holders = Promise.resolve([])

/** Takes each name over and over and gives it back on the grid, until `stopHolding` asks for the longest wait. */
export function holdOnGrid({ object, names, gridMs }) {
  holding = true
  const lane = async (name) => {
    let longestMs = 0
    while (holding) {
      const lease = await thingOf(object, { kind: 'mutex', name }).acquire({ wait: '20s' })
      longestMs = Math.max(longestMs, lease.waitedMs)
      await until(tickAfter(nowMs() + 3, gridMs))
      // The next take stands in line at once, behind whoever waits.
      void lease.release()
    }
    return longestMs
  }
  holders = Promise.all(names.map(lane))
}

export async function stopHolding() {
  holding = false
  return Math.max(...(await holders))
}

/**
 * Takes and aborts so often on each name, at random moments around the expected grant; in every second round a second
 * task stands behind, which must be served in any case. Says how the takes ended and the longest wait of a second one.
 */
export async function abortNearGrants({ object, names, gridMs, rounds, withinMs }) {
  const totals = { granted: 0, aborted: 0, longestMs: 0 }
  await Promise.all(
    names.map(async (name) => {
      const delays = [5]
      for (let round = 0; round < rounds; round++) {
        await abortOnce({ object, name, gridMs, withinMs, delays, followed: round % 2 === 0 }, totals)
      }
    }),
  )
  return totals
}

async function abortOnce({ object, name, gridMs, withinMs, delays, followed }, totals) {
  const thing = thingOf(object, { kind: 'mutex', name })
  const aborter = new AbortController()
  const taken = thing.acquire({ wait: '20s', signal: aborter.signal }).catch((error) => error)
  const follower = followed ? thing.acquire({ wait: '20s' }) : null
  // The other side needs the delay of a hand-over to notice that it is its turn.
  const dueMs = tickAfter(nowMs() + median(delays) + 3, gridMs) + median(delays)
  const abort = until(dueMs + (Math.random() * 2 - 1) * withinMs).then(() => aborter.abort(new Error('enough')))
  const lease = await taken
  if (lease instanceof Error) {
    if (lease.message !== 'enough') throw lease
    totals.aborted++
  } else {
    totals.granted++
    remember(delays, nowMs() % gridMs)
    await lease.release()
  }
  if (follower !== null) {
    const after = await follower
    totals.longestMs = Math.max(totals.longestMs, after.waitedMs)
    await after.release()
  }
  await abort
}

/** The first tick of the grid that is not before the moment. */
function tickAfter(ms, gridMs) {
  return Math.ceil(ms / gridMs) * gridMs
}

/** Sleeps until shortly before the moment and watches the clock for the rest. */
async function until(ms) {
  const restMs = ms - nowMs()
  if (restMs > 1.5) await pause(restMs - 1.5)
  while (nowMs() < ms) await new Promise((resolve) => setImmediate(resolve))
}

function remember(delays, ms) {
  delays.push(ms)
  if (delays.length > REMEMBERED) delays.shift()
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]
}
