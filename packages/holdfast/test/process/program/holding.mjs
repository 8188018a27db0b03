/** Orders about leases: taking, asking, writing under them and giving them back. */
import { makeObject, objectOf, thingOf } from './objects.mjs'
import { underGuard, writeRow } from './resource.mjs'
import { describeError, nowMs, say } from './voice.mjs'

const leases = new Map()

/** How long a slow machine may take to make or open a file. */
const READY_MS = 10_000

/** `atMs`: not before that moment, so that several parties do it at the same. */
export async function open(args) {
  while (nowMs() < (args.atMs ?? 0));
  await makeObject(args)
  const endMs = nowMs() + READY_MS
  for (let ready = args.ready !== true; !ready; ) {
    try {
      await objectOf(args.object).ready()
      ready = true
    } catch (error) {
      if (error.code !== 'BACKEND_UNAVAILABLE' || nowMs() > endMs) throw error
    }
  }
}

/** Takes a thing; the lease is known by `as` from then on, and its loss is said in the moment it is told. */
export async function take({ object, as, thing, verb = 'acquire', options = {} }) {
  const lease = await thingOf(object, thing)[verb](options)
  return lease === null ? null : keep(as, lease)
}

/** Takes a reentrant mutex and, `depth` times, itself again within; those are known as `as.1`, `as.2`, … */
export async function takeDeep({ object, as, thing, depth }) {
  const outer = await thingOf(object, thing).acquire({ wait: 'forever' })
  for (let level = 1, within = outer; level <= depth; level++) {
    within = await thingOf(object, thing).acquire({ within })
    keep(`${as}.${level}`, within)
  }
  return keep(as, outer)
}

export function keep(as, lease) {
  leases.set(as, lease)
  const tell = () => say({ event: 'lost', as, reason: lease.signal.reason.reason, atMs: nowMs() })
  lease.signal.addEventListener('abort', tell, { once: true })
  const { id, waitedMs, slot = null } = lease
  const fence = lease.fence === undefined ? null : String(lease.fence)
  return { id, fence, waitedMs, slot: slot === null ? null : { number: slot.number, fence: String(slot.fence) } }
}

export function leaseOf(as) {
  const found = leases.get(as)
  if (found === undefined) throw new TypeError(`there is no lease "${as}"`)
  return found
}

/** Everything that can be asked in one synchronous step. */
export function question({ as }) {
  const lease = leaseOf(as)
  const held = lease.isHeld()
  const validForMs = lease.validForMs()
  return { held, validForMs, aborted: lease.signal.aborted, reason: lease.signal.reason?.reason ?? null }
}

/** Gives it back, after those that were taken within it. */
export async function release({ as }) {
  const inner = [...leases.keys()].filter((name) => name.startsWith(`${as}.`)).reverse()
  for (const name of inner) await leaseOf(name).release()
  return leaseOf(as).release()
}

export async function confirm({ as }) {
  await leaseOf(as).confirm()
}

export async function releaseById({ object, thing, id }) {
  return thingOf(object, thing).release(id)
}

/** Holds what is told to for a while, again and again, in `run`: for takes that need a call chain. */
export async function section({ object, thing, options = {}, holdMs }) {
  const began = nowMs()
  const inside = await thingOf(object, thing).run(async (lease) => {
    const enteredMs = nowMs()
    await new Promise((resolve) => setTimeout(resolve, holdMs))
    return { fence: String(lease.fence), waitedMs: enteredMs - began }
  }, options)
  return inside
}

/** A write to the resource under the lease's guard, or without one. True: it was accepted. */
export async function write({ as, file, value, guarded = true }) {
  try {
    await underGuard(file, guarded ? leaseOf(as) : null, (database) => writeRow(database, value))
    return true
  } catch (error) {
    if (error.code === 'STALE_FENCE') return false
    throw error
  }
}

/** Lines with their holders and waiters by process. */
export async function lines({ object, prefix = '' }) {
  const found = []
  for await (const { name, kind, holders, waiters } of objectOf(object).list({ prefix })) {
    found.push({ name, kind, holders: holders.map(({ pid }) => pid), waiters: waiters.map(({ pid }) => pid) })
  }
  return found
}

export async function forceRelease({ object, name }) {
  return objectOf(object).forceRelease(name)
}

/** One lease after another until one is not to be had; says how many were granted and why there are no more. */
export async function takeUntilFailure({ object, prefix, most, options = {} }) {
  for (let granted = 0; granted < most; granted++) {
    const beganMs = nowMs()
    try {
      await thingOf(object, { kind: 'mutex', name: `${prefix}:${granted}` }).acquire(options)
    } catch (error) {
      return { granted, error: describeError(error), tookMs: nowMs() - beganMs }
    }
  }
  throw new Error(`all ${most} were granted`)
}

/** Many leases, some of them at a time, none of them known by name; says how many were granted. */
export async function takeMany({ object, prefix, count, atOnce = count, options = {} }) {
  let granted = 0
  for (let from = 0; from < count; from += atOnce) {
    const numbers = Array.from({ length: Math.min(atOnce, count - from) }, (_, index) => from + index)
    const take = (number) => thingOf(object, { kind: 'mutex', name: `${prefix}:${number}` }).acquire(options)
    granted += (await Promise.all(numbers.map(take))).length
  }
  return granted
}
