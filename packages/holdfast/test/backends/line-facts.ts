/** Lines at the port: who opens when, what a waiting claim is told, and what becomes of the dead. */
import { expect } from 'vitest'
import { type Bench, type Client, claimDraft, claimKey, key, SLICE_MS, sessionDraft, TTL_MS, terms } from './bench.ts'
import type { Facts } from './facts.ts'

const beatTerms = { ttlMs: TTL_MS, after: '', limit: 64 }

/** One client with the sessions a, b and c. */
async function three(bench: Bench): Promise<Client> {
  const client = await bench.client()
  for (const id of ['a', 'b', 'c']) await client.open(sessionDraft(id))
  return client
}

export const lineFacts: Facts = {
  'claims open in the order of the line, and each later one has a higher number': async (bench) => {
    const client = await three(bench)
    const a = await client.enter(key('a'), claimDraft('a1'), terms())
    const b = await client.enter(key('b'), claimDraft('b1'), terms())
    const c = await client.enter(key('c'), claimDraft('c1'), terms())
    expect(a).toMatchObject({ state: 'open', slot: null, remainingMs: null, contended: false })
    expect(b).toMatchObject({
      state: 'closed',
      first: true,
      recheckMs: TTL_MS,
      holder: { id: 'a1', host: 'host-of-a' },
    })
    expect(c).toMatchObject({ state: 'closed', first: false })
    const seqs = [a, b, c].map((answer) => ('seq' in answer ? answer.seq : 0))
    expect(seqs).toEqual([...seqs].sort((x, y) => x - y))
    expect(new Set(seqs).size).toBe(3)
    await client.leave(0, [claimKey('a1')])
    expect(await client.ask(key('b'), [claimKey('b1')])).toMatchObject({
      standings: [{ state: 'open', contended: true }],
    })
    expect(await client.ask(key('c'), [claimKey('c1')])).toMatchObject({
      standings: [{ state: 'closed', first: true }],
    })
  },

  'leaving tells exactly those who became open, and says what was there': async (bench) => {
    const client = await three(bench)
    await client.listen()
    await client.enter(key('a'), claimDraft('a1'), terms())
    await client.enter(key('b'), claimDraft('b1'), terms())
    await client.enter(key('c'), claimDraft('c1'), terms())
    const left = await client.leave(0, [claimKey('a1'), claimKey('a1'), claimKey('b1', 'elsewhere')])
    expect(left.found).toEqual([true, false, false])
    await bench.settled()
    expect(client.hints).toEqual(['b1'])
  },

  'nobody is told anything while nobody waits': async (bench) => {
    const client = await three(bench)
    await client.listen()
    await client.enter(key('a'), claimDraft('a1'), terms())
    await client.leave(0, [claimKey('a1')])
    bench.clock.advance(1000)
    await bench.settled()
    expect(client.hints).toEqual([])
  },

  'who has stopped listening hears nothing': async (bench) => {
    const client = await three(bench)
    await client.listen()
    await client.listen()
    client.unlisten()
    await client.enter(key('a'), claimDraft('a1'), terms())
    await client.enter(key('b'), claimDraft('b1'), terms())
    await client.enter(key('c'), claimDraft('c1'), terms())
    await client.leave(0, [claimKey('a1')])
    await bench.settled()
    client.unlisten()
    await client.leave(0, [claimKey('b1')])
    bench.clock.advance(1000)
    await bench.settled()
    expect(client.hints).toEqual(['b1'])
  },

  'another client of the same store is told too': async (bench) => {
    const client = await three(bench)
    const other = await bench.client()
    await other.listen()
    await other.open(sessionDraft('d'))
    await client.enter(key('a'), claimDraft('a1'), terms())
    await other.enter(key('d'), claimDraft('d1'), terms())
    await client.leave(0, [claimKey('a1')])
    await bench.settled()
    bench.clock.advance(1000)
    await bench.settled()
    expect(other.hints).toEqual(['d1'])
  },

  'entering again with the same id changes nothing and answers what the claim is': async (bench) => {
    const client = await three(bench)
    const first = await client.enter(key('a'), claimDraft('a1'), terms())
    const waiting = await client.enter(key('b'), claimDraft('b1'), terms())
    expect(await client.enter(key('a'), claimDraft('a1'), terms({ notAfterMs: 0 }))).toEqual({
      ...first,
      contended: true,
    })
    expect(await client.enter(key('b'), claimDraft('b1'), terms({ mode: 'try' }))).toEqual(waiting)
    expect((await client.inspect('door'))?.claims).toHaveLength(2)
  },

  'a request that comes after its time is refused as too late': async (bench) => {
    const client = await three(bench)
    const { serverMs } = await client.ask(key('a'), [])
    const inTime = terms({ notAfterMs: serverMs })
    expect((await client.enter(key('a'), claimDraft('a1'), inTime)).state).toBe('open')
    bench.clock.advance(1)
    expect((await client.enter(key('a'), claimDraft('a2', { line: 'free' }), inTime)).state).toBe('too-late')
    expect((await client.enter(key('b'), claimDraft('b1'), inTime)).state).toBe('too-late')
    expect(await client.inspect('free')).toBeNull()
  },

  'a number is above what the caller knows, and never below the wall clock in microseconds': async (bench) => {
    const client = await three(bench)
    const minSeq = 2 ** 52
    expect(await client.enter(key('a'), claimDraft('a1'), terms({ minSeq }))).toMatchObject({ seq: minSeq })
    expect(await client.enter(key('b'), claimDraft('b1'), terms())).toMatchObject({ seq: minSeq + 1 })
    const fresh = await bench.client({ namespace: 'fresh' })
    await fresh.open(sessionDraft('a', { minSeq: minSeq + 7 }))
    expect(await fresh.enter(key('a'), claimDraft('a1'), terms())).toMatchObject({ seq: minSeq + 7 })
    const young = await bench.client({ namespace: 'young' })
    await young.open(sessionDraft('a'))
    bench.clock.stepWall(1_000_000)
    // A store may have no clock but this one, and then the first session has ended.
    await young.open(sessionDraft('b'))
    const wallUs = bench.clock.wallMs() * 1000
    expect(await young.enter(key('b'), claimDraft('b1'), terms())).toMatchObject({ seq: wallUs })
    bench.clock.stepWall(-10_000_000)
    expect(await young.enter(key('b'), claimDraft('b2'), terms())).toMatchObject({ seq: wallUs + 1 })
    await expect(young.enter(key('b'), claimDraft('b3'), terms({ minSeq: 2 ** 53 }))).rejects.toThrow(RangeError)
  },

  'numbers go on rising when a line was empty for a while': async (bench) => {
    const client = await three(bench)
    let last = 0
    for (let round = 0; round < 5; round++) {
      const answer = await client.enter(key('a'), claimDraft(`a${round}`), terms())
      expect(answer.state === 'open' && answer.seq > last).toBe(true)
      last = answer.state === 'open' ? answer.seq : 0
      await client.leave(0, [claimKey(`a${round}`)])
      bench.clock.stepWall(-1000)
    }
  },

  'a try that would not be open at once is refused, names the holder, tells it, and counts as contention for a slice':
    async (bench) => {
      const client = await three(bench)
      await client.listen()
      await client.enter(key('a'), claimDraft('a1'), terms())
      const refused = await client.enter(key('b'), claimDraft('b1'), terms({ mode: 'try' }))
      expect(refused).toMatchObject({ state: 'refused', holder: { id: 'a1', pid: 7 } })
      await bench.settled()
      expect(client.hints).toEqual(['a1'])
      bench.clock.advance(SLICE_MS - 1)
      expect(await client.ask(key('a'), [claimKey('a1')])).toMatchObject({ standings: [{ contended: true }] })
      expect(await client.beat(key('a'), beatTerms)).toMatchObject({ audit: [{ contended: true }] })
      bench.clock.advance(1)
      expect(await client.ask(key('a'), [claimKey('a1')])).toMatchObject({ standings: [{ contended: false }] })
      expect((await client.inspect('door'))?.claims).toHaveLength(1)
    },

  'that somebody tried beside a claim says nothing of one that comes later under its id': async (bench) => {
    const client = await three(bench)
    await client.enter(key('b'), claimDraft('b1'), terms())
    await client.enter(key('a'), claimDraft('a1'), terms({ mode: 'try' }))
    await client.enter(key('a'), claimDraft('a2', { capacity: 2 }), terms())
    await client.evict('door', 'b1')
    const again = await client.enter(key('b'), claimDraft('b1', { capacity: 2 }), terms())
    expect(again).toMatchObject({ state: 'open', contended: false })
  },

  'a try takes an empty place, also behind the dead and beside others that fit': async (bench) => {
    const client = await three(bench)
    const permit = { line: 'pool', weight: 1, capacity: 2 }
    expect((await client.enter(key('a'), claimDraft('a1', permit), terms({ mode: 'try' }))).state).toBe('open')
    expect((await client.enter(key('b'), claimDraft('b1', permit), terms({ mode: 'try' }))).state).toBe('open')
    expect((await client.enter(key('c'), claimDraft('c1', permit), terms({ mode: 'try' }))).state).toBe('refused')
    bench.clock.advance(TTL_MS - 1)
    await client.beat(key('c'), beatTerms)
    bench.clock.advance(1)
    expect((await client.enter(key('c'), claimDraft('c2', permit), terms({ mode: 'try' }))).state).toBe('open')
  },

  'a try is refused while somebody waits, although it would fit beside the open ones': async (bench) => {
    const client = await three(bench)
    await client.enter(key('a'), claimDraft('a1', { weight: 2, capacity: 3 }), terms())
    await client.enter(key('b'), claimDraft('b1', { weight: 3, capacity: 3 }), terms())
    const light = claimDraft('c1', { weight: 1, capacity: 3 })
    expect((await client.enter(key('c'), light, terms({ mode: 'try' }))).state).toBe('refused')
  },

  'the smallest capacity that an open claim believes in counts': async (bench) => {
    const client = await three(bench)
    await client.enter(key('a'), claimDraft('a1', { weight: 1, capacity: 2 }), terms())
    await client.enter(key('b'), claimDraft('b1', { weight: 1, capacity: 5 }), terms())
    const third = await client.enter(key('c'), claimDraft('c1', { weight: 1, capacity: 5 }), terms())
    expect(third).toMatchObject({ state: 'closed', first: true })
    await client.leave(0, [claimKey('a1')])
    expect(await client.ask(key('c'), [claimKey('c1')])).toMatchObject({ standings: [{ state: 'open' }] })
  },

  'a waiting claim is told when the earliest end of what keeps it closed comes': async (bench) => {
    const client = await bench.client()
    await client.open(sessionDraft('a', { ttlMs: 10_000 }))
    await client.open(sessionDraft('b', { ttlMs: 20_000 }))
    await client.enter(key('a'), claimDraft('a1', { maxHoldMs: 3000 }), terms())
    const waiting = await client.enter(key('b'), claimDraft('b1'), terms())
    expect(waiting).toMatchObject({ state: 'closed', recheckMs: 3000 })
    bench.clock.advance(1000)
    expect(await client.ask(key('b'), [claimKey('b1')])).toMatchObject({ standings: [{ recheckMs: 2000 }] })
    bench.clock.advance(2000)
    expect(await client.ask(key('b'), [claimKey('b1')])).toMatchObject({ standings: [{ state: 'open' }] })
    expect(await client.ask(key('a'), [claimKey('a1')])).toMatchObject({ standings: [{ state: 'gone' }] })
  },

  'what is dead is removed in the step that opens somebody past it, and stays dead': async (bench) => {
    const client = await three(bench)
    await client.enter(key('a'), claimDraft('a1'), terms())
    await client.enter(key('a'), claimDraft('a2', { line: 'window' }), terms())
    await client.enter(key('b'), claimDraft('b1'), terms())
    bench.clock.advance(TTL_MS - 1)
    await client.beat(key('b'), beatTerms)
    bench.clock.advance(1)
    expect(await client.ask(key('b'), [claimKey('b1')])).toMatchObject({ standings: [{ state: 'open' }] })
    expect(await client.ask(key('a'), [claimKey('a1')])).toMatchObject({ state: 'session-gone' })
    expect(await client.inspect('window')).toBeNull()
    expect(await client.leave(0, [claimKey('a1'), claimKey('a2', 'window')])).toMatchObject({ found: [false, false] })
  },

  'who asks and opens by that is answered, and not told once more': async (bench) => {
    const client = await three(bench)
    await client.listen()
    await client.enter(key('a'), claimDraft('a1', { weight: 2, capacity: 2, maxHoldMs: 10 }), terms())
    await client.enter(key('b'), claimDraft('b1', { weight: 1, capacity: 2 }), terms())
    await client.enter(key('c'), claimDraft('c1', { weight: 1, capacity: 2 }), terms())
    bench.clock.advance(10)
    expect(await client.ask(key('b'), [claimKey('b1')])).toMatchObject({ standings: [{ state: 'open' }] })
    await bench.settled()
    expect(client.hints).toEqual(['c1'])
  },

  'a hard end counts from opening, and can be moved or taken away': async (bench) => {
    const client = await three(bench)
    await client.enter(key('a'), claimDraft('a1'), terms())
    await client.enter(key('b'), claimDraft('b1', { maxHoldMs: 1000 }), terms())
    bench.clock.advance(5000)
    await client.leave(0, [claimKey('a1')])
    expect(await client.ask(key('b'), [claimKey('b1')])).toMatchObject({ standings: [{ remainingMs: 1000 }] })
    bench.clock.advance(400)
    expect(await client.amend(key('b'), claimKey('b1'), { maxHoldMs: 5000 })).toMatchObject({ remainingMs: 5000 })
    expect(await client.amend(key('b'), claimKey('b1'), { maxHoldMs: null })).toMatchObject({ remainingMs: null })
    expect(await client.amend(key('b'), claimKey('b1'), { maxHoldMs: 100 })).toMatchObject({ remainingMs: 100 })
    bench.clock.advance(100)
    expect(await client.amend(key('b'), claimKey('b1'), { maxHoldMs: 100 })).toMatchObject({ state: 'gone' })
    await expect(client.amend(key('c'), claimKey('c1'), {})).resolves.toMatchObject({ state: 'gone' })
  },

  'a weight shrinks and opens those behind in the same step, and never grows': async (bench) => {
    const client = await three(bench)
    await client.listen()
    const capacity = 2 ** 31
    await client.enter(key('a'), claimDraft('a1', { weight: capacity, capacity }), terms())
    await client.enter(key('b'), claimDraft('b1', { weight: 1, capacity }), terms())
    expect(await client.amend(key('b'), claimKey('b1'), { weight: 1 })).toMatchObject({ state: 'closed' })
    expect(await client.amend(key('a'), claimKey('a1'), { weight: 1 })).toMatchObject({
      state: 'open',
      contended: false,
    })
    await bench.settled()
    expect(client.hints).toEqual(['b1'])
    await expect(client.amend(key('a'), claimKey('a1'), { weight: 2 })).rejects.toThrow(RangeError)
    await expect(client.amend(key('a'), claimKey('a1'), { weight: 0 })).rejects.toThrow(RangeError)
    await expect(client.amend(key('a'), claimKey('a1'), { maxHoldMs: 0 })).rejects.toThrow(RangeError)
    expect((await client.inspect('door'))?.claims.map((claim) => claim.weight)).toEqual([1, 1])
  },

  'a claim that could never be served, or never ended, is refused at entry': async (bench) => {
    const client = await three(bench)
    for (const impossible of [
      { weight: 2, capacity: 1 },
      { weight: 0 },
      { weight: 0.5 },
      { capacity: 2 ** 31 + 1, weight: 1 },
      { maxHoldMs: 0 },
      { maxHoldMs: Number.POSITIVE_INFINITY },
      { detached: true },
    ]) {
      await expect(client.enter(key('a'), claimDraft('a1', impossible), terms())).rejects.toThrow(RangeError)
    }
    await expect(client.enter(key('a'), claimDraft('stray'), terms())).rejects.toThrow(RangeError)
    expect(await client.inspect('door')).toBeNull()
  },

  'a claim that asks for a slot gets the smallest one that no open claim has': async (bench) => {
    const client = await three(bench)
    const seat = { line: 'seats', weight: 1, capacity: 2, slot: true }
    expect(await client.enter(key('a'), claimDraft('a1', seat), terms())).toMatchObject({ slot: 0 })
    expect(await client.enter(key('b'), claimDraft('b1', seat), terms())).toMatchObject({ slot: 1 })
    await client.enter(key('c'), claimDraft('c1', seat), terms())
    await client.leave(0, [claimKey('a1', 'seats')])
    expect(await client.ask(key('c'), [claimKey('c1', 'seats')])).toMatchObject({ standings: [{ slot: 0 }] })
    expect((await client.inspect('seats'))?.claims.map((claim) => claim.slot)).toEqual([1, 0])
  },

  'no two open claims of a line have the same slot': async (bench) => {
    const client = await three(bench)
    const seat = { line: 'seats', weight: 1, capacity: 4, slot: true }
    for (const [slot, id] of ['a1', 'b1', 'c1', 'a2'].entries()) {
      expect(await client.enter(key(id.slice(0, 1)), claimDraft(id, seat), terms())).toMatchObject({ slot })
    }
    await client.leave(0, [claimKey('b1', 'seats')])
    expect(await client.enter(key('b'), claimDraft('b2', seat), terms())).toMatchObject({ slot: 1 })
  },

  'all that fit open in one step, however many they are': async (bench) => {
    const client = await three(bench)
    const capacity = 2 ** 31
    await client.enter(key('a'), claimDraft('a1', { weight: capacity, capacity }), terms())
    const ids = Array.from({ length: 30 }, (_, n) => `b${n + 10}`)
    for (const id of ids) await client.enter(key('b'), claimDraft(id, { weight: 1, capacity }), terms())
    await client.leave(0, [claimKey('a1')])
    const row = await client.inspect('door')
    expect(row?.claims.map((claim) => [claim.id, claim.open])).toEqual(ids.map((id) => [id, true]))
  },

  'a detached claim lives from opening on to its hard end, beaten by nobody': async (bench) => {
    const client = await three(bench)
    const long = { detached: true, maxHoldMs: 10 * TTL_MS }
    await client.enter(key('a'), claimDraft('a1'), terms())
    await client.enter(key('b'), claimDraft('b1', long), terms())
    expect((await client.inspect('door'))?.claims[1]).toMatchObject({ detached: true, untilWallMs: null })
    await client.leave(0, [claimKey('a1')])
    const [row] = (await client.inspect('door'))?.claims ?? []
    expect(row).toMatchObject({ detached: true })
    expect((row?.untilWallMs ?? 0) - (row?.sinceWallMs ?? 0)).toBeCloseTo(10 * TTL_MS, -1)
    // A beat that was under way when the claim opened must not shorten it.
    await client.beat(key('b'), { ...beatTerms, ttlMs: 1000 })
    bench.clock.advance(10 * TTL_MS - 1)
    expect((await client.inspect('door'))?.claims).toHaveLength(1)
    expect(await client.amend(key('b'), claimKey('b1'), { maxHoldMs: 10 })).toMatchObject({ remainingMs: 10 })
    await expect(client.amend(key('b'), claimKey('b1'), { maxHoldMs: null })).rejects.toThrow(RangeError)
    bench.clock.advance(10)
    expect(await client.inspect('door')).toBeNull()
    await client.open(sessionDraft('d'))
    await client.enter(key('d'), claimDraft('d1', { ...long, line: 'gate' }), terms())
    expect(await client.leave(0, [claimKey('d1', 'gate')])).toMatchObject({ found: [true] })
  },

  'evict ends one open claim, or all of the line, and their sessions are told by every beat for a while': async (
    bench,
  ) => {
    const client = await three(bench)
    await client.listen()
    const permit = { weight: 1, capacity: 2 }
    for (const id of ['a', 'b', 'c']) await client.enter(key(id), claimDraft(`${id}1`, permit), terms())
    expect(await client.evict('door', 'c1')).toMatchObject({ evicted: 0 })
    expect(await client.evict('door', 'a1')).toMatchObject({ evicted: 1 })
    await bench.settled()
    expect(new Set(client.hints)).toEqual(new Set(['a1', 'c1']))
    expect(await client.beat(key('a'), beatTerms)).toMatchObject({ revoked: ['a1'], audit: [] })
    // The answer to that beat may have been lost.
    expect(await client.beat(key('a'), beatTerms)).toMatchObject({ revoked: ['a1'] })
    expect(await client.evict('door', null)).toMatchObject({ evicted: 2 })
    expect(await client.evict('door', null)).toMatchObject({ evicted: 0 })
    for (let round = 0; round < 6; round++) {
      bench.clock.advance(10_000)
      await client.beat(key('a'), beatTerms)
    }
    expect(await client.beat(key('a'), beatTerms)).toMatchObject({ revoked: [] })
  },

  'evicting a whole line ends what was open then, and what waited is served': async (bench) => {
    const client = await three(bench)
    const permit = { weight: 1, capacity: 600 }
    const open = Array.from({ length: 600 }, (_, n) => `a${n + 1000}`)
    const waiting = Array.from({ length: 10 }, (_, n) => `b${n}`)
    await Promise.all(open.map((id) => client.enter(key('a'), claimDraft(id, permit), terms())))
    for (const id of waiting) await client.enter(key('b'), claimDraft(id, permit), terms())
    expect(await client.evict('door', null)).toMatchObject({ evicted: 600 })
    const row = await client.inspect('door')
    expect(row?.claims.map((claim) => [claim.id, claim.open])).toEqual(waiting.map((id) => [id, true]))
    expect(await client.beat(key('a'), beatTerms)).toMatchObject({ revoked: open, audit: [] })
  },

  'evict does not end a claim that opens in the same step': async (bench) => {
    const client = await three(bench)
    await client.enter(key('a'), claimDraft('a1', { maxHoldMs: 10 }), terms())
    await client.enter(key('b'), claimDraft('b1'), terms())
    bench.clock.advance(10)
    expect(await client.evict('door', null)).toMatchObject({ evicted: 0 })
    expect(await client.ask(key('b'), [claimKey('b1')])).toMatchObject({ standings: [{ state: 'open' }] })
  },

  'claims of one session do not contend with each other': async (bench) => {
    const client = await three(bench)
    await client.enter(key('a'), claimDraft('a1'), terms())
    await client.enter(key('a'), claimDraft('a2'), terms())
    expect(await client.ask(key('a'), [claimKey('a1')])).toMatchObject({ standings: [{ contended: false }] })
    await client.enter(key('b'), claimDraft('b1'), terms())
    expect(await client.ask(key('a'), [claimKey('a1')])).toMatchObject({ standings: [{ contended: true }] })
  },

  'nobody can ask about a claim of another session, or in another line': async (bench) => {
    const client = await three(bench)
    await client.enter(key('a'), claimDraft('a1'), terms())
    expect(await client.ask(key('b'), [claimKey('a1')])).toMatchObject({ standings: [{ state: 'gone' }] })
    expect(await client.ask(key('a'), [claimKey('a1', 'window')])).toMatchObject({ standings: [{ state: 'gone' }] })
  },

  'a line of a thousand claims is served in its order': async (bench) => {
    const client = await bench.client()
    await client.open(sessionDraft('a'))
    const ids = Array.from({ length: 1000 }, (_, n) => `a${String(n).padStart(4, '0')}`)
    const entered = await Promise.all(ids.map((id) => client.enter(key('a'), claimDraft(id), terms())))
    expect(entered.map((answer) => answer.state)).toEqual(['open', ...ids.slice(1).map(() => 'closed')])
    for (const [index, id] of ids.slice(0, 50).entries()) {
      await client.leave(0, [claimKey(id)])
      const next = ids[index + 1] ?? ''
      expect(await client.ask(key('a'), [claimKey(next)])).toMatchObject({ standings: [{ state: 'open' }] })
    }
    expect((await client.inspect('door'))?.claims).toHaveLength(950)
  },

  'a claim behind a thousand dead ones opens when it asks': async (bench) => {
    const client = await bench.client()
    await client.open(sessionDraft('dead'))
    const ids = Array.from({ length: 1000 }, (_, n) => `dead${String(n).padStart(4, '0')}`)
    await Promise.all(ids.map((id) => client.enter(key('dead'), claimDraft(id), terms())))
    bench.clock.advance(TTL_MS)
    await client.open(sessionDraft('a'))
    expect((await client.enter(key('a'), claimDraft('a1'), terms({ mode: 'try' }))).state).toBe('open')
  },

  'lines are listed by prefix in the order of their bytes, live claims only': async (bench) => {
    const client = await three(bench)
    const names = [
      'mutex:ä',
      'mutex:\u{1f512}',
      'mutex:\uffee',
      'mutex:b',
      'mutex:_',
      'mutex:%',
      'other:b',
      "mutex:'; --",
    ]
    for (const [index, line] of names.entries()) {
      await client.enter(key('a'), claimDraft(`a${index}`, { line, label: `<${line}>`, value: '"' }), terms())
    }
    await client.enter(key('b'), claimDraft('b1', { line: 'mutex:gone', maxHoldMs: 1 }), terms())
    bench.clock.advance(1)
    const listed = (await client.list('mutex:', '', 100)).map((row) => row.line)
    const sorted = names
      .filter((name) => name.startsWith('mutex:'))
      .sort((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)))
    expect(listed).toEqual(sorted)
    expect((await client.list('mutex:', sorted[2] ?? '', 2)).map((row) => row.line)).toEqual(sorted.slice(3, 5))
    expect((await client.inspect("mutex:'; --"))?.claims).toMatchObject([{ label: "<mutex:'; -->", value: '"' }])
  },

  'names that mean something to JavaScript or SQL are names like any other': async (bench) => {
    const client = await three(bench)
    for (const line of ['__proto__', 'constructor', "x' or 1=1 --", '%', '_', '"', '?1', 'null', ' ']) {
      const id = `a.${line}`
      expect((await client.enter(key('a'), claimDraft(id, { line }), terms())).state).toBe('open')
      expect((await client.enter(key('b'), claimDraft(`b.${line}`, { line }), terms({ mode: 'try' }))).state).toBe(
        'refused',
      )
      expect((await client.inspect(line))?.claims).toMatchObject([{ id }])
      expect(await client.leave(0, [claimKey(id, line)])).toMatchObject({ found: [true] })
      await client.cells.set(line, line, { opId: line, notAfterMs: 2 ** 50, minSeq: 0, ifVersion: null, ttlMs: null })
      expect(await client.cells.get(line)).toMatchObject({ value: line })
    }
  },
}
