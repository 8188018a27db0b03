/**
 * Things that exclude, as the mutex suite sees them: mutex, writer, and a semaphore all of whose places but one are
 * taken. The suite does not know which one it is given.
 */
import type { Holdfast, Lease, Lockable, TakeOptions } from '../../src/index.ts'
import type { Feature, World } from './fact.ts'

export type AnyLease = Omit<Lease, 'fence'>

export interface Exclusive {
  readonly title: string
  readonly needs?: readonly Feature[]
  /** The thing of this name; two of one name exclude each other. */
  readonly of: (locks: Holdfast, name: string, options?: TakeOptions) => Lockable<AnyLease>
  /** Places that are taken by somebody else before a fact begins. */
  readonly taken: number
  readonly lay?: (world: World, name: string) => Promise<void>
}

/** Facts that take with a label use this one, and so do those who took places beforehand. */
export const LABEL = 'night shift'

const PLACES = 3

export const mutexKind: Exclusive = {
  title: 'mutex',
  of: (locks, name, options) => locks.mutex(name, options),
  taken: 0,
}

export const fairKind: Exclusive = {
  title: 'fair mutex',
  needs: ['order'],
  of: (locks, name, options) => locks.mutex(name, { fair: true, ...options }),
  taken: 0,
}

export const writerKind: Exclusive = {
  title: 'writer',
  of: (locks, name, options) => locks.rwlock(name, options).write(),
  taken: 0,
}

export const lastPermitKind: Exclusive = {
  title: `semaphore(${PLACES}) with ${PLACES - 1} places taken`,
  needs: ['permits'],
  of: (locks, name, options) => locks.semaphore(name, { capacity: PLACES, ...options }),
  taken: PLACES - 1,
  lay: async (world, name) => {
    const first = world.make().semaphore(name, { capacity: PLACES, label: LABEL })
    for (let taken = 0; taken < PLACES - 1; taken++) await world.hold(first.acquire())
  },
}

/** A thing of the kind for one fact: its name, and how to get at it from any neighbour. */
export interface Laid {
  readonly name: string
  readonly of: (locks: Holdfast, options?: TakeOptions) => Lockable<AnyLease>
}

export async function laid(kind: Exclusive, world: World, name = 'thing'): Promise<Laid> {
  await kind.lay?.(world, name)
  return { name, of: (locks, options) => kind.of(locks, name, options) }
}
