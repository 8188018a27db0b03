/** Cells at the port: compare and set, times to live, counted sets, and repeated requests. */
import { expect } from 'vitest'
import type { CellWrite } from '../../src/port.ts'
import { claimDraft, key, sessionDraft, terms } from './bench.ts'
import type { Facts } from './facts.ts'

const write = (opId: string, changes: Partial<CellWrite> = {}): CellWrite => ({
  opId,
  notAfterMs: Number.MAX_SAFE_INTEGER,
  minSeq: 0,
  ifVersion: undefined,
  ttlMs: null,
  ...changes,
})

export const cellFacts: Facts = {
  'a cell is written only if it has the version that the writer saw': async (bench) => {
    const { cells } = await bench.client()
    expect(await cells.get('x')).toBeNull()
    const first = await cells.set('x', 'one', write('1', { ifVersion: null }))
    expect(await cells.set('x', 'two', write('2', { ifVersion: null }))).toMatchObject({ state: 'refused' })
    expect(await cells.set('x', 'two', write('3', { ifVersion: 5 }))).toMatchObject({ state: 'refused' })
    const version = first.state === 'written' ? first.version : 0
    const second = await cells.set('x', 'two', write('4', { ifVersion: version }))
    expect(second.state === 'written' && second.version > version).toBe(true)
    expect(await cells.get('x')).toEqual({ value: 'two', version: second.state === 'written' ? second.version : 0 })
  },

  'versions come from the numbers of the lines and are never used again': async (bench) => {
    const client = await bench.client()
    await client.open(sessionDraft('a'))
    const seen: number[] = []
    const note = (answer: object): void => {
      if ('seq' in answer) seen.push(Number(answer.seq))
      if ('version' in answer) seen.push(Number(answer.version))
    }
    note(await client.cells.set('x', '', write('1')))
    note(await client.enter(key('a'), claimDraft('a1'), terms()))
    await client.cells.remove('x')
    note(await client.cells.set('x', '', write('2')))
    note(await client.cells.set('y', '', write('3', { minSeq: 2 ** 52 })))
    note(await client.cells.set('y', '', write('4')))
    expect(seen).toHaveLength(5)
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b))
  },

  'a repeated write answers what the first one did, whatever happened in between': async (bench) => {
    const { cells } = await bench.client()
    const { serverMs } = await cells.set('x', 'one', write('1'))
    const soon = { notAfterMs: serverMs + 1000 }
    const first = await cells.set('y', 'a', write('2', { ...soon, ifVersion: null }))
    await cells.set('y', 'b', write('3'))
    expect(await cells.set('y', 'a', write('2', { ...soon, ifVersion: null }))).toEqual(first)
    expect(await cells.get('y')).toMatchObject({ value: 'b' })
    const refused = await cells.set('y', 'c', write('4', { ...soon, ifVersion: null }))
    await cells.remove('y')
    expect(await cells.set('y', 'c', write('4', { ...soon, ifVersion: null }))).toEqual(refused)
    bench.clock.advance(2000)
    expect(await cells.set('y', 'a', write('2', { ...soon, ifVersion: null }))).toMatchObject({ state: 'written' })
    expect(await cells.get('y')).toBeNull()
    expect(await cells.set('y', 'd', write('5', soon))).toMatchObject({ state: 'too-late' })
    bench.clock.advance(100_000)
    expect(await cells.set('y', 'a', write('2', { ...soon, ifVersion: null }))).toMatchObject({ state: 'too-late' })
  },

  'a cell with a time to live is there until then and not any more then': async (bench) => {
    const { cells } = await bench.client()
    await cells.set('x', 'one', write('1', { ttlMs: 1000 }))
    bench.clock.advance(999)
    expect(await cells.get('x')).toMatchObject({ value: 'one' })
    bench.clock.advance(1)
    expect(await cells.get('x')).toBeNull()
    expect(await cells.set('x', 'two', write('2', { ifVersion: null }))).toMatchObject({ state: 'written' })
    bench.clock.advance(10_000)
    expect(await cells.get('x')).toMatchObject({ value: 'two' })
  },

  'a set counts each member once, and begins anew after its end or its removal': async (bench) => {
    const { cells } = await bench.client()
    const long = { notAfterMs: Number.MAX_SAFE_INTEGER, ttlMs: 1000 }
    expect(await cells.add('x', 'a', long)).toMatchObject({ state: 'counted', count: 1 })
    expect(await cells.add('x', 'a', long)).toMatchObject({ count: 1 })
    expect(await cells.add('x', 'b', long)).toMatchObject({ count: 2 })
    expect(await cells.count('x')).toBe(2)
    expect(await cells.count('y')).toBe(0)
    expect(await cells.add('x', 'c', { ...long, notAfterMs: 0 })).toMatchObject({ state: 'too-late', count: 2 })
    bench.clock.advance(500)
    await cells.add('x', 'd', long)
    bench.clock.advance(999)
    expect(await cells.count('x')).toBe(3)
    bench.clock.advance(1)
    expect(await cells.count('x')).toBe(0)
    expect(await cells.add('x', 'a', long)).toMatchObject({ count: 1 })
    await cells.remove('x')
    expect(await cells.count('x')).toBe(0)
    expect(await cells.add('x', 'z', long)).toMatchObject({ count: 1 })
  },

  'every change of a cell is told by its name, and nothing else is': async (bench) => {
    const { cells, hints, listen } = await bench.client()
    const other = await bench.client()
    await other.listen()
    await cells.set('x', 'one', write('1'))
    await cells.set('x', 'one', write('1'))
    await cells.set('x', 'two', write('2', { ifVersion: 3 }))
    await cells.get('x')
    await bench.settled()
    expect(other.hints).toEqual(['x'])
    await cells.add('y', 'a', { notAfterMs: 2 ** 50, ttlMs: 1000 })
    await cells.add('y', 'a', { notAfterMs: 2 ** 50, ttlMs: 1000 })
    await cells.remove('y')
    await cells.remove('y')
    await cells.remove('x')
    await bench.settled()
    bench.clock.advance(1000)
    await bench.settled()
    expect(other.hints).toEqual(['x', 'y', 'y', 'x'])
    expect(hints).toEqual([])
    expect(typeof listen).toBe('function')
  },
}
