/** Claims that are sent right behind their session's `open`, without waiting for its answer. */
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { asBackend, type Backend, portOf } from '../../src/backend.ts'
import { memory } from '../../src/backends/memory/index.ts'
import { systemClock } from '../../src/clock.ts'
import { BackendUnavailableError } from '../../src/errors.ts'
import { holdfast } from '../../src/index.ts'
import type { Ledger } from '../../src/port.ts'

/** How long an answer is on its way. */
const WAY_MS = 30

type Call = () => Promise<unknown>

/**
 * Memory at the end of a way, whose clock is known from the start. `sent` lists what is asked, in order; `carried` says
 * what becomes of a request.
 */
function atTheEndOfAWay(
  sent: [name: string, id: string][],
  carried: (name: string, call: Call) => Promise<unknown>,
): Backend {
  const port = portOf(memory())
  const connect: typeof port.connect = async (setup) => {
    const ledger = await port.connect(setup)
    return new Proxy(ledger, {
      get(target, name: keyof Ledger) {
        if (name === 'greeting') return { serverMs: systemClock.monotonicMs() }
        const value = target[name]
        if (typeof value !== 'function') return value
        const call = value.bind(target) as (...args: unknown[]) => Promise<unknown>
        if (!['open', 'enter', 'leave'].includes(name)) return call
        return (...args: unknown[]) => {
          for (const { id } of [args[1] ?? args[0]].flat() as { id: string }[]) sent.push([name, id])
          return carried(name, () => call(...args))
        }
      },
    })
  }
  return asBackend({ ...port, connect })
}

async function answeredLate(call: Call): Promise<unknown> {
  const answer = await call()
  await pause(WAY_MS)
  return answer
}

const namesOf = (sent: readonly [name: string, id: string][]): string[] => sent.map(([name]) => name)

test('the first take of a bucket waits for one answer, not for two', async () => {
  const sent: [string, string][] = []
  let answer = (): void => {}
  const answers = new Promise<void>((resolve) => {
    answer = resolve
  })
  const backend = atTheEndOfAWay(sent, async (_, call) => {
    const answered = await call()
    await answers
    return answered
  })
  await using locks = holdfast(backend, { namespace: 'behind' })
  const taking = locks.mutex('x').acquire()
  await vi.waitFor(() => expect(namesOf(sent)).toEqual(['open', 'enter']))
  answer()
  await (await taking).release()
})

test('many first takes of one turn share a session', async () => {
  const sent: [string, string][] = []
  await using locks = holdfast(
    atTheEndOfAWay(sent, (_, call) => answeredLate(call)),
    { namespace: 'behind' },
  )
  await Promise.all(Array.from({ length: 20 }, (_, index) => locks.mutex(`x${index}`).acquire()))
  expect(namesOf(sent).filter((name) => name === 'open')).toHaveLength(1)
  expect(locks.status()).toMatchObject({ session: 'open', held: 20 })
})

test('a claim that overtakes its session is sent again as it is', async () => {
  const sent: [string, string][] = []
  const backend = atTheEndOfAWay(sent, async (name, call) => {
    if (name === 'open') await pause(WAY_MS)
    return call()
  })
  await using locks = holdfast(backend, { namespace: 'behind' })
  await using lease = await locks.mutex('x').acquire()
  lease.assertHeld()
  expect(namesOf(sent)).toEqual(['open', 'enter', 'enter'])
  expect(sent[2]).toEqual(sent[1])
})

/** The store has opened the first session, and its client is not told. */
function firstOpenIsLost(sent: [name: string, id: string][]): Backend {
  let opens = 0
  return atTheEndOfAWay(sent, async (name, call) => {
    const answer = await call()
    if (name === 'open' && ++opens === 1) throw new BackendUnavailableError('the connection was cut')
    return answer
  })
}

test('a claim whose session was opened without an answer is given back, and stands in line again', async () => {
  const sent: [string, string][] = []
  await using locks = holdfast(firstOpenIsLost(sent), { namespace: 'behind', ttl: '30s' })
  await using lease = await locks.mutex('x').acquire({ wait: '5s' })
  lease.assertHeld('20s')
  const [first, second] = sent.filter(([name]) => name === 'enter')
  expect(first?.[1]).not.toBe(second?.[1])
  expect(sent).toContainEqual(['leave', first?.[1]])
  expect(await locks.inspect('x')).toMatchObject([{ holders: [{ fence: lease.fence }], waiters: [] }])
})

test('a try whose session was opened without an answer fails, and is given back', async () => {
  const sent: [string, string][] = []
  await using locks = holdfast(firstOpenIsLost(sent), { namespace: 'behind', ttl: '30s' })
  await expect(locks.mutex('x').tryAcquire()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
  await vi.waitFor(() => expect(namesOf(sent)).toEqual(['open', 'enter', 'leave']))
  expect(await locks.inspect('x')).toEqual([])
})

test('who gives up before any answer leaves nothing behind', async () => {
  const sent: [string, string][] = []
  const backend = atTheEndOfAWay(sent, (_, call) => answeredLate(call))
  await using locks = holdfast(backend, { namespace: 'behind', ttl: '30s' })
  const aborter = new AbortController()
  const taking = locks.mutex('x').acquire({ signal: aborter.signal })
  await pause(1)
  aborter.abort()
  await expect(taking).rejects.toMatchObject({ name: 'AbortError' })
  await pause(3 * WAY_MS)
  expect(namesOf(sent)).toContain('leave')
  expect(await locks.inspect('x')).toEqual([])
})
