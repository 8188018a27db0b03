/**
 * Mistakes that a library of locks could have, planted from outside by replacing a method, so that the sources stay as
 * they are. Each says what it breaks; a check that finds none of them checks nothing.
 */
import { Book } from '../../../holdfast/src/backends/memory/book.ts'
import { CellStore } from '../../../holdfast/src/backends/memory/cell-store.ts'
import { isLive, type Line } from '../../../holdfast/src/backends/memory/line.ts'
import { Store } from '../../../holdfast/src/backends/memory/store.ts'
import { Grant } from '../../../holdfast/src/front/grant.ts'
import { TaskQueue } from '../../../holdfast/src/front/task.ts'
import { Asker } from '../../../holdfast/src/keeper/asker.ts'
import { Claim } from '../../../holdfast/src/keeper/claim.ts'
import { Keeper } from '../../../holdfast/src/keeper/keeper.ts'
import { Link } from '../../../holdfast/src/keeper/link.ts'
import { Session } from '../../../holdfast/src/keeper/session.ts'
import { Sessions } from '../../../holdfast/src/keeper/sessions.ts'
import { BootWatch, startNow } from '../../../holdfast/src/keeper/tenure.ts'
import { Vigil } from '../../../holdfast/src/keeper/vigil.ts'
import type { World } from '../../src/simulation/world.ts'

export interface Mutant {
  /** What is wrong, as one would say it of the product. */
  readonly name: string
  /** In how many seeds it must be found. */
  readonly seeds: number
  /** Where it is looked for: in histories, in calm ones, or in takes that are aborted at each of their points. */
  readonly where: 'histories' | 'calm' | 'aborts'
  /** Replaces what it must; the answer takes it back. */
  readonly plant: () => () => void
  readonly prepare?: (world: World) => void
}

/** Long enough for a beat that comes too late. */
const SWEPT_AFTER_MS = 2500

type Method = (...given: never[]) => unknown

/** Replaces one method of a class; the replacement gets the original, bound, as its first argument. */
function replace<C extends object, K extends keyof C>(
  owner: { readonly prototype: C },
  name: K,
  by: C[K] extends (...given: infer A) => infer R ? (self: C, original: (...given: A) => R, ...given: A) => R : never,
): () => void {
  const original = owner.prototype[name] as Method
  const mutated = by as unknown as (self: C, original: Method, ...given: never[]) => unknown
  owner.prototype[name] = function (this: C, ...given: never[]): unknown {
    return mutated(this, original.bind(this) as Method, ...given)
  } as C[K]
  return () => {
    owner.prototype[name] = original as C[K]
  }
}

/** Replaces a getter. */
function replaceGetter<C extends object>(
  owner: { readonly prototype: C },
  name: keyof C,
  by: (self: C) => unknown,
): () => void {
  const original = Object.getOwnPropertyDescriptor(owner.prototype, name)
  Object.defineProperty(owner.prototype, name, {
    configurable: true,
    get(this: C) {
      return by(this)
    },
  })
  return () => {
    if (original !== undefined) Object.defineProperty(owner.prototype, name, original)
  }
}

function both(...undos: readonly (() => void)[]): () => void {
  return () => {
    for (const undo of undos) undo()
  }
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a deadline counts from the answer, not from the request',
    seeds: 400,
    where: 'histories',
    plant: () => {
      const clocks = new WeakMap<object, Keeper['clock']>()
      return both(
        replace(Keeper, 'used', (self, original, session) => {
          clocks.set(self.sessions, self.clock)
          if (session.state !== 'opening') session.confirm(startNow(self.clock))
          return original(session)
        }),
        replace(Sessions, 'beaten', (self, original, session, answer, after, start) => {
          const clock = clocks.get(self)
          const confirmed = original(session, answer, after, start)
          if (confirmed && clock !== undefined) session.confirm(startNow(clock))
          return confirmed
        }),
      )
    },
  },
  {
    name: 'a waiter that gives up stays in line',
    seeds: 3,
    where: 'aborts',
    plant: () =>
      replace(Keeper, 'leave', (self, original, claim) => {
        if (claim.state === 'open') return original(claim)
        self.forget(claim)
        return Promise.resolve(true)
      }),
  },
  {
    name: 'a local hand-over has the fence of the holder before',
    seeds: 20,
    where: 'histories',
    plant: () => replaceGetter(Grant, 'fence', (grant) => BigInt(grant.hold.claim.seq) * 1024n),
  },
  {
    name: 'the store opens a claim past the dead and lets a late beat revive them',
    seeds: 600,
    where: 'histories',
    plant: () =>
      both(
        replace(Book, 'settle', (_self, original, line, moment, except) => {
          const dead = line.claims.filter((claim) => !isLive(claim, moment.nowMs))
          const claims = line.claims as unknown as Line['claims'][number][]
          claims.splice(0, claims.length, ...claims.filter((claim) => !dead.includes(claim)))
          original(line, moment, except)
          claims.unshift(...dead)
        }),
        replace(Book, 'alive', (self, _original, sessionId) => self.sessions.get(sessionId) ?? null),
        replace(Book, 'sweep', (_self, original, nowMs) => original(nowMs - SWEPT_AFTER_MS)),
      ),
  },
  {
    name: 'a waiter whose hint was lost never looks by itself',
    seeds: 50,
    where: 'histories',
    plant: () =>
      replace(Asker, 'mark', (_self, original, claim) => {
        if (claim.state !== 'closed' || claim.wait?.hinted === true) original(claim)
      }),
  },
  {
    name: 'a process hands over locally as long as it likes',
    seeds: 200,
    where: 'calm',
    plant: () =>
      replace(Keeper, 'stand', (self, original, ...given) => {
        Object.assign(self.settings, { passes: Number.POSITIVE_INFINITY, sliceMs: Number.POSITIVE_INFINITY })
        return original(...given)
      }),
  },
  {
    name: 'the store acts on an enter that is too late',
    seeds: 50,
    where: 'histories',
    plant: () =>
      replace(Store, 'enter', (_self, original, session, draft, terms) =>
        original(session, draft, { ...terms, notAfterMs: Number.POSITIVE_INFINITY }),
      ),
  },
  {
    name: 'a claim that the process does not know stays in the store',
    seeds: 600,
    where: 'histories',
    plant: () => replace(Keeper, 'stranger', () => {}),
  },
  {
    name: 'the hard end of a claim is not looked at',
    seeds: 100,
    where: 'histories',
    plant: () => replaceGetter(Claim, 'endMs', () => null),
  },
  {
    name: 'a suspended machine goes on believing in its leases',
    seeds: 300,
    where: 'histories',
    plant: () =>
      replace(BootWatch, 'standing', (_self, original, start, lengthMs) => {
        const standing = original(start, lengthMs)
        return standing === 'suspect' ? 'live' : standing
      }),
  },
  {
    name: 'a request has no time limit',
    seeds: 20,
    where: 'histories',
    plant: () =>
      replace(
        Link,
        'call',
        (_self, original, _limitMs, work) => original(Number.POSITIVE_INFINITY, work as never) as never,
      ),
  },
  {
    name: 'the store lets a newcomer go first',
    seeds: 50,
    where: 'histories',
    plant: () =>
      replace(Book, 'add', (_self, original, session, draft, seq, moment) => {
        const claim = original(session, draft, seq, moment)
        const claims = claim.line.claims as unknown as (typeof claim)[]
        claims.pop()
        const at = claims.findIndex((each) => !each.open)
        claims.splice(at < 0 ? claims.length : at, 0, claim)
        return claim
      }),
  },
  {
    name: 'numbers begin anew after a loss of data',
    seeds: 100,
    where: 'histories',
    plant: () => () => {},
    prepare: (world) => {
      world.server.clock.wallMs = () => 0
    },
  },
  {
    name: 'the store goes by the largest capacity that anybody believes in',
    seeds: 100,
    where: 'histories',
    plant: () =>
      replace(Book, 'add', (_self, original, session, draft, seq, moment) => {
        return original(session, draft.capacity < 10 ? { ...draft, capacity: 10 } : draft, seq, moment)
      }),
  },
  {
    name: 'every permit gets the same slot',
    seeds: 100,
    where: 'histories',
    plant: () =>
      replace(Store, 'enter', (_self, original, session, draft, terms) => {
        const answer = original(session, draft, terms)
        return answer.state === 'open' && answer.slot !== null ? { ...answer, slot: 0 } : answer
      }),
  },
  {
    name: 'nobody notices that the store ended a claim by force',
    seeds: 200,
    where: 'histories',
    plant: () =>
      both(
        replace(Store, 'beat', (_self, original, session, terms) => {
          const answer = original(session, terms)
          return answer.state === 'beaten' ? { ...answer, revoked: [] } : answer
        }),
        replace(Session, 'compare', (_self, original, after, rows, limit, sentMs) => {
          return { ...original(after, rows, limit, sentMs), missing: [] }
        }),
      ),
  },
  {
    name: 'a latch opens one arrival early',
    seeds: 100,
    where: 'histories',
    plant: () => replace(CellStore, 'count', (_self, original, name) => original(name) + 1),
  },
  {
    name: 'whoever comes last to a queue is served first',
    seeds: 50,
    where: 'histories',
    plant: () =>
      replace(TaskQueue, 'push', (self, original, task) => {
        const waiting = []
        for (let first = self.head; first !== null; first = self.head) {
          self.remove(first)
          waiting.push(first)
        }
        for (const each of [task, ...waiting]) original(each)
      }),
  },
  {
    name: 'a cell is written whatever its version is',
    seeds: 200,
    where: 'histories',
    plant: () =>
      replace(CellStore, 'set', (_self, original, name, value, write, number) =>
        original(name, value, { ...write, ifVersion: undefined }, number),
      ),
  },
  {
    name: 'a barrier counts one party too many',
    seeds: 200,
    where: 'histories',
    plant: () =>
      replace(Store, 'inspect', (_self, original, name) => {
        const row = original(name)
        const [first] = row?.claims ?? []
        if (row === null || first === undefined || !name.startsWith('barrier:')) return row
        return { ...row, claims: [...row.claims, { ...first, id: 'nobody', value: 'nobody' }] }
      }),
  },
  {
    name: 'the store never sweeps the dead',
    seeds: 50,
    where: 'histories',
    plant: () => replace(Book, 'sweep', () => {}),
  },
  {
    name: 'a wait that is over keeps the process alive',
    seeds: 50,
    where: 'histories',
    plant: () => replace(Vigil, 'end', () => {}),
  },
]
