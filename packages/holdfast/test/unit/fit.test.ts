/** When an open claim may serve the next task of its process: each rule by itself. */
import { describe, expect, test } from 'vitest'
import { EXCLUSIVE } from '../../src/admission.ts'
import { type Fit, fit } from '../../src/front/fit.ts'
import { Hold } from '../../src/front/hold.ts'
import type { Wish } from '../../src/front/task.ts'
import { Claim } from '../../src/keeper/claim.ts'
import type { Keeper } from '../../src/keeper/keeper.ts'
import { Session } from '../../src/keeper/session.ts'
import { startNow, trustedMs } from '../../src/keeper/tenure.ts'
import { StillClock } from './still-clock.ts'

const TTL_MS = 9000
const SLICE_MS = 50
const PASSES = 3

const writer: Wish = {
  weight: EXCLUSIVE,
  capacity: EXCLUSIVE,
  shared: false,
  slot: false,
  maxHoldMs: null,
  label: null,
  value: null,
  alone: false,
  detached: false,
}
const reader: Wish = { ...writer, weight: 1, shared: true }
const permit: Wish = { ...writer, weight: 2, capacity: 5 }

/** All that the rules look at: a claim that has just opened, the clocks, the settings. */
function made(wish: Wish, kind: 'lock' | 'semaphore' = 'lock') {
  const clock = new StillClock()
  const session = new Session(clock, 0, 'session', TTL_MS)
  session.confirm(startNow(clock))
  const claim = new Claim(`${kind}:x`, wish, 'queue', {
    opened() {},
    refused() {},
    lost() {},
    retimed() {},
    failed() {},
  })
  claim.session = session
  claim.state = 'open'
  claim.freshMs = clock.monotonicMs()
  const keeper = {
    clock,
    settings: { sliceMs: SLICE_MS, passes: PASSES },
    check: () => session.standing(),
  } as unknown as Keeper
  const hold = new Hold({ keeper, freed() {}, began() {}, ended() {} }, claim, clock.monotonicMs(), false)
  const ask = (next: Wish): Fit => fit(hold, next, keeper.settings, clock.monotonicMs(), false)
  const use = (next: Wish = wish): (() => void) => {
    hold.passes++
    const grant = hold.grant(next, 0, clock.monotonicMs())
    return () => void hold.release(grant)
  }
  const end = (maxHoldMs: number | null): void => {
    claim.end = maxHoldMs === null ? null : { start: startNow(clock), lengthMs: trustedMs(maxHoldMs) }
  }
  return { clock, session, claim, hold, ask, use, end }
}

describe('a mutex', () => {
  test('is granted when it is free, and soon when it is used', () => {
    const { ask, use } = made(writer)
    expect(ask(writer)).toBe('now')
    const release = use()
    expect(ask(writer)).toBe('soon')
    release()
    expect(ask(writer)).toBe('now')
  })

  test('is never handed to a reader, nor to a task that wants a claim of its own', () => {
    const { ask, use } = made(writer)
    use()()
    expect(ask(reader)).toBe('never')
    expect(ask({ ...writer, alone: true })).toBe('never')
  })

  test('is not handed on when it is alone, over or out of numbers', () => {
    const alone = made(writer)
    Object.assign(alone.hold, { alone: true })
    expect(alone.ask(writer)).toBe('never')
    const over = made(writer)
    over.hold.over = true
    expect(over.ask(writer)).toBe('never')
    const used = made(writer)
    for (let left = 1023; left > 0; left--) {
      used.hold.passes = 0
      expect(used.ask(writer)).toBe('now')
      used.use()()
    }
    expect(used.ask(writer)).toBe('never')
  })
})

describe('what is known of the line', () => {
  test('must be younger than a slice, else the store is asked', () => {
    const { clock, ask, use } = made(writer)
    use()()
    clock.stall(SLICE_MS - 1)
    expect(ask(writer)).toBe('now')
    clock.stall(1)
    expect(ask(writer)).toBe('ask')
  })

  test('does not matter for the one for whom the claim was opened', () => {
    const { clock, ask } = made(writer)
    clock.stall(SLICE_MS * 10)
    expect(ask(writer)).toBe('now')
  })

  test('while others wait there are so many hand-overs and no more', () => {
    const { claim, hold, ask, use } = made(writer)
    claim.contended = true
    use()()
    for (let left = PASSES; left > 0; left--) {
      expect(ask(writer)).toBe('now')
      use()()
    }
    expect(ask(writer)).toBe('never')
    hold.passes = 0
    expect(ask(writer)).toBe('now')
  })

  test('while others wait there is one slice and no more', () => {
    const { clock, claim, ask, use } = made(writer)
    claim.contended = true
    use()()
    clock.stall(SLICE_MS)
    expect(ask(writer)).toBe('never')
  })

  test('a question on its way is waited for', () => {
    const { hold, ask, use } = made(writer)
    use()()
    hold.preparing = true
    expect(ask(writer)).toBe('soon')
  })
})

describe('the session', () => {
  test('with less than a third of its life left it is beaten first', () => {
    const { clock, hold, ask, use } = made(writer)
    use()()
    clock.stall(TTL_MS * 0.7)
    hold.baseMs = clock.monotonicMs()
    expect(ask(writer)).toBe('ask')
  })

  test('in doubt it hands nothing on, lost it serves nobody', () => {
    const { clock, session, ask, use } = made(writer)
    use()()
    clock.step(TTL_MS)
    expect(session.standing()).toBe('suspect')
    expect(ask(writer)).toBe('ask')
    session.state = 'lost'
    expect(ask(writer)).toBe('never')
  })

  test('a claim that nobody has had yet, and that got another end, serves whom it was given for', () => {
    const { claim, hold, ask, end } = made({ ...writer, maxHoldMs: 1000 })
    end(1000)
    const longer: Wish = { ...writer, maxHoldMs: 5000 }
    expect(ask(longer)).toEqual({ maxHoldMs: 5000 })
    hold.stampedMs = 5000
    end(5000)
    expect(claim.endMs).not.toBeNull()
    expect(ask(longer)).toBe('now')
  })

  test('a claim of which the store says that it is gone is handed on to nobody', () => {
    const { claim, ask, use } = made(writer)
    use()()
    claim.doubted = true
    expect(ask(writer)).toBe('ask')
  })
})

describe('readers', () => {
  test('share a claim that readers use', () => {
    const { ask, use } = made(reader)
    use()
    expect(ask(reader)).toBe('now')
    expect(ask(writer)).toBe('never')
  })

  test('do not join while a writer waits elsewhere, nor on old knowledge', () => {
    const { clock, claim, ask, use } = made(reader)
    use()
    clock.stall(SLICE_MS)
    expect(ask(reader)).toBe('ask')
    claim.contended = true
    claim.freshMs = clock.monotonicMs()
    expect(ask(reader)).toBe('never')
  })

  test('share only if no end could cut one of them short', () => {
    const own = made(reader)
    own.use()
    expect(own.ask({ ...reader, maxHoldMs: 5000 })).toBe('never')
    const ending = made({ ...reader, maxHoldMs: 5000 })
    ending.end(5000)
    ending.use()
    expect(ending.ask(reader)).toBe('never')
  })
})

describe('permits', () => {
  test('a freed claim passes to a task of its weight, and is made lighter first for a lighter one', () => {
    const { claim, ask, use } = made(permit, 'semaphore')
    use()()
    expect(ask(permit)).toBe('now')
    expect(ask({ ...permit, weight: 1 })).toEqual({ weight: 1, maxHoldMs: null })
    claim.weight = 1
    expect(ask({ ...permit, weight: 1 })).toBe('now')
  })

  test('it never passes to a heavier task, to one of another belief, or with and without a slot', () => {
    const { ask, use } = made(permit, 'semaphore')
    use()()
    expect(ask({ ...permit, weight: 3 })).toBe('never')
    expect(ask({ ...permit, capacity: 10 })).toBe('never')
    expect(ask({ ...permit, slot: true })).toBe('never')
  })

  test('one that is used is nobody else’s', () => {
    const { ask, use } = made(permit, 'semaphore')
    use()
    expect(ask(permit)).toBe('never')
  })
})

describe('the hard end', () => {
  test('a claim without one serves a task without one; else the store is told first', () => {
    const { ask, use, end } = made(writer)
    use()()
    expect(ask({ ...writer, maxHoldMs: 1000 })).toEqual({ maxHoldMs: 1000 })
    end(3_600_000)
    expect(ask(writer)).toEqual({ maxHoldMs: null })
  })

  test('it may lie between the task’s own and one slice after it', () => {
    const { ask, use, end } = made({ ...writer, maxHoldMs: 1000 })
    end(1000)
    use()()
    const left = trustedMs(1000)
    const asked = (maxHoldMs: number): Fit => ask({ ...writer, maxHoldMs })
    expect(asked(left)).toBe('now')
    expect(asked(left - SLICE_MS)).toBe('now')
    expect(asked(left - SLICE_MS - 1)).toEqual({ maxHoldMs: left - SLICE_MS - 1 })
    expect(asked(left + 1)).toEqual({ maxHoldMs: left + 1 })
  })

  test('a claim that was restamped for the task serves it, and is asked for once only', () => {
    const { hold, ask, use, end } = made({ ...writer, maxHoldMs: 3_600_000 })
    end(3_600_000)
    use()()
    const short = { ...writer, maxHoldMs: 1000 }
    expect(ask(short)).toEqual({ maxHoldMs: 1000 })
    end(1000)
    hold.stampedMs = 1000
    expect(ask(short)).toBe('now')
    expect(ask({ ...writer, maxHoldMs: 2000 })).toEqual({ maxHoldMs: 2000 })
  })

  test('what was opened for a task with that end serves it, though our reckoning is a trifle shorter', () => {
    const { ask, end } = made({ ...writer, maxHoldMs: 1000 })
    end(1000)
    expect(ask({ ...writer, maxHoldMs: 1000 })).toBe('now')
  })

  test('a restamped claim whose end has passed meanwhile serves nobody', () => {
    const { clock, hold, ask, use, end } = made(writer)
    use()()
    end(30)
    hold.stampedMs = 30
    clock.stall(40)
    expect(ask({ ...writer, maxHoldMs: 30 })).toBe('never')
  })
})
