/** A store whose answers take their time, and crowds that wait for it. */
import { getEventListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { asBackend, type Backend, portOf } from '../../src/backend.ts'
import { memory } from '../../src/backends/memory/index.ts'
import { Deadlines } from '../../src/front/deadlines.ts'
import { Task } from '../../src/front/task.ts'
import { holdfast } from '../../src/index.ts'
import type { Ledger } from '../../src/port.ts'
import { StillClock } from './still-clock.ts'

/** Longer than a slice, there and back. */
const SLOW_MS = 35

/** Memory behind a long way; `asked` is told the name of each request and what is sent with it. */
function far(asked: (name: string, first: unknown) => void = () => {}): Backend {
  const port = portOf(memory())
  const connect: typeof port.connect = async (setup) => {
    const ledger = await port.connect(setup)
    return new Proxy(ledger, {
      get(target, name: keyof Ledger) {
        const value = target[name]
        if (typeof value !== 'function') return value
        const call = value.bind(target) as (...args: unknown[]) => unknown
        if (!['open', 'enter', 'ask', 'leave', 'amend', 'beat', 'end'].includes(name)) return call
        return async (...args: unknown[]) => {
          asked(name, args[0])
          await pause(SLOW_MS)
          const answer = await call(...args)
          await pause(SLOW_MS)
          return answer
        }
      },
    })
  }
  return asBackend({ ...port, connect })
}

test('tasks of one process take turns also where each answer takes longer than a slice', async () => {
  const locks = holdfast(far(), { namespace: 'far' })
  const mutex = locks.mutex('x')
  const done: number[] = []
  const visit = (number: number): Promise<unknown> => mutex.run(async () => done.push(number), { wait: '5s' })
  await Promise.all([mutex.run(() => pause(200)), ...[1, 2, 3, 4].map(visit)])
  expect(done).toEqual([1, 2, 3, 4])
  await locks.close()
})

test('a reader joins another of its process also where each answer takes longer than a slice', async () => {
  const locks = holdfast(far(), { namespace: 'far' })
  const reader = locks.rwlock('x').read()
  const first = await reader.acquire()
  await pause(200)
  const second = await reader.acquire({ wait: '5s' })
  await Promise.all([first.release(), second.release()])
  await locks.close()
})

test('a lock that lingers is taken again also where each answer takes longer than a slice', async () => {
  const locks = holdfast(far(), { namespace: 'far', front: { linger: '2s' } })
  await locks.mutex('x').run(() => {})
  await pause(300)
  expect(await locks.mutex('x').run(() => 'again', { wait: '5s' })).toBe('again')
  await locks.close()
})

test('permits that are given back at once are asked about no more often than tasks wait', async () => {
  let asks = 0
  const locks = holdfast(
    far((name) => {
      if (name === 'ask') asks++
    }),
    { namespace: 'far' },
  )
  const pool = locks.semaphore('pool', { capacity: 30 })
  const held = await Promise.all(Array.from({ length: 30 }, () => pool.acquire()))
  const waiting = [1, 2, 3].map(() => pool.acquire({ wait: '20s' }))
  await pause(200)
  asks = 0
  const left = held.map((lease) => lease.release())
  await Promise.all(waiting)
  expect(asks).toBeLessThanOrEqual(6)
  await Promise.all(left)
  await locks.close()
})

test('a session whose opening was not answered yet is ended by close', async () => {
  const sent: [name: string, id: unknown][] = []
  const locks = holdfast(
    far((name, first) => sent.push([name, (first as { id?: unknown }).id])),
    { namespace: 'far' },
  )
  const taking = locks
    .mutex('x')
    .acquire()
    .catch((error: unknown) => error)
  await pause(10)
  await locks.close()
  expect(await taking).toMatchObject({ code: 'CLOSED' })
  const opened = sent.filter(([name]) => name === 'open').map(([, id]) => id)
  expect(opened).toHaveLength(1)
  expect(sent.filter(([name]) => name === 'end').map(([, id]) => id)).toEqual(opened)
})

test('any number of takes heed one signal by one listener, and all end with it', async () => {
  const locks = holdfast('memory:', { namespace: 'signal' })
  const held = await locks.mutex('x').acquire()
  const aborter = new AbortController()
  const { signal } = aborter
  const takes = Array.from({ length: 5000 }, () =>
    locks
      .mutex('x')
      .acquire({ signal, wait: '1m' })
      .catch((error: unknown) => error),
  )
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  const startMs = performance.now()
  aborter.abort('enough')
  expect(performance.now() - startMs).toBeLessThan(1000)
  expect(new Set(await Promise.all(takes))).toEqual(new Set(['enough']))
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  expect(await held.release()).toBe(true)
  await locks.close()
})

test('takes that differ in patience leave no timer each behind', () => {
  const clock = new StillClock()
  const deadlines = new Deadlines(clock, () => {})
  for (let waitMs = 1000; waitMs < 1500; waitMs++) {
    const task = new Task({ wish: {} } as never, clock.monotonicMs(), () => {}, { settled() {} })
    deadlines.add(task, waitMs)
    deadlines.remove(task)
  }
  expect(clock.timers).toBeLessThan(20)
  expect(deadlines.size).toBe(0)
})
