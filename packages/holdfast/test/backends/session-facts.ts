/** Sessions at the port: opening, beating, ending, dying, and the constants of a namespace. */
import { expect } from 'vitest'
import type { LedgerSetup } from '../../src/port.ts'
import { claimDraft, claimKey, key, MAX_TTL_MS, sessionDraft, TTL_MS, terms } from './bench.ts'
import type { Facts } from './facts.ts'

const beatTerms = { ttlMs: TTL_MS, after: '', limit: 64 }

export const sessionFacts: Facts = {
  'only an opened session may enter, ask, amend or beat': async (bench) => {
    const client = await bench.client()
    await client.open(sessionDraft('a'))
    for (const answer of [
      await client.enter(key('b'), claimDraft('b1'), terms()),
      await client.ask(key('b'), [claimKey('b1')]),
      await client.amend(key('b'), claimKey('b1'), { weight: 1 }),
      await client.beat(key('b'), beatTerms),
    ]) {
      expect(answer.state).toBe('session-gone')
    }
    expect(await client.inspect('door')).toBeNull()
  },

  'a session ends one ttl after its last beat, and a beat never brings it back': async (bench) => {
    const client = await bench.client()
    await client.open(sessionDraft('a'))
    bench.clock.advance(TTL_MS - 1)
    expect((await client.beat(key('a'), beatTerms)).state).toBe('beaten')
    bench.clock.advance(TTL_MS - 1)
    expect((await client.ask(key('a'), [])).state).toBe('told')
    bench.clock.advance(1)
    expect((await client.beat(key('a'), beatTerms)).state).toBe('session-gone')
    expect((await client.ask(key('a'), [])).state).toBe('session-gone')
  },

  'opening a session again while it lives prolongs it and keeps its claims': async (bench) => {
    const client = await bench.client()
    await client.open(sessionDraft('a'))
    await client.enter(key('a'), claimDraft('a1'), terms())
    bench.clock.advance(TTL_MS - 1)
    await client.open(sessionDraft('a'))
    bench.clock.advance(TTL_MS - 1)
    expect(await client.ask(key('a'), [claimKey('a1')])).toMatchObject({ standings: [{ state: 'open' }] })
  },

  'opening the session again after its end does not bring its claims back': async (bench) => {
    const client = await bench.client()
    await client.open(sessionDraft('a'))
    await client.open(sessionDraft('b'))
    await client.enter(key('a'), claimDraft('a1'), terms())
    await client.enter(key('b'), claimDraft('b1'), terms())
    bench.clock.advance(TTL_MS / 2)
    await client.beat(key('b'), beatTerms)
    bench.clock.advance(TTL_MS / 2)
    await client.open(sessionDraft('a'))
    expect(await client.ask(key('b'), [claimKey('b1')])).toMatchObject({ standings: [{ state: 'open' }] })
    await client.open(sessionDraft('a'))
    expect((await client.inspect('door'))?.claims.map((claim) => claim.id)).toEqual(['b1'])
  },

  'ending a session takes all its claims away, opens what becomes open and tells those': async (bench) => {
    const client = await bench.client()
    await client.listen()
    await client.open(sessionDraft('a'))
    await client.open(sessionDraft('b'))
    for (const line of ['x', 'y']) {
      await client.enter(key('a'), claimDraft(`a-${line}`, { line }), terms())
      await client.enter(key('b'), claimDraft(`b-${line}`, { line }), terms())
    }
    await client.end(key('a'))
    await client.end(key('a'))
    await bench.settled()
    expect(new Set(client.hints)).toEqual(new Set(['b-x', 'b-y']))
    expect(await client.ask(key('b'), [claimKey('b-x', 'x'), claimKey('b-y', 'y')])).toMatchObject({
      standings: [{ state: 'open' }, { state: 'open' }],
    })
    expect((await client.ask(key('a'), [])).state).toBe('session-gone')
  },

  'a session with many claims leaves none behind when it ends': async (bench) => {
    const client = await bench.client()
    await client.open(sessionDraft('a'))
    const ids = Array.from({ length: 400 }, (_, n) => `a${String(n).padStart(4, '0')}`)
    await Promise.all(ids.map((id) => client.enter(key('a'), claimDraft(id, { line: id }), terms())))
    expect(await client.list('', '', 1000)).toHaveLength(400)
    await client.end(key('a'))
    expect(await client.list('', '', 1000)).toEqual([])
    expect(
      await client.leave(
        0,
        ids.map((id) => claimKey(id, id)),
      ),
    ).toMatchObject({ found: ids.map(() => false) })
  },

  'a beat audits the claims of its session page by page, in the order of their ids': async (bench) => {
    const client = await bench.client()
    await client.open(sessionDraft('a'))
    await client.open(sessionDraft('b'))
    for (const id of ['a3', 'a1', 'a2']) await client.enter(key('a'), claimDraft(id, { line: id }), terms())
    await client.enter(key('b'), claimDraft('b1', { line: 'a2' }), terms())
    const first = await client.beat(key('a'), { ...beatTerms, limit: 2 })
    expect(first).toMatchObject({
      audit: [
        { id: 'a1', line: 'a1', contended: false },
        { id: 'a2', line: 'a2', contended: true },
      ],
    })
    const second = await client.beat(key('a'), { ...beatTerms, after: 'a2', limit: 2 })
    expect(second).toMatchObject({ audit: [{ id: 'a3', line: 'a3', contended: false }] })
  },

  'a claim past its own end is not audited': async (bench) => {
    const client = await bench.client()
    await client.open(sessionDraft('a'))
    await client.enter(key('a'), claimDraft('a1', { maxHoldMs: 100 }), terms())
    bench.clock.advance(100)
    expect(await client.beat(key('a'), beatTerms)).toMatchObject({ audit: [] })
  },

  'beats sweep the claims of sessions that ended, and then their entries, away': async (bench) => {
    const client = await bench.client()
    await client.listen()
    await client.open(sessionDraft('dead'))
    await client.enter(key('dead'), claimDraft('dead1'), terms())
    bench.clock.advance(TTL_MS / 2)
    await client.open(sessionDraft('a'))
    await client.enter(key('a'), claimDraft('a1'), terms())
    bench.clock.advance(TTL_MS / 2)
    for (let beat = 0; beat < 12; beat++) await client.beat(key('a'), beatTerms)
    await bench.settled()
    // Told is the line, by who opens nothing then, or whom that lets in.
    expect(client.hints.some((hint) => hint === 'door' || hint === 'a1')).toBe(true)
    expect(await client.leave(0, [claimKey('dead1')])).toMatchObject({ found: [false] })
  },

  'two clients with another maxTtl or quarantine in one namespace refuse each other, naming both values': async (
    bench,
  ) => {
    await (await bench.client()).open(sessionDraft('a'))
    const opened = async (id: string, constants: Partial<LedgerSetup>): Promise<unknown> =>
      (await bench.client(constants)).open(sessionDraft(id))
    await expect(opened('b', { maxTtlMs: 30_000 })).rejects.toMatchObject({
      code: 'BACKEND_REFUSED',
      message: expect.stringMatching(/maxTtl is 60000 ms .*30000 ms/),
    })
    await expect(opened('c', { quarantine: true })).rejects.toMatchObject({
      code: 'BACKEND_REFUSED',
      message: expect.stringMatching(/quarantine is false .*true/),
    })
  },

  'a session cannot live longer than maxTtl': async (bench) => {
    const client = await bench.client()
    await expect(client.open(sessionDraft('a', { ttlMs: MAX_TTL_MS + 1 }))).rejects.toThrow(RangeError)
  },

  'two namespaces of one store never meet': async (bench) => {
    const here = await bench.client()
    const there = await bench.client({ namespace: 'other', maxTtlMs: 30_000 })
    await here.open(sessionDraft('a'))
    await there.open(sessionDraft('a'))
    await here.enter(key('a'), claimDraft('a1'), terms())
    expect((await there.enter(key('a'), claimDraft('a1'), terms())).state).toBe('open')
    expect(await there.leave(0, [claimKey('a1')])).toMatchObject({ found: [true] })
    expect((await here.inspect('door'))?.claims).toHaveLength(1)
  },

  'after close every call is rejected as unavailable': async (bench) => {
    const client = await bench.client()
    await client.close()
    await client.close()
    for (const call of [
      () => client.open(sessionDraft('a')),
      () => client.inspect('door'),
      () => client.cells.get('x'),
      () => client.listen(),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
    }
  },
}
