/** Until when a session is ours: three clocks, two records, and no belief beyond the trusted part of a ttl. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { startNow, TENURE_BYTES, Tenure, TenureWriter, trustedMs } from '../../src/keeper/tenure.ts'
import { StillClock } from './still-clock.ts'

const TTL_MS = 10_000
const TRUSTED_MS = 9_898

function begun(ttlMs = TTL_MS): { clock: StillClock; tenure: Tenure; main: TenureWriter; worker: TenureWriter } {
  const clock = new StillClock()
  const tenure = new Tenure(clock, ttlMs)
  const main = new TenureWriter(tenure.buffer, 0)
  main.write(startNow(clock))
  return { clock, tenure, main, worker: new TenureWriter(tenure.buffer, 1) }
}

test('a holder believes in 99 % of the ttl less 2 ms', () => {
  expect(trustedMs(TTL_MS)).toBe(TRUSTED_MS)
  const { clock, tenure } = begun()
  expect(tenure.untilMs).toBe(clock.monotonicMs() + TRUSTED_MS)
  clock.stall(TRUSTED_MS)
  expect(tenure.standing()).toBe('live')
  clock.stall(0.5)
  expect(tenure.standing()).toBe('lost')
})

test('what has not begun is lost', () => {
  expect(new Tenure(new StillClock(), TTL_MS).standing()).toBe('lost')
})

test('the moment before the request counts, not that of the answer', () => {
  const { clock, tenure, main } = begun()
  clock.stall(5000)
  const sent = startNow(clock)
  clock.stall(3000)
  main.write(sent)
  expect(tenure.untilMs).toBe(sent.monotonicMs + TRUSTED_MS)
})

describe('the clocks', () => {
  test('a machine that slept makes it suspect, and a confirmed beat heals it', () => {
    const { clock, tenure, main } = begun()
    clock.sleep(TTL_MS + 100)
    expect(tenure.standing()).toBe('suspect')
    main.write(startNow(clock))
    expect(tenure.standing()).toBe('live')
  })

  test('a wall clock that is set forward makes it suspect, one that is set back does not', () => {
    const forward = begun()
    forward.clock.step(TTL_MS + 100)
    expect(forward.tenure.standing()).toBe('suspect')
    const back = begun()
    back.clock.step(-86_400_000)
    expect(back.tenure.standing()).toBe('live')
    back.clock.stall(TRUSTED_MS + 1)
    expect(back.tenure.standing()).toBe('lost')
  })

  test('a wall clock that was set back does not hide that the machine slept', () => {
    const { clock, tenure } = begun()
    clock.sleep(TTL_MS + 100)
    clock.step(-TTL_MS - 100)
    clock.stall(11)
    expect(tenure.standing()).toBe('suspect')
  })

  test('the monotonic clock alone decides that it is lost', () => {
    const step = fc.record({
      stall: fc.integer({ min: 0, max: 4000 }),
      sleep: fc.integer({ min: 0, max: 4000 }),
      step: fc.integer({ min: -20_000, max: 20_000 }),
    })
    const property = fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
      const { clock, tenure } = begun()
      const start = startNow(clock)
      for (const each of steps) {
        clock.stall(each.stall)
        clock.sleep(each.sleep)
        clock.step(each.step)
        const standing = tenure.standing()
        const goneMs = clock.monotonicMs() - start.monotonicMs
        expect(standing === 'lost').toBe(goneMs > TRUSTED_MS)
        const wallMs = clock.wallMs() - start.wallMs
        // Beyond the grain of the clocks nothing that any clock says is over is believed in.
        if (standing === 'live') expect(wallMs).toBeLessThanOrEqual(TTL_MS)
      }
    })
    fc.assert(property, { numRuns: 500 })
  })
})

describe('the two records', () => {
  test('the later start counts, whoever wrote it', () => {
    const { clock, tenure, main, worker } = begun()
    clock.stall(4000)
    worker.write(startNow(clock))
    expect(tenure.startMs).toBe(clock.monotonicMs())
    clock.stall(1000)
    main.write(startNow(clock))
    expect(tenure.startMs).toBe(clock.monotonicMs())
    worker.write({ ...startNow(clock), monotonicMs: clock.monotonicMs() - 3000 })
    expect(tenure.startMs).toBe(clock.monotonicMs())
  })

  test('another thread sees the same memory', () => {
    const { clock, tenure } = begun()
    expect(tenure.buffer.byteLength).toBe(TENURE_BYTES)
    const seen = new Tenure(clock, TTL_MS, tenure.buffer)
    expect(seen.untilMs).toBe(tenure.untilMs)
    clock.stall(3000)
    new TenureWriter(tenure.buffer, 1).write(startNow(clock))
    expect(seen.standing()).toBe('live')
    expect(seen.startMs).toBe(clock.monotonicMs())
  })

  test('a record whose writer was stopped in the middle counts as it was read before', () => {
    const { clock, tenure, worker } = begun()
    clock.stall(4000)
    worker.write(startNow(clock))
    const later = tenure.startMs
    Atomics.add(new Int32Array(tenure.buffer, 0, 2), 1, 1)
    expect(tenure.startMs).toBe(later)
    expect(tenure.standing()).toBe('live')
  })

  test('a record that was never read whole does not count, and the other does', () => {
    const { clock, tenure, worker } = begun()
    clock.stall(4000)
    worker.write(startNow(clock))
    Atomics.add(new Int32Array(tenure.buffer, 0, 2), 1, 1)
    expect(tenure.startMs).toBe(clock.monotonicMs() - 4000)
    expect(tenure.standing()).toBe('live')
  })
})
