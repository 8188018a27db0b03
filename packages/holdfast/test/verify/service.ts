/**
 * A service that does what it promises, and the history of random clients of it: what they asked for, when it took
 * effect and when they were told. From such a history tests make one that is wrong.
 */
import type { Ended, HistoryEvent, Invoked, Kind } from '../../src/verify/index.ts'

export interface ServiceTerms {
  readonly kind: Kind
  readonly names: number
  readonly processes: number
  readonly operations: number
  /** The share of answers that never come. */
  readonly unknown: number
  readonly seed: number
}

/** A seeded generator, so that a failure can be repeated. (Mulberry32, by Tommy Ettinger.) */
export function diceOf(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const CAPACITY = 3

interface Held {
  readonly op: string
  readonly shared: boolean
  readonly permits: number
  readonly slot: number
}

/** One name of the service: who holds it, and its last fence. */
class Line {
  holders: Held[] = []
  last = 0n

  fits(kind: Kind, shared: boolean, permits: number): boolean {
    if (kind === 'semaphore') return this.holders.reduce((sum, one) => sum + one.permits, 0) + permits <= CAPACITY
    return shared ? this.holders.every((one) => one.shared) : this.holders.length === 0
  }
}

export const invoked = (fields: Partial<Invoked> & Pick<Invoked, 'op' | 'process'>): Invoked => ({
  ...{ type: 'invoke', ns: 0n, kind: 'mutex', name: 'a', action: 'acquire', shared: false, permits: 1 },
  ...{ capacity: CAPACITY, of: null, value: null },
  ...fields,
})
export const ended = (fields: Partial<Ended> & Pick<Ended, 'op' | 'process'>): Ended => ({
  ...{ type: 'ok', ns: 0n, fence: null, slot: null, value: null },
  ...fields,
})

/** A moment of its own for each. */
export function stamped(events: readonly HistoryEvent[]): readonly HistoryEvent[] {
  return events.map((event, index) => ({ ...event, ns: BigInt(index + 1) * 1000n }))
}

/** Holds and releases of a lock; each process does one after the other. */
export function historyOf({
  kind,
  names,
  processes,
  operations,
  unknown,
  seed,
}: ServiceTerms): readonly HistoryEvent[] {
  const dice = diceOf(seed)
  const lines = Array.from({ length: names }, () => new Line())
  const events: HistoryEvent[] = []
  const due: { readonly at: number; readonly act: () => void }[] = []
  let now = 0
  const later = (act: () => void): void => void due.push({ at: now + dice(), act })
  let made = 0
  const ask = (process: string): void => {
    if (made >= operations) return
    const number = Math.floor(dice() * names)
    const line = lines[number] as Line
    const shared = kind === 'rwlock' && dice() < 0.6
    const permits = kind === 'semaphore' ? 1 + Math.floor(dice() * CAPACITY) : 1
    const op = `${process}.${made++}`
    const call = { process, kind, name: `n${number}`, shared, permits }
    const told = (fields: Partial<Ended>): void => {
      const type = dice() < unknown ? 'unknown' : (fields.type ?? 'ok')
      events.push(ended({ op, process, ...(type === 'unknown' ? {} : fields), type }))
    }
    events.push(invoked({ ...call, op }))
    later(() => {
      if (!line.fits(kind, shared, permits)) {
        return later(() => {
          told({ type: 'fail' })
          later(() => ask(process))
        })
      }
      const slot = [0, 1, 2].find((one) => line.holders.every((held) => held.slot !== one)) ?? 0
      const held = { op, shared, permits, slot }
      const fence = ++line.last
      line.holders.push(held)
      later(() => {
        told({ fence, slot: kind === 'semaphore' && permits === 1 ? slot : null })
        later(() => leave(process, line, held, invoked({ ...call, op: `${op}r`, action: 'release', of: op })))
      })
    })
  }
  const leave = (process: string, line: Line, held: Held, release: Invoked): void => {
    made++
    events.push(release)
    later(() => {
      line.holders = line.holders.filter((one) => one !== held)
      later(() => {
        events.push(ended({ op: release.op, process, type: dice() < unknown ? 'unknown' : 'ok' }))
        later(() => ask(process))
      })
    })
  }
  for (let index = 0; index < processes; index++) later(() => ask(`p${index}`))
  while (due.length > 0) {
    const next = due.reduce((first, one) => (one.at < first.at ? one : first))
    due.splice(due.indexOf(next), 1)
    now = next.at
    next.act()
  }
  return stamped(events)
}
