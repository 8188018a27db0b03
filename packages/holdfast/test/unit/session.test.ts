/** The audit: a session's own claims held against the store's list, page by page, while both change. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Claim, type ClaimListener, type ClaimWish } from '../../src/keeper/claim.ts'
import { Session } from '../../src/keeper/session.ts'
import { startNow } from '../../src/keeper/tenure.ts'
import type { AuditRow } from '../../src/port.ts'
import { StillClock } from './still-clock.ts'

const wish: ClaimWish = {
  weight: 1,
  capacity: 1,
  maxHoldMs: null,
  slot: false,
  detached: false,
  label: null,
  value: null,
}
const nobody: ClaimListener = { opened() {}, refused() {}, lost() {}, retimed() {}, failed() {} }
const LINE = 'lock:x'
const SENT_MS = 1000

function made(): Session {
  const clock = new StillClock()
  const session = new Session(clock, 0, 'session', 10_000)
  session.confirm(startNow(clock))
  return session
}

function stand(session: Session, seq: number, confirmedMs = 0): Claim {
  const claim = new Claim(LINE, wish, 'queue', nobody)
  claim.id = session.nextClaimId()
  claim.state = 'open'
  claim.seq = seq
  claim.confirmedMs = confirmedMs
  session.claims.set(claim.id, claim)
  return claim
}

const rowOf = ({ id, seq }: Claim): AuditRow => ({ id, seq, line: LINE, contended: false })

/** The store's side of one page. */
function page(stored: readonly AuditRow[], after: string, limit: number): AuditRow[] {
  return stored.filter(({ id }) => id > after).slice(0, limit)
}

/** One whole round, as beats make it. */
function round(
  session: Session,
  stored: readonly AuditRow[],
  limit: number,
): { missing: Claim[]; strangers: AuditRow[] } {
  const all: { missing: Claim[]; strangers: AuditRow[] } = { missing: [], strangers: [] }
  do {
    const after = session.auditedTo
    const found = session.compare(after, page(stored, after, limit), limit, SENT_MS)
    all.missing.push(...found.missing)
    all.strangers.push(...found.strangers)
  } while (session.auditedTo !== '')
  return all
}

test('ids rise in the order in which they are given', () => {
  const session = made()
  const ids = Array.from({ length: 2000 }, () => session.nextClaimId())
  expect(ids).toEqual([...ids].sort())
  expect(new Set(ids).size).toBe(2000)
  expect(ids[0]).toBe('session.00000000')
})

test('where both sides agree nothing is missing and nobody is a stranger', () => {
  const session = made()
  const claims = Array.from({ length: 10 }, (_, seq) => stand(session, seq))
  expect(round(session, claims.map(rowOf), 4)).toEqual({ missing: [], strangers: [] })
})

test('one round finds each claim that the store has not, and each that only the store has, once', () => {
  const sides = fc.array(fc.constantFrom('both', 'ours', 'theirs', 'other number'), { maxLength: 40 })
  const property = fc.property(sides, fc.integer({ min: 1, max: 9 }), (where, limit) => {
    const session = made()
    const stored: AuditRow[] = []
    const expected = { missing: [] as string[], strangers: [] as string[] }
    for (const [seq, side] of where.entries()) {
      const claim = stand(session, seq)
      if (side !== 'ours') stored.push({ ...rowOf(claim), seq: side === 'other number' ? seq + 1000 : seq })
      if (side === 'theirs') {
        session.claims.delete(claim.id)
        expected.strangers.push(claim.id)
      } else if (side !== 'both') expected.missing.push(claim.id)
    }
    const found = round(session, stored, limit)
    expect(found.missing.map(({ id }) => id)).toEqual(expected.missing)
    expect(found.strangers.map(({ id }) => id)).toEqual(expected.strangers)
    expect(round(session, stored, limit).missing.length).toBe(expected.missing.length)
  })
  fc.assert(property, { numRuns: 500 })
})

describe('what a page cannot know is left out', () => {
  test('a claim that was confirmed after the beat was sent', () => {
    const session = made()
    stand(session, 1, SENT_MS + 1)
    expect(round(session, [], 4).missing).toEqual([])
  })

  test('a claim that is not known to stand', () => {
    const session = made()
    const claim = stand(session, 1)
    for (const state of ['entering', 'ended'] as const) {
      claim.state = state
      expect(round(session, [], 4).missing).toEqual([])
    }
    claim.state = 'closed'
    expect(round(session, [], 4).missing).toEqual([claim])
  })

  test('a claim that left between two pages', () => {
    const session = made()
    const claims = Array.from({ length: 6 }, (_, seq) => stand(session, seq))
    const stored = claims.map(rowOf)
    session.compare('', page(stored, '', 3), 3, SENT_MS)
    for (const gone of claims.slice(3)) {
      gone.state = 'ended'
      session.claims.delete(gone.id)
    }
    expect(session.compare(session.auditedTo, [], 3, SENT_MS)).toEqual({ missing: [], strangers: [] })
  })

  test('a claim made during a round is found in the next one at the latest', () => {
    const session = made()
    const first = Array.from({ length: 3 }, (_, seq) => stand(session, seq))
    const stored = first.map(rowOf)
    session.compare('', page(stored, '', 3), 3, SENT_MS)
    const later = stand(session, 9)
    const rest = session.compare(session.auditedTo, [], 3, SENT_MS).missing
    expect([...rest, ...round(session, stored, 3).missing]).toContain(later)
  })
})

test('an answer to an older question is compared with what it was about', () => {
  const session = made()
  const claims = Array.from({ length: 6 }, (_, seq) => stand(session, seq))
  const stored = claims.map(rowOf)
  session.compare('', page(stored, '', 3), 3, SENT_MS)
  // The worker asked for the first page as well, and its answer comes late.
  expect(session.compare('', page(stored, '', 3), 3, SENT_MS)).toEqual({ missing: [], strangers: [] })
  expect(session.auditedTo).toBe(claims[2]?.id)
})

test('a session knows how much of its life is left', () => {
  const clock = new StillClock()
  const session = new Session(clock, 0, 'session', 9000)
  expect(session.standing()).toBe('lost')
  expect(session.validForMs()).toBe(0)
  session.confirm(startNow(clock))
  expect(session.standing()).toBe('live')
  expect(session.hasThird()).toBe(true)
  clock.stall(6000)
  expect(session.hasThird()).toBe(false)
  clock.stall(3000)
  expect(session.standing()).toBe('lost')
  session.state = 'detached'
  expect(session.standing()).toBe('live')
  expect(session.validForMs()).toBe(Number.POSITIVE_INFINITY)
})
