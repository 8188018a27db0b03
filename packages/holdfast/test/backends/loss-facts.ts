/** What a namespace does at its birth, and with `quarantine` after a loss of its data. */
import { expect } from 'vitest'
import { claimDraft, claimKey, key, MAX_TTL_MS, sessionDraft, TTL_MS, terms } from './bench.ts'
import type { Facts } from './facts.ts'

const beatTerms = { ttlMs: TTL_MS, after: '', limit: 64 }

export const lossFacts: Facts = {
  'the numbers of a new namespace begin the largest ttl ahead of the wall clock': async (bench) => {
    const client = await bench.client()
    const bornUs = bench.clock.wallMs() * 1000
    await client.open(sessionDraft('a'))
    const first = await client.enter(key('a'), claimDraft('a1'), terms())
    expect(first).toMatchObject({ seq: bornUs + MAX_TTL_MS * 1000 + 1 })
  },

  'with quarantine, and only when data was lost, nothing opens for the largest ttl': async (bench) => {
    const client = await bench.client({ quarantine: true })
    await client.open(sessionDraft('a', { seenBefore: true }))
    const waiting = await client.enter(key('a'), claimDraft('a1'), terms())
    expect(waiting).toMatchObject({ state: 'closed', first: true, recheckMs: MAX_TTL_MS, holder: null })
    const tried = await client.enter(key('a'), claimDraft('a2', { line: 'free' }), terms({ mode: 'try' }))
    expect(tried).toMatchObject({ state: 'held-back', retryMs: MAX_TTL_MS })
    for (let passed = 0; passed < MAX_TTL_MS - 1000; passed += 10_000) {
      await client.beat(key('a'), beatTerms)
      bench.clock.advance(Math.min(10_000, MAX_TTL_MS - 1000 - passed))
    }
    await client.beat(key('a'), beatTerms)
    expect(await client.ask(key('a'), [claimKey('a1')])).toMatchObject({
      standings: [{ state: 'closed', recheckMs: 1000 }],
    })
    bench.clock.advance(1000)
    expect(await client.ask(key('a'), [claimKey('a1')])).toMatchObject({ standings: [{ state: 'open' }] })
    const again = await client.enter(key('a'), claimDraft('a3', { line: 'free' }), terms({ mode: 'try' }))
    expect(again).toMatchObject({ state: 'open' })
  },

  'a cell that was written first does not hide from the first session that data was lost': async (bench) => {
    const client = await bench.client({ quarantine: true })
    await client.cells.set('x', 'one', { opId: '1', notAfterMs: 2 ** 50, minSeq: 0, ifVersion: null, ttlMs: null })
    await client.open(sessionDraft('a', { seenBefore: true }))
    expect(await client.enter(key('a'), claimDraft('a1'), terms())).toMatchObject({ state: 'closed' })
  },

  'nor does it keep the numbers of the first session from beginning the largest ttl ahead': async (bench) => {
    const client = await bench.client()
    await client.cells.set('x', 'one', { opId: '1', notAfterMs: 2 ** 50, minSeq: 0, ifVersion: null, ttlMs: null })
    bench.clock.advance(3_600_000)
    const bornUs = bench.clock.wallMs() * 1000
    await client.open(sessionDraft('a', { seenBefore: true }))
    const first = await client.enter(key('a'), claimDraft('a1'), terms())
    expect(first).toMatchObject({ seq: bornUs + MAX_TTL_MS * 1000 + 1 })
  },

  'with quarantine a new namespace grants at once': async (bench) => {
    const client = await bench.client({ quarantine: true })
    await client.open(sessionDraft('a'))
    await client.open(sessionDraft('b', { seenBefore: true }))
    expect(await client.enter(key('b'), claimDraft('b1'), terms())).toMatchObject({ state: 'open' })
  },
}
