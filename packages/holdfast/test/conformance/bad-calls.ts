/** How each parameter of the public surface is given a value, everything else about the call being right. */
import { memory } from '../../src/backends/memory/index.ts'
import { sqlite } from '../../src/backends/sqlite/index.ts'
import { guardTable, memoryGuard, redisGuard, type SqlDialect, sqlGuard } from '../../src/guards/index.ts'
import {
  duration,
  type Holdfast,
  type HoldfastOptions,
  holdfast,
  isHoldfastError,
  type Lease,
  type Lockable,
} from '../../src/index.ts'
import { Cable } from './cable.ts'
import type { AnyLease } from './kind.ts'

type Call = (value: never) => unknown
export type Calls = Readonly<Record<string, Call>>

export interface Stage {
  readonly calls: Calls
  /** What is in a bag of options besides the option in question. */
  readonly bases: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly cable: Cable
  close(): Promise<void>
}

const right = { namespace: 'shop' } as const

export async function stage(): Promise<Stage> {
  const cable = new Cable()
  const backend = memory()
  const locks = holdfast(cable.wrap(backend), { ...right, ttl: '1m' })
  const guardRow = { dialect: 'sqlite', run: async () => 1, table: 'fences', key: 'x' } as const
  await locks.latch('open', 1).countDown('x')
  const lease = await locks.mutex('held').acquire()
  return {
    cable,
    calls: {
      ...makers(backend),
      ...things(locks),
      ...questions(locks, backend),
      ...(await leases(locks)),
      ...guards(lease, guardRow),
    },
    bases: {
      'holdfast(options)': right,
      'Holdfast.semaphore(options)': { capacity: 5 },
      'sqlGuard(options)': guardRow,
    },
    close: () => locks.close(),
  }
}

function makers(backend: ReturnType<typeof memory>): Calls {
  return {
    'holdfast(target)': (value) => holdfast(value, right),
    'holdfast(options)': (value: HoldfastOptions) => holdfast(backend, value),
    'duration(text)': (value) => duration(value),
    'isHoldfastError(error)': (value) => isHoldfastError(value, 'CLOSED'),
    'isHoldfastError(code)': (value) => isHoldfastError(new Error('x'), value),
    'sqlite(fileOrDatabase)': (value) => sqlite(value),
  }
}

function things(locks: Holdfast): Calls {
  let numbers = 0
  const fresh = (): string => `thing ${numbers++}`
  return {
    'Holdfast.mutex(name)': (value) => locks.mutex(value),
    'Holdfast.mutex(options)': (value) => locks.mutex('x', value),
    'Holdfast.rwlock(name)': (value) => locks.rwlock(value),
    'Holdfast.rwlock(options)': (value) => locks.rwlock('x', value).read() && locks.rwlock('x', value).write(),
    'Holdfast.semaphore(name)': (value) => locks.semaphore(value, { capacity: 5 }),
    'Holdfast.semaphore(options)': (value) => locks.semaphore('x', value),
    'Holdfast.striped(name)': (value) => locks.striped(value, 5),
    'Holdfast.striped(stripes)': (value) => locks.striped('x', value),
    'Stripes.for(key)': (value) => locks.striped('x', 5).for(value),
    'Holdfast.all(things)': (value) => locks.all(value),
    'Holdfast.all(options)': (value) => locks.all([locks.mutex('x')], value),
    'Holdfast.election(name)': (value) => locks.election(value),
    'Holdfast.election(options)': (value) => locks.election('x', value),
    'Holdfast.latch(name)': (value) => locks.latch(value, 5),
    'Holdfast.latch(count)': (value) => locks.latch('x', value),
    'Holdfast.barrier(name)': (value) => locks.barrier(value, 5),
    'Holdfast.barrier(parties)': (value) => locks.barrier('x', value),
    'Holdfast.cell(name)': (value) => locks.cell(value),
    'Latch.countDown(id)': (value) => locks.latch('counting', 5).countDown(value),
    'Latch.wait(options)': (value) => locks.latch('open', 1).wait(value),
    'Barrier.pass(options)': (value) => locks.barrier(fresh(), 1).pass(value),
    'Barrier.run(fn)': (value) => locks.barrier(fresh(), 1).run(value),
    'Barrier.run(options)': (value) => locks.barrier(fresh(), 1).run(() => {}, value),
    'Cell.set(value)': (value) => locks.cell(fresh()).set(value),
    'Cell.set(options)': (value) => locks.cell(fresh()).set('x', value),
    'Cell.watch(options)': (value) => locks.cell(fresh()).watch(value),
    ...verbs('Lockable', () => locks.mutex(fresh())),
    ...verbs('ReadLockable', () => locks.rwlock(fresh()).read()),
    ...verbs('WriteLockable', () => locks.rwlock(fresh()).write()),
    ...verbs('Semaphore', () => locks.semaphore(fresh(), { capacity: 5 })),
    ...verbs('MultiLockable', () => locks.all([locks.mutex(fresh()), locks.mutex(fresh())])),
    ...verbs('Election', () => locks.election(fresh())),
    'Election.lead(fn)': (value) => locks.election(fresh()).lead(value, { signal: new AbortController().signal }),
    'Election.lead(options)': (value) => lead(locks, fresh(), value),
    'Election.observe(options)': (value) => locks.election(fresh()).observe(value),
  }
}

/** One term, which ends the candidacy. */
function lead(locks: Holdfast, name: string, given: unknown): Promise<void> {
  const controller = new AbortController()
  const { signal } = controller
  const bag = typeof given === 'object' && given !== null && Object.keys(given).length > 0
  const options = bag ? { signal, ...given } : given
  return locks.election(name).lead(() => controller.abort(), options as { signal: AbortSignal })
}

function verbs(label: string, thing: () => Lockable<AnyLease>): Calls {
  return {
    [`${label}.run(fn)`]: (value) => thing().run(value),
    [`${label}.run(options)`]: (value) => thing().run(() => {}, value),
    [`${label}.tryRun(fn)`]: (value) => thing().tryRun(value),
    [`${label}.tryRun(options)`]: (value) => thing().tryRun(() => {}, value),
    [`${label}.acquire(options)`]: (value) => released(thing().acquire(value)),
    [`${label}.tryAcquire(options)`]: (value) => released(thing().tryAcquire(value)),
    [`${label}.release(leaseId)`]: (value) => thing().release(value),
  }
}

async function released(take: Promise<AnyLease | null>): Promise<void> {
  await (await take)?.release()
}

function questions(locks: Holdfast, backend: ReturnType<typeof memory>): Calls {
  return {
    'Holdfast.inspect(name)': (value) => locks.inspect(value),
    'Holdfast.list(options)': (value) => locks.list(value),
    'Holdfast.forceRelease(name)': (value) => locks.forceRelease(value),
    'Holdfast.forceRelease(claimId)': (value) => locks.forceRelease('nobody', value),
    'Holdfast.outside(fn)': (value) => locks.outside(value),
    'Holdfast.ready(options)': (value) => locks.ready(value),
    'Holdfast.close(options)': (value) => holdfast(backend, right).close(value),
  }
}

async function leases(locks: Holdfast): Promise<Calls> {
  const held: Readonly<Record<string, AnyLease>> = {
    Lease: await locks.mutex('a').acquire(),
    ReadLease: await locks.rwlock('b').read().acquire(),
    WriteLease: await locks.rwlock('c').write().acquire(),
    PermitLease: await locks.semaphore('d', { capacity: 1 }).acquire(),
    SlotLease: await locks.semaphore('g', { capacity: 1 }).acquire({ slot: true }),
    MultiLease: await locks.all([locks.mutex('e'), locks.mutex('f')]).acquire(),
  }
  const of = ([label, lease]: [string, AnyLease]): [string, Call][] => [
    [`${label}.assertHeld(atLeast)`, (value) => lease.assertHeld(value)],
    [`${label}.confirm(options)`, (value) => lease.confirm(value)],
  ]
  return Object.fromEntries(Object.entries(held).flatMap(of))
}

function guards(lease: Lease, row: Parameters<typeof sqlGuard>[0]): Calls {
  return {
    'guardTable(dialect)': (value) => guardTable(value, 'fences'),
    'guardTable(table)': (value) => guardTable('sqlite' satisfies SqlDialect, value),
    'sqlGuard(options)': (value) => sqlGuard(value),
    'Guard<void>.enter(tx)': (value) => memoryGuard().enter(value, lease),
    'Guard<void>.enter(lease)': (value) => memoryGuard().enter(undefined, value),
    'Guard<Tx>.enter(tx)': (value) => sqlGuard(row).enter(value, lease),
    'Guard<Tx>.enter(lease)': (value) => sqlGuard(row).enter({}, value),
    ...redisGuards(lease),
  }
}

/** Over a client that finds everything as it should be: what is wrong must be noticed before it is asked. */
function redisGuards(lease: Lease): Calls {
  const passed = async (): Promise<unknown> => ['entered', null]
  const client = { evalsha: passed, eval: passed }
  const guard = redisGuard(client, 'value')
  return {
    'redisGuard(client)': (value) => redisGuard(value, 'value'),
    'redisGuard(key)': (value) => redisGuard(client, value),
    'RedisGuard.enter(tx)': (value) => guard.enter(value, lease),
    'RedisGuard.enter(lease)': (value) => guard.enter(undefined, value),
    'RedisGuard.set(lease)': (value) => guard.set(value, 'x'),
    'RedisGuard.set(value)': (value) => guard.set(lease, value),
    'RedisGuard.run(lease)': (value) => guard.run(value, 'return 1'),
    'RedisGuard.run(script)': (value) => guard.run(lease, value),
    'RedisGuard.run(work)': (value) => guard.run(lease, 'return 1', value),
  }
}
