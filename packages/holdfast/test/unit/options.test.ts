/** Options of the object and of a take: defaults, bounds, and no half-legal values. */
import { describe, expect, test } from 'vitest'
import type { HoldfastOptions } from '../../src/index.ts'
import { bounded, checkTake, parseSettings, parseWait, whole } from '../../src/options.ts'

const settings = (options: Record<string, unknown> = {}, ttlMsMin = 0) =>
  parseSettings({ namespace: 'shop', ...options } as HoldfastOptions, ttlMsMin)

test('what is not given has the default that is documented', () => {
  expect(settings()).toEqual({
    namespace: 'shop',
    ttlMs: 15_000,
    maxTtlMs: 60_000,
    heartbeat: 'auto',
    maxStallMs: 30_000,
    front: true,
    passes: 16,
    sliceMs: 50,
    lingerMs: 0,
    warnAfterMs: 60_000,
    quarantine: false,
    defaults: {},
  })
})

test('undefined is not given', () => {
  const names = ['ttl', 'maxTtl', 'heartbeat', 'maxStall', 'front', 'defaults', 'warnAfter', 'quarantine']
  expect(settings(Object.fromEntries(names.map((name) => [name, undefined])))).toEqual(settings())
  expect(settings({ front: { passes: undefined, slice: undefined, linger: undefined } })).toEqual(settings())
})

test('a namespace has no default', () => {
  expect(() => parseSettings({} as HoldfastOptions, 0)).toThrow(/namespace must be a string/)
  expect(() => parseSettings(undefined as unknown as HoldfastOptions, 0)).toThrow(
    "options must be an object with a namespace, such as { namespace: 'shop' }, not undefined",
  )
})

describe('bounds are kept, and named when they are not', () => {
  test.each([
    [{ ttl: '999ms' }, 'ttl must be at least 1000 ms'],
    [{ ttl: '61s' }, 'ttl must be at most maxTtl (1m), not "61s"'],
    [{ ttl: '5m', maxTtl: '4m' }, 'ttl must be at most maxTtl (4m), not "5m"'],
    [{ maxTtl: '11m' }, 'maxTtl must be at most 600000 ms'],
    [{ maxTtl: '999ms' }, 'maxTtl must be at least 1000 ms'],
    [{ maxStall: '99ms' }, 'maxStall must be at least 100 ms'],
    [{ front: { passes: 1024 } }, 'front.passes must be a whole number from 0 to 1023'],
    [{ front: { passes: 1.5 } }, 'front.passes must be a whole number'],
    [{ front: { slice: '0ms' } }, 'front.slice must be at least 1 ms'],
    [{ front: { slice: '61s' } }, 'front.slice must be at most 60000 ms'],
    [{ front: { linger: '61s' } }, 'front.linger must be at most 60000 ms'],
    [{ warnAfter: '0ms' }, 'warnAfter must be at least 1 ms'],
    [{ heartbeat: 'never' }, 'heartbeat must be one of auto, worker, main, not "never"'],
    [{ front: true }, 'front must be an object'],
    [{ front: [] }, 'front must be an object, not an array'],
    [{ quarantine: 1 }, 'quarantine must be true or false, not 1'],
    [{ defaults: { wait: '-5s' } }, 'wait must be digits and a unit'],
    [{ defaults: { maxHold: 5 } }, 'maxHold must be a duration with its unit'],
    [{ defaults: { label: 'x' } }, '"label" is no option here; there are wait, maxHold'],
  ])('%j', (options, message) => {
    expect(() => settings(options)).toThrow(message)
  })

  test('what is just inside is taken', () => {
    expect(settings({ ttl: '1s', maxTtl: '10m' })).toMatchObject({ ttlMs: 1000, maxTtlMs: 600_000 })
    expect(settings({ front: { passes: 1023, slice: '60s', linger: '60s' } })).toMatchObject({ passes: 1023 })
    expect(settings({ front: false })).toMatchObject({ front: false })
  })

  test('a backend may ask for a longer ttl, which is named', () => {
    expect(settings({ ttl: '3s' }, 3000).ttlMs).toBe(3000)
    expect(() => settings({ ttl: '2s' }, 3000)).toThrow('ttl must be at least 3000 ms, not "2s"')
  })
})

describe('a wait', () => {
  test('is a time, 0 or for ever', () => {
    expect(parseWait('5s')).toBe(5000)
    expect(parseWait(0)).toBe(0)
    expect(parseWait('0ms')).toBe(0)
    expect(parseWait('forever')).toBe(Number.POSITIVE_INFINITY)
  })
  test.each([5, -0.5, Number.NaN, Number.POSITIVE_INFINITY, null, 0n])('is no bare number: %s', (value) => {
    expect(() => parseWait(value)).toThrow(TypeError)
  })
  test('is nothing that only looks right', () => {
    for (const text of ['Forever', '0', '', 'for ever', '5']) expect(() => parseWait(text)).toThrow(RangeError)
  })
})

test('options of a take are copied, checked, and refused if nobody knows them', () => {
  const options = { wait: '5s', label: 'x' } as const
  expect(checkTake(options)).toEqual(options)
  expect(checkTake(options)).not.toBe(options)
  expect(() => checkTake({ maxhold: '1s' } as never)).toThrow(/"maxhold" is no option/)
  expect(checkTake(undefined)).toEqual({})
  for (const bad of [{ wait: 5 }, { maxHold: '0ms' }, { label: 'x'.repeat(257) }, { detached: 1 }, { fair: 'yes' }]) {
    expect(() => checkTake(bad as never)).toThrow(Object.keys(bad)[0])
  }
  for (const signal of [{}, null, 'x', { aborted: true }])
    expect(() => checkTake({ signal } as never)).toThrow(/signal/)
})

test('numbers are whole and within their bounds', () => {
  expect(whole('count', 5, 1, 5)).toBe(5)
  for (const bad of [0, 6, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => whole('count', bad, 1, 5)).toThrow(RangeError)
  }
  expect(() => whole('count', '5', 1, 5)).toThrow(TypeError)
  expect(() => bounded('ttl', '5s', 6000, 7000)).toThrow('ttl must be at least 6000 ms, not "5s"')
})
