/**
 * Random requests at the port, as data: each can be made to any store, and shrinks to a short sequence that shows a
 * difference. Few sessions, lines and claims, so that they meet.
 */
import fc from 'fast-check'
import type { CellWrite, ClaimKey } from '../../src/port.ts'
import { type Client, claimDraft, claimKey, key, sessionDraft, TTL_MS, terms } from './bench.ts'
import type { SteppedClock } from './stepped-clock.ts'

export interface Move {
  readonly name: string
  /** Which client makes it. */
  readonly client: number
  make(client: Client, world: World): Promise<unknown>
  /** Whose session is opened: under a new id if the old one has ended, for ids never come back. */
  readonly opens?: string
  /** What makes it unlike the others. */
  readonly moves?: 'time' | 'wall' | 'beat'
  /** By how much time moves. */
  readonly advanceMs?: number
}

/** What the stores of one comparison share. */
export interface World {
  readonly clock: SteppedClock
  /** What every name of this comparison begins with. */
  readonly tag: string
  /** The present session id of each name. */
  readonly ids: Map<string, string>
  /** How many ids were given out. */
  given: number
}

export const SESSIONS: readonly string[] = ['a', 'b', 'c', 'd']
/** The second is one of those that are watched as a whole. */
export const LINES: readonly string[] = ['door', 'election:gate']
const CLAIMS = 4

const session = fc.constantFrom(...SESSIONS)
const line = fc.constantFrom(...LINES)
const number = fc.nat(CLAIMS - 1)
const client = fc.nat(1)
const opId = fc.constantFrom('o1', 'o2', 'o3', 'o4', 'o5')
const soonMs = fc.constantFrom(-1, 0, 500, 1e9, 1e9, 1e9)
const holdMs = fc.constantFrom(null, 1, 700, 3 * TTL_MS)
/** A line has one kind, but callers may differ in the capacity they believe in. */
const weighing = fc.constantFrom([1, 1], [1, 2], [2, 2], [1, 3], [2, 3], [3, 3], [1, 5])

interface Named {
  readonly of: string
  readonly n: number
  readonly line: string
}
/** An id stands in one line only, as the keeper sees to. */
const named = fc.record({ of: session, n: number, line }).map(({ of, n, line: at }) => ({ of, n, line: at }))
const textOf = ({ of, n, line: at }: Named): string => `${of}.${at}.${n}`
/** As long as those that the library makes, for which a store may have a place of just that size. */
export const sessionId = (text: string): string => text.padEnd(16, '-')
export const sessionOf = ({ ids, tag }: World, of: string): string => ids.get(of) ?? sessionId(tag + of)
const idOf = (world: World, { of, n, line: at }: Named): string => `${sessionOf(world, of)}.${at.slice(0, 4)}000${n}`
export const lineOf = ({ tag }: World, name: string): string => name.replace(/(?=door|gate)/, tag)
const keyOf = (world: World, name: Named): ClaimKey => claimKey(idOf(world, name), lineOf(world, name.line))

const sessionMoves = [
  fc.record({ client, id: session, minSeq: fc.constantFrom(0, 2 ** 51) }).map(
    ({ client: by, id, minSeq }): Move => ({
      name: `open ${id}`,
      client: by,
      opens: id,
      make: (on, world) => on.open(sessionDraft(sessionOf(world, id), { minSeq })),
    }),
  ),
  fc
    .record({ client, id: session, after: fc.option(fc.record({ n: number, line })), limit: fc.constantFrom(1, 3, 64) })
    .map(
      ({ client: by, id, after, limit }): Move => ({
        name: `beat ${id} after ${after === null ? 'none' : textOf({ of: id, ...after })} limit ${limit}`,
        client: by,
        moves: 'beat',
        make: (on, world) =>
          on.beat(key(sessionOf(world, id)), {
            ttlMs: TTL_MS,
            after: after === null ? '' : idOf(world, { of: id, ...after }),
            limit,
          }),
      }),
    ),
  fc.record({ client, id: session }).map(
    ({ client: by, id }): Move => ({
      name: `end ${id}`,
      client: by,
      make: (on, world) => on.end(key(sessionOf(world, id))),
    }),
  ),
]

const shape = fc.record({
  weighing,
  maxHoldMs: holdMs,
  slot: fc.boolean(),
  detached: fc.boolean(),
  label: fc.constantFrom(null, 'label'),
})
const enter = fc
  .record({
    client,
    name: named,
    shape,
    mode: fc.constantFrom('queue' as const, 'try' as const),
    soonMs,
    minSeq: fc.constantFrom(0, 2 ** 51),
  })
  .map(({ client: by, name, shape: { weighing: pair, ...rest }, mode, soonMs: soon, minSeq }): Move => {
    const shapeOf = { ...rest, weight: pair[0] ?? 1, capacity: pair[1] ?? 1 }
    const detached = rest.detached && rest.maxHoldMs !== null
    return {
      name: `enter ${textOf(name)} ${JSON.stringify(shapeOf)} ${mode} soon ${soon} minSeq ${minSeq}`,
      client: by,
      make: (on, world) =>
        on.enter(
          key(sessionOf(world, name.of)),
          claimDraft(idOf(world, name), { ...shapeOf, line: lineOf(world, name.line), detached }),
          terms({ mode, minSeq, notAfterMs: world.clock.monotonicMs() + soon }),
        ),
    }
  })
const keys = fc.array(named, { minLength: 1, maxLength: 3 })
const claimMoves = [
  enter,
  enter,
  enter,
  fc.record({ client, of: session, names: keys }).map(
    ({ client: by, of, names }): Move => ({
      name: `ask ${of} about ${names.map(textOf).join()}`,
      client: by,
      make: (on, world) =>
        on.ask(
          key(sessionOf(world, of)),
          names.map((name) => keyOf(world, name)),
        ),
    }),
  ),
  fc.record({ client, name: named }).map(
    ({ client: by, name }): Move => ({
      name: `ask own ${textOf(name)}`,
      client: by,
      make: (on, world) => on.ask(key(sessionOf(world, name.of)), [keyOf(world, name)]),
    }),
  ),
  fc.record({ client, names: keys }).map(
    ({ client: by, names }): Move => ({
      name: `leave ${names.map(textOf).join()}`,
      client: by,
      make: (on, world) =>
        on.leave(
          0,
          names.map((name) => keyOf(world, name)),
        ),
    }),
  ),
  fc.record({ client, name: named, all: fc.boolean() }).map(
    ({ client: by, name, all }): Move => ({
      name: `evict ${all ? `all of ${name.line}` : textOf(name)}`,
      client: by,
      make: (on, world) => on.evict(lineOf(world, name.line), all ? null : idOf(world, name)),
    }),
  ),
  fc.record({ client, line }).map(
    ({ client: by, line: at }): Move => ({
      name: `inspect ${at}`,
      client: by,
      make: (on, world) => on.inspect(lineOf(world, at)),
    }),
  ),
  fc
    .record({ client, prefix: fc.constantFrom('door', 'do', 'election:gate', 'x'), after: fc.constantFrom('', 'door') })
    .map(
      ({ client: by, prefix, after }): Move => ({
        name: `list ${prefix} after ${after}`,
        client: by,
        make: (on, world) => on.list(lineOf(world, prefix), lineOf(world, after), 5),
      }),
    ),
]

const amendMoves = (orders: readonly (number | undefined)[]): fc.Arbitrary<Move> =>
  fc
    .record({
      client,
      name: named,
      weight: fc.constantFrom(undefined, 1, 2),
      maxHoldMs: fc.constantFrom(undefined, null, 500),
      order: fc.constantFrom(...orders),
    })
    .map(
      ({ client: by, name, weight, maxHoldMs, order }): Move => ({
        name: `amend ${textOf(name)} weight ${weight} maxHold ${maxHoldMs} order ${order}`,
        client: by,
        make: (on, world) =>
          on.amend(key(sessionOf(world, name.of)), keyOf(world, name), {
            ...(weight === undefined ? {} : { weight }),
            ...(maxHoldMs === undefined ? {} : { maxHoldMs }),
            ...(order === undefined ? {} : { order }),
          }),
      }),
    )

const cellName = fc.constantFrom('x', 'y')
const cellMoves = [
  fc
    .record({
      client,
      name: cellName,
      value: fc.constantFrom('', 'one', '{}'),
      opId,
      soonMs,
      ifVersion: fc.constantFrom(undefined, null, 7, 'last' as const),
      ttlMs: fc.constantFrom(null, 400),
    })
    .map(
      ({ client: by, name, value, opId: op, soonMs: soon, ifVersion, ttlMs }): Move => ({
        name: `set ${name} op ${op} if ${ifVersion} ttl ${ttlMs} soon ${soon}`,
        client: by,
        make: async (on, { clock, tag }) => {
          const version = ifVersion === 'last' ? ((await on.cells.get(tag + name))?.version ?? null) : ifVersion
          const write: CellWrite = {
            opId: tag + op,
            notAfterMs: clock.monotonicMs() + soon,
            minSeq: 0,
            ifVersion: version,
            ttlMs,
          }
          return on.cells.set(tag + name, value, write)
        },
      }),
    ),
  fc.record({ client, name: cellName }).map(
    ({ client: by, name }): Move => ({
      name: `get ${name}`,
      client: by,
      make: async (on, { tag }) => [await on.cells.get(tag + name), await on.cells.count(tag + name)],
    }),
  ),
  fc
    .record({
      client,
      name: cellName,
      member: fc.constantFrom('m', 'n', 'o'),
      ttlMs: fc.constantFrom(300, 2000),
      soonMs,
    })
    .map(
      ({ client: by, name, member, ttlMs, soonMs: soon }): Move => ({
        name: `add ${member} to ${name} ttl ${ttlMs} soon ${soon}`,
        client: by,
        make: (on, { clock, tag }) =>
          on.cells.add(tag + name, member, { notAfterMs: clock.monotonicMs() + soon, ttlMs }),
      }),
    ),
  fc.record({ client, name: cellName }).map(
    ({ client: by, name }): Move => ({
      name: `remove ${name}`,
      client: by,
      make: (on, { tag }) => on.cells.remove(tag + name),
    }),
  ),
]

const timeMoves = [
  fc.constantFrom(0.5, 1, 100, 500, TTL_MS / 2, TTL_MS).map(
    (ms): Move => ({
      name: `advance ${ms}`,
      client: 0,
      moves: 'time',
      advanceMs: ms,
      make: async (_, { clock }) => clock.advance(ms),
    }),
  ),
  fc.constantFrom(-100_000, 100_000).map(
    (ms): Move => ({
      name: `step the wall clock by ${ms}`,
      client: 0,
      moves: 'wall',
      make: async (_, { clock }) => clock.stepWall(ms),
    }),
  ),
]

function movesWith(orders: readonly (number | undefined)[]): fc.Arbitrary<readonly Move[]> {
  return fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.oneof(...sessionMoves) },
      { weight: 10, arbitrary: fc.oneof(...claimMoves, amendMoves(orders)) },
      { weight: 2, arbitrary: fc.oneof(...cellMoves) },
      { weight: 2, arbitrary: fc.oneof(...timeMoves) },
    ),
    { minLength: 10, maxLength: 60, size: 'max' },
  )
}

/** Amendments may come late and again, as they do on a network. */
export const moves: fc.Arbitrary<readonly Move[]> = movesWith([undefined, undefined, 1, 2, 3])
/** For stores that do all as they are asked, in its order. */
export const orderlyMoves: fc.Arbitrary<readonly Move[]> = movesWith([undefined])
