/** Leaves: sent together, repeated until the store has confirmed them, forgotten when there is nothing left to leave. */
import { expect, test } from 'vitest'
import { Outbox } from '../../src/keeper/outbox.ts'
import { Session } from '../../src/keeper/session.ts'
import { startNow } from '../../src/keeper/tenure.ts'
import type { ClaimKey } from '../../src/port.ts'
import { StillClock, settle } from './still-clock.ts'

const TTL_MS = 10_000

/** A store of ids that answers, fails or says nothing, as it is told. */
function made() {
  const clock = new StillClock()
  const present = new Set<string>()
  const sent: string[][] = []
  const store = { mood: 'answers' as 'answers' | 'fails' | 'deaf', present, sent }
  const send = async (claims: readonly ClaimKey[]) => {
    sent.push(claims.map(({ id }) => id))
    if (store.mood === 'fails') throw new Error('down')
    const found = claims.map(({ id }) => present.delete(id))
    if (store.mood === 'deaf') throw new Error('no answer')
    return { serverMs: clock.monotonicMs(), found }
  }
  const outbox = new Outbox(clock, { id: () => 'x', fraction: () => 0.5 }, (_, claims, told, failed) => {
    send(claims).then(told, failed)
  })
  const session = new Session(clock, 0, 'session', TTL_MS)
  session.confirm(startNow(clock))
  const leave = (id: string, notAfterMs = 0, endMs: number | null = null): Promise<boolean> => {
    const key: ClaimKey = { id, line: 'lock:x' }
    return outbox.leave(session, key, notAfterMs, endMs)
  }
  return { clock, store, outbox, session, leave, present, sent }
}

test('a leave that found its claim is done, and forgotten', async () => {
  const { outbox, leave, present, sent, clock } = made()
  present.add('a')
  expect(await leave('a')).toBe(true)
  expect(outbox.size).toBe(0)
  await clock.pass(60_000)
  expect(sent).toEqual([['a']])
})

test('leaves of one turn travel together, a bounded number at a time', async () => {
  const { leave, present, sent } = made()
  const ids = Array.from({ length: 300 }, (_, number) => `${number}`)
  for (const id of ids) present.add(id)
  expect((await Promise.all(ids.map((id) => leave(id)))).every(Boolean)).toBe(true)
  expect(sent.map(({ length }) => length)).toEqual([128, 128, 44])
})

test('a leave that finds nothing is repeated past the claim’s not-after, for a late enter may still put it there', async () => {
  const { clock, outbox, leave, present, sent } = made()
  const notAfterMs = clock.monotonicMs() + 3000
  expect(await leave('late', notAfterMs)).toBe(false)
  expect(outbox.has('late')).toBe(true)
  await clock.pass(2000)
  present.add('late')
  await clock.pass(900)
  expect(sent).toHaveLength(1)
  await clock.pass(200)
  expect(present.has('late')).toBe(false)
  expect(outbox.size).toBe(0)
})

test('past its not-after a leave that finds nothing is final at once', async () => {
  const { clock, outbox, leave, sent } = made()
  expect(await leave('gone', clock.monotonicMs() - 1)).toBe(false)
  expect(outbox.size).toBe(0)
  await clock.pass(60_000)
  expect(sent).toHaveLength(1)
})

test('a claim whose own end came while its leave was on the way was not lost before it', async () => {
  const { clock, leave } = made()
  expect(await leave('ended', 0, clock.monotonicMs())).toBe(true)
  expect(await leave('vanished', 0, clock.monotonicMs() + 1)).toBe(false)
})

test('a leave that fails is told as done, since the claim was ours, and goes on behind with longer and longer pauses', async () => {
  const { clock, store, outbox, leave, present, sent } = made()
  present.add('a')
  store.mood = 'fails'
  expect(await leave('a')).toBe(true)
  expect(outbox.size).toBe(1)
  await clock.pass(4000)
  const tries = sent.length
  expect(tries).toBeGreaterThan(4)
  expect(tries).toBeLessThan(10)
  store.mood = 'answers'
  await clock.pass(2100)
  expect(present.size).toBe(0)
  expect(outbox.size).toBe(0)
  await clock.pass(60_000)
  expect(sent.length).toBe(tries + 1)
})

test('a leave whose answer was lost is repeated and then found done', async () => {
  const { clock, store, outbox, leave, present } = made()
  present.add('a')
  store.mood = 'deaf'
  await leave('a')
  expect(present.size).toBe(0)
  expect(outbox.size).toBe(1)
  store.mood = 'answers'
  await clock.pass(100)
  expect(outbox.size).toBe(0)
})

test('with the end of its session a leave is done: the claim went with it', async () => {
  const { clock, store, outbox, leave, sent } = made()
  store.mood = 'fails'
  await leave('a')
  await clock.pass(TTL_MS + 3000)
  expect(outbox.size).toBe(0)
  const tries = sent.length
  await clock.pass(60_000)
  expect(sent.length).toBe(tries)
  expect(clock.timers).toBe(0)
})

test('the heartbeat thread is told of leaves that failed, and may have them confirmed', async () => {
  const { clock, store, outbox, leave, sent } = made()
  const told: string[][] = []
  outbox.onUnconfirmed = (_, claims) => void told.push(claims.map(({ id }) => id))
  store.mood = 'fails'
  await Promise.all([leave('a'), leave('b')])
  expect(told).toEqual([['a', 'b']])
  outbox.confirmed(['a', 'b', 'unknown'])
  expect(outbox.size).toBe(0)
  await clock.pass(60_000)
  expect(sent).toHaveLength(1)
})

test('closing settles what is still asked for and sends nothing more', async () => {
  const { clock, store, outbox, leave, sent } = made()
  store.mood = 'fails'
  const pending = leave('a')
  outbox.close()
  expect(await pending).toBe(true)
  await settle()
  await clock.pass(60_000)
  expect(sent).toEqual([])
  expect(outbox.size).toBe(0)
})

test('a leave that had no answer is sent at once when the store answers again, one that waits for its not-after is not', async () => {
  const { clock, store, outbox, leave, present, sent } = made()
  const notAfterMs = clock.monotonicMs() + 3000
  await leave('late', notAfterMs)
  store.mood = 'fails'
  present.add('a')
  await leave('a')
  await clock.pass(1000)
  const tries = sent.length
  store.mood = 'answers'
  outbox.retry()
  await settle()
  expect(sent.slice(tries)).toEqual([['a']])
  expect(outbox.has('a')).toBe(false)
  outbox.retry()
  await settle()
  expect(sent).toHaveLength(tries + 1)
})
