/** Call chains: known inside `run` only, innermost first, and never of a lease that has ended. */
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { heldInChain, latest, runOutside, runUnder } from '../../src/front/chain.ts'
import type { Grant } from '../../src/front/grant.ts'

/** All that a chain looks at. */
interface Held {
  readonly name: string
  state: Grant['state']
  successor: Grant | null
}

function grant(name: string): Grant & Held {
  const held: Held = { name, state: 'held', successor: null }
  return held as unknown as Grant & Held
}

const names = (): string[] => heldInChain(() => true).map((one) => (one as unknown as Held).name)

test('outside of any run there is no chain', () => {
  expect(names()).toEqual([])
})

test('the innermost comes first, and everything started inside is in the chain', async () => {
  await runUnder([grant('a')], async () => {
    await pause(1)
    await runUnder([grant('b'), grant('c')], async () => {
      expect(names()).toEqual(['b', 'c', 'a'])
      await new Promise((resolve) => setTimeout(() => resolve(expect(names()).toEqual(['b', 'c', 'a'])), 1))
      await Promise.all([1, 2].map(async () => expect(names()).toEqual(['b', 'c', 'a'])))
    })
    expect(names()).toEqual(['a'])
  })
  expect(names()).toEqual([])
})

test('siblings do not see each other', async () => {
  await runUnder([grant('a')], () =>
    Promise.all(
      ['b', 'c'].map((name) =>
        runUnder([grant(name)], async () => {
          await pause(2)
          expect(names()).toEqual([name, 'a'])
        }),
      ),
    ),
  )
})

test('after its end a grant has no descendants: what was started inside is a stranger', async () => {
  const a = grant('a')
  let left: Promise<void> = Promise.resolve()
  await runUnder([a], async () => {
    left = pause(5).then(() => expect(names()).toEqual([]))
  })
  a.state = 'released'
  await left
})

test('a grant that was lost in the middle is left out, those around it stay', () => {
  const [a, b, c] = [grant('a'), grant('b'), grant('c')]
  runUnder([a], () =>
    runUnder([b], () =>
      runUnder([c], () => {
        b.state = 'lost'
        expect(names()).toEqual(['c', 'a'])
      }),
    ),
  )
})

test('what a grant became by a downgrade stands in its place', () => {
  const [writer, reader] = [grant('writer'), grant('reader')]
  runUnder([writer], () => {
    writer.state = 'released'
    writer.successor = reader
    expect(names()).toEqual(['reader'])
    expect(latest(writer)).toBe(reader)
    expect(latest(reader)).toBe(reader)
  })
})

test('outside is nowhere, and a chain begun there is of its own', async () => {
  await runUnder([grant('a')], async () => {
    await runOutside(async () => {
      await pause(1)
      expect(names()).toEqual([])
      runUnder([grant('b')], () => expect(names()).toEqual(['b']))
    })
    expect(names()).toEqual(['a'])
  })
})

test('only what is asked for is found', () => {
  runUnder([grant('a')], () =>
    runUnder([grant('b')], () => {
      const found = heldInChain((one) => (one as unknown as Held).name === 'a')
      expect(found).toHaveLength(1)
    }),
  )
})

test('what the function gives or throws comes through', () => {
  expect(runUnder([], () => 5)).toBe(5)
  expect(runOutside(() => 6)).toBe(6)
  const throws = (): never => {
    throw new Error('own')
  }
  expect(() => runUnder([], throws)).toThrow('own')
})
