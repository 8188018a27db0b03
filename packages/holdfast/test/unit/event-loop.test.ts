/** Takes that are granted in the same turn of the event loop, one after another, do not keep it from turning. */
import { expect, test } from 'vitest'
import { type Holdfast, holdfast } from '../../src/index.ts'

type Mutex = ReturnType<Holdfast['mutex']>

const LOAD_MS = 300

async function ticksWhile(work: (mutex: Mutex, over: () => boolean) => Promise<unknown>): Promise<number> {
  const locks = holdfast('memory:', { namespace: 'loop' })
  const startedMs = performance.now()
  let ticks = 0
  const ticker = setInterval(() => ticks++, 10)
  await work(locks.mutex('busy'), () => performance.now() - startedMs > LOAD_MS)
  clearInterval(ticker)
  await locks.close()
  return ticks
}

test('timers run while tasks of one process hand a lock over without end', async () => {
  const task = async (mutex: Mutex, over: () => boolean): Promise<void> => {
    while (!over()) await mutex.run(() => {})
  }
  const ticks = await ticksWhile((mutex, over) => Promise.all(Array.from({ length: 100 }, () => task(mutex, over))))
  expect(ticks).toBeGreaterThanOrEqual(3)
})

test('timers run while one task takes a lock in memory again and again', async () => {
  const ticks = await ticksWhile(async (mutex, over) => {
    while (!over()) await (await mutex.acquire()).release()
  })
  expect(ticks).toBeGreaterThanOrEqual(3)
})

test('a lock is never granted to a take that has ended, whatever those do who are told of its end', async () => {
  const { subscribe, unsubscribe } = await import('node:diagnostics_channel')
  const locks = holdfast('memory:', { namespace: 'ended' })
  const mutex = locks.mutex('door')
  const held = await mutex.acquire()
  const onTake = (message: unknown): void => {
    if ((message as { outcome: string }).outcome === 'aborted') void held.release()
  }
  subscribe('holdfast:take', onTake)
  const controller = new AbortController()
  const waiting = mutex.acquire({ wait: '1m', signal: controller.signal }).catch((error: unknown) => error)
  controller.abort('enough')
  expect(await waiting).toBe('enough')
  unsubscribe('holdfast:take', onTake)
  expect(await mutex.tryAcquire()).not.toBeNull()
  await locks.close()
})
