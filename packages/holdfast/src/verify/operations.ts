/**
 * A history as operations, from their invocation to their end, and as claims: the stretches in which a process believed
 * to hold something. A claim begins when its acquire returned and ends when its release was invoked, when its loss was
 * told, or when its process died: exactly what a lease promises. Moments are nanoseconds since the first event.
 */
import type { Action, Ended, HistoryEvent, Invoked, Kind } from './history.ts'

export interface Operation {
  readonly op: string
  readonly process: string
  readonly kind: Kind
  readonly name: string
  readonly action: Action
  readonly shared: boolean
  readonly permits: number
  readonly capacity: number
  readonly of: string | null
  readonly value: string | null
  readonly invokedNs: number
  /** `unknown`: it may take effect at any time after its invocation, or never. */
  readonly outcome: 'ok' | 'fail' | 'unknown'
  /** Infinity where the outcome is unknown. */
  readonly endedNs: number
  /** When it was known to stand in line; null: it was never said. */
  readonly queuedNs: number | null
  /** From when on the service may have ended what it acquired; null: it was never said. */
  readonly expiredNs: number | null
  readonly fence: bigint | null
  readonly slot: number | null
  readonly read: string | null
}

export interface Claim {
  readonly acquire: Operation
  readonly fromNs: number
  /** Infinity: held to the end of the history. Not a moment of the claim any more. */
  readonly untilNs: number
}

export interface Course {
  readonly operations: readonly Operation[]
  /** Of those that returned, in the order in which they did. */
  readonly claims: readonly Claim[]
}

type Draft = { -readonly [Key in keyof Operation]: Operation[Key] }

/**
 * @throws {RangeError} for a history that contradicts itself: an end without a beginning, two ends, a name for two
 *   operations, a release of what was never acquired, a clock that goes back
 */
export function courseOf(events: readonly HistoryEvent[]): Course {
  const originNs = events[0]?.ns ?? 0n
  const drafts = new Map<string, Draft>()
  const ended = new Set<string>()
  const untilNs = new Map<string, number>()
  const end = (op: string, ns: number): void => {
    untilNs.set(op, Math.min(ns, untilNs.get(op) ?? Number.POSITIVE_INFINITY))
  }
  let lastNs = 0
  for (const event of events) {
    const ns = Number(event.ns - originNs)
    if (ns < lastNs) throw new RangeError(`the clock goes back at ${event.ns} ns: sort the events first`)
    lastNs = ns
    switch (event.type) {
      case 'died':
        for (const { op, process } of drafts.values()) if (process === event.process) end(op, ns)
        break
      case 'invoke':
        if (drafts.has(event.op)) throw new RangeError(`"${event.op}" names two operations`)
        if (event.action === 'release') end(acquired(drafts, event), ns)
        drafts.set(event.op, begun(event, ns))
        break
      case 'queued':
        known(drafts, event.op).queuedNs ??= ns
        break
      case 'expired':
        known(drafts, event.op).expiredNs ??= ns
        break
      case 'lost':
        end(known(drafts, event.op).op, ns)
        break
      default:
        if (ended.has(event.op)) throw new RangeError(`"${event.op}" ends twice`)
        ended.add(event.op)
        finish(known(drafts, event.op), event, ns)
    }
  }
  const operations = [...drafts.values()]
  return { operations, claims: claimsOf(operations, untilNs) }
}

function known(drafts: ReadonlyMap<string, Draft>, op: string): Draft {
  const draft = drafts.get(op)
  if (draft === undefined) throw new RangeError(`"${op}" goes on without having begun`)
  return draft
}

function finish(draft: Draft, { type, fence, slot, value }: Ended, ns: number): void {
  draft.outcome = type
  if (type !== 'unknown') draft.endedNs = ns
  draft.fence = fence
  draft.slot = slot
  draft.read = value
}

function begun(event: Invoked, ns: number): Draft {
  const { op, process, kind, name, action, shared, permits, capacity, of, value } = event
  return {
    ...{ op, process, kind, name, action, shared, permits, capacity, of, value },
    ...{ invokedNs: ns, outcome: 'unknown', endedNs: Number.POSITIVE_INFINITY },
    ...{ queuedNs: null, expiredNs: null, fence: null, slot: null, read: null },
  }
}

function acquired(drafts: ReadonlyMap<string, Draft>, { op, of, name, kind }: Invoked): string {
  const acquire = of === null ? undefined : drafts.get(of)
  if (acquire?.action !== 'acquire' || acquire.name !== name || acquire.kind !== kind) {
    throw new RangeError(`"${op}" releases what was not acquired`)
  }
  return acquire.op
}

function claimsOf(operations: readonly Operation[], untilNs: ReadonlyMap<string, number>): readonly Claim[] {
  return operations
    .filter(({ action, outcome }) => action === 'acquire' && outcome === 'ok')
    .map((acquire) => {
      const { op, endedNs: fromNs } = acquire
      // Lost before its process was told that it had it: it was never believed in.
      return { acquire, fromNs, untilNs: Math.max(fromNs, untilNs.get(op) ?? Number.POSITIVE_INFINITY) }
    })
    .sort((a, b) => a.fromNs - b.fromNs)
}

/** By kind and name, for what has different names has nothing to do with each other. */
export function byName<T>(all: readonly T[], operationOf: (one: T) => Operation): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>()
  for (const one of all) {
    const { kind, name } = operationOf(one)
    const key = `${kind} ${name}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [one])
    else group.push(one)
  }
  return [...groups.values()]
}
