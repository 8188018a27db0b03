/**
 * The kinds of locks as contests of three parties: one is inside, one is next, one is third. What each of them takes is
 * chosen so that nobody is served before the one ahead has left or died.
 */
import { expect } from 'vitest'
import type { Answer, Party } from './party.ts'
import { untilWaiting } from './stage.ts'

export interface Granted {
  readonly id: string
  readonly fence: string | null
  readonly slot: { readonly number: number; readonly fence: string } | null
}

interface Take {
  readonly thing: { readonly kind: string; readonly [detail: string]: unknown }
  readonly options?: object
  readonly what?: string
  readonly depth?: number
}

export interface Contest {
  readonly title: string
  /** The name at which the waiters are seen. */
  readonly seenAt: string
  readonly inside: Take
  readonly next: Take
  readonly third: Take
  readonly check?: (third: Granted, inside: Granted) => void
}

const name = 'place'

function same(title: string, take: Take, more: Partial<Contest> = {}): Contest {
  return { title, seenAt: name, inside: take, next: take, third: take, ...more }
}

function rising(third: Granted, inside: Granted): void {
  expect(BigInt(third.fence ?? 0)).toBeGreaterThan(BigInt(inside.fence ?? 0))
}

const read: Take = { thing: { kind: 'read', name } }
const write: Take = { thing: { kind: 'write', name } }
const permits: Take = { thing: { kind: 'semaphore', name, capacity: 3 }, options: { permits: 2 } }
const slot: Take = { thing: { kind: 'semaphore', name, capacity: 1 }, options: { slot: true } }
const deep: Take = { what: 'takeDeep', thing: { kind: 'reentrant', name }, depth: 2 }

export const contests: readonly Contest[] = [
  same('a mutex', { thing: { kind: 'mutex', name } }, { check: rising }),
  same('a mutex that was entered three times', deep, { check: rising }),
  same('a fair mutex', { thing: { kind: 'fair', name } }, { check: rising }),
  same('readers of a read–write lock with a writer between them', read, { next: write, check: rising }),
  same('writers of a read–write lock with a reader between them', write, { next: read, check: rising }),
  same('two of three permits of a semaphore', permits),
  same('the only slot of a semaphore', slot, {
    check: (third, inside) => {
      expect(third.slot?.number).toBe(inside.slot?.number)
      expect(BigInt(third.slot?.fence ?? 0)).toBeGreaterThan(BigInt(inside.slot?.fence ?? 0))
    },
  }),
  same('several locks at once', { thing: { kind: 'all', names: [name, `${name} beside`] } }),
  same('a stripe', { thing: { kind: 'striped', name, stripes: 8, key: 'order 7' } }, { check: rising }),
  same('candidates of an election', { thing: { kind: 'election', name } }, { check: rising }),
]

export function enter(party: Party, { what = 'take', options = {}, ...take }: Take): Promise<Answer<Granted>> {
  return party.order<Granted>(what, { as: 'it', ...take, options: { wait: '20s', ...options } })
}

export interface Lined {
  readonly inside: Granted
  readonly next: Promise<Answer<Granted>>
  readonly third: Promise<Answer<Granted>>
}

/** One after another: the first is inside, the others stand behind it. */
export async function lineUp(contest: Contest, inside: Party, next: Party, third: Party): Promise<Lined> {
  const { value } = await enter(inside, contest.inside)
  const nextServed = enter(next, contest.next)
  await untilWaiting(third, next, contest.seenAt)
  const thirdServed = enter(third, contest.third)
  await untilWaiting(inside, third, contest.seenAt)
  return { inside: value, next: nextServed, third: thirdServed }
}
