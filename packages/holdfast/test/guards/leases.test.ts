/** Which leases a guard takes and what it makes of them: those of the library, and whatever has the same shape. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { memory } from '../../src/backends/memory/index.ts'
import { type Guard, memoryGuard } from '../../src/guards/index.ts'
import {
  type Holdfast,
  holdfast,
  type Lease,
  type PermitLease,
  type SlotLease,
  StaleFenceError,
} from '../../src/index.ts'
import { exclusive, permit, shared } from './leases.ts'

let locks: Holdfast
let guard: Guard

beforeEach(() => {
  locks = holdfast(memory(), { namespace: 'guards' })
  guard = memoryGuard()
})
afterEach(() => locks.close())

const enter = (lease: unknown): Promise<void> => guard.enter(undefined, lease as Lease | PermitLease)

describe('leases of the library', () => {
  test('each holder of a mutex passes after the one before, and none after it', async () => {
    const first = await locks.mutex('door').acquire()
    await enter(first)
    await first.release()
    const second = await locks.mutex('door').acquire()
    await enter(second)
    await enter(second)
    await expect(enter(first)).rejects.toMatchObject({ code: 'STALE_FENCE', fence: second.fence })
  })

  test('readers that hold together all pass, in whatever order they come', async () => {
    const readers = await Promise.all([1, 2, 3].map(() => locks.rwlock('door').read().acquire()))
    for (const reader of [...readers].reverse()) await enter(reader)
    for (const reader of readers) await enter(reader)
  })

  test('a writer that was passed by a reader is refused', async () => {
    const writer = await locks.rwlock('door').write().acquire()
    await locks.forceRelease('door')
    const reader = await locks.rwlock('door').read().acquire()
    await enter(reader)
    await expect(enter(writer)).rejects.toMatchObject({ fence: reader.fence })
  })

  test('a reader that was passed by a writer is refused', async () => {
    const reader = await locks.rwlock('door').read().acquire()
    await locks.forceRelease('door')
    const writer = await locks.rwlock('door').write().acquire()
    await enter(writer)
    await expect(enter(reader)).rejects.toBeInstanceOf(StaleFenceError)
  })

  test('a downgraded lease counts as a reader: one that joins it passes in any order, its own writes before do not come back', async () => {
    const writer = await locks.rwlock('door').write().acquire()
    await enter(writer)
    const downgraded = await writer.downgrade()
    const joined = await locks.rwlock('door').read().acquire()
    await enter(joined)
    await enter(downgraded)
    await enter(joined)
    await expect(enter(writer)).rejects.toMatchObject({ fence: joined.fence })
  })

  test('permits with a slot are fenced against the holders of the same slot', async () => {
    const semaphore = locks.semaphore('pool', { capacity: 2 })
    const first = await semaphore.acquire({ slot: true })
    const neighbour = await semaphore.acquire({ slot: true })
    const perSlot = new Map([first, neighbour].map(({ slot }) => [slot.number, memoryGuard()]))
    expect(perSlot.size).toBe(2)
    const enterSlot = async (lease: SlotLease): Promise<void> => perSlot.get(lease.slot.number)?.enter(undefined, lease)
    await enterSlot(neighbour)
    await enterSlot(first)
    await first.release()
    const second = await semaphore.acquire({ slot: true })
    expect(second.slot.number).toBe(first.slot.number)
    await enterSlot(second)
    await expect(enterSlot(first)).rejects.toMatchObject({ fence: second.slot?.fence })
    await enterSlot(neighbour)
  })

  test('a permit without a slot is refused before anything is asked', async () => {
    const lease = await locks.semaphore('pool', { capacity: 2 }).acquire()
    await expect(enter(lease)).rejects.toThrow(TypeError)
    await expect(enter(lease)).rejects.toThrow('{ slot: true }')
  })

  test('several leases at once are refused as a whole; each of them passes', async () => {
    const lease = await locks.all([locks.mutex('a'), locks.mutex('b')]).acquire()
    await expect(enter(lease)).rejects.toThrow('enter each of lease.leases by itself')
    for (const one of lease.leases) await memoryGuard().enter(undefined, one)
  })
})

describe('leases by their shape', () => {
  test('an object of the same shape passes and is refused as a lease of ours', async () => {
    await enter(exclusive(5n))
    await enter(permit({ number: 0, fence: 6n }))
    await expect(enter(shared(5n))).rejects.toMatchObject({ fence: 6n })
    await enter(shared(6n))
  })

  test.each([
    ['a number', { fence: 5 }, TypeError],
    ['a text', { fence: '5' }, TypeError],
    ['null', { fence: null }, TypeError],
    ['zero', { fence: 0n }, RangeError],
    ['below zero', { fence: -1n }, RangeError],
    ['2^63', { fence: 2n ** 63n }, RangeError],
    ['a number in a slot', { slot: { number: 0, fence: 5 } }, TypeError],
    ['nothing in a slot', { slot: {} }, TypeError],
    ['no field at all', {}, TypeError],
  ])('a fence that is %s is refused by name', async (_, lease, kind) => {
    await expect(enter(lease)).rejects.toThrow(kind)
    await expect(enter(lease)).rejects.toThrow(/^lease/)
  })

  test.each([undefined, null, 5n, 'lease'])('what is no lease (%s) is refused by name', async (value) => {
    await expect(enter(value)).rejects.toThrow(TypeError)
    await expect(enter(value)).rejects.toThrow('lease must be a lease')
  })
})
