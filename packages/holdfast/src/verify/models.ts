/** What each thing allows, one state and its steps at a time. A barrier is no sequence of steps: it has a check of its own. */
import type { Kind } from './history.ts'
import type { Model, Step } from './linearize.ts'
import type { Operation } from './operations.ts'

/** One holder; -1: no fence was given out yet. */
interface Exclusive {
  readonly owner: string | null
  readonly fence: bigint
}

/** A mutex or an election that knows its owner. A fence, where there is one, is above all before. */
const exclusive: Model<Exclusive> = {
  start: { owner: null, fence: -1n },
  next({ owner, fence }, { operation, action }) {
    if (action === 'acquire') {
      if (owner !== null || isLow(operation, fence)) return null
      return { owner: operation.op, fence: operation.fence ?? fence }
    }
    return owner === holdOf(operation, action) ? { owner: null, fence } : null
  },
  keyOf: ({ owner, fence }) => `${owner ?? ''} ${fence}`,
}

interface Shared {
  readonly writer: string | null
  /** In the order of their names. */
  readonly readers: readonly string[]
  readonly writerFence: bigint
  readonly fence: bigint
}

const readWrite: Model<Shared> = {
  start: { writer: null, readers: [], writerFence: -1n, fence: -1n },
  next(state, { operation, action }) {
    const { writer, readers, writerFence, fence } = state
    if (action === 'acquire') {
      if (writer !== null) return null
      if (operation.shared) {
        if (isLow(operation, writerFence)) return null
        return { ...state, readers: [...readers, operation.op].sort(), fence: highest(fence, operation) }
      }
      if (readers.length > 0 || isLow(operation, fence)) return null
      const risen = highest(fence, operation)
      return { ...state, writer: operation.op, fence: risen, writerFence: operation.fence ?? writerFence }
    }
    const hold = holdOf(operation, action)
    if (writer === hold) return { ...state, writer: null }
    return readers.includes(hold) ? { ...state, readers: readers.filter((reader) => reader !== hold) } : null
  },
  keyOf: ({ writer, readers, writerFence, fence }) => `${writer ?? ''} ${readers.join()} ${writerFence} ${fence}`,
}

interface Held {
  readonly op: string
  readonly permits: number
  readonly capacity: number
}

const permits: Model<readonly Held[]> = {
  start: [],
  next(state, { operation, action }) {
    if (action === 'acquire') {
      const { op, permits: asked, capacity } = operation
      const held = [...state, { op, permits: asked, capacity }].sort((a, b) => (a.op < b.op ? -1 : 1))
      const sum = held.reduce((all, one) => all + one.permits, 0)
      return sum <= Math.min(...held.map((one) => one.capacity)) ? held : null
    }
    const hold = holdOf(operation, action)
    return state.some(({ op }) => op === hold) ? state.filter(({ op }) => op !== hold) : null
  },
  keyOf: (state) => state.map(({ op }) => op).join(),
}

/** Who has arrived. It opens for good. */
const latch: Model<readonly string[]> = {
  start: [],
  next(state, { operation: { action, value, op, capacity } }) {
    if (action === 'await') return state.length >= capacity ? state : null
    const id = value ?? op
    return state.includes(id) ? state : [...state, id].sort()
  },
  keyOf: (state) => state.join(),
}

const register: Model<{ readonly value: string | null }> = {
  start: { value: null },
  next(state, { operation: { action, value, read } }) {
    if (action === 'write') return { value }
    return read === state.value ? state : null
  },
  keyOf: ({ value }) => (value === null ? '' : `=${value}`),
}

/** Null: it has none. */
export function modelOf(kind: Kind): Model<unknown> | null {
  const models: Readonly<Record<Kind, Model<never> | null>> = {
    mutex: exclusive as Model<never>,
    election: exclusive as Model<never>,
    rwlock: readWrite as Model<never>,
    semaphore: permits as Model<never>,
    latch: latch as Model<never>,
    register: register as Model<never>,
    barrier: null,
  }
  return models[kind] as Model<unknown> | null
}

function isLow({ fence }: Operation, before: bigint): boolean {
  return fence !== null && fence <= before
}
function highest(before: bigint, { fence }: Operation): bigint {
  return fence !== null && fence > before ? fence : before
}

/** The acquire that ends with this step. */
function holdOf({ op, of }: Operation, action: Step['action']): string {
  return action === 'expire' ? op : (of ?? '')
}
