/** The quorum's rules, searched through in full on a small model, and the schemes that look as good and are wrong. */
import { describe, expect, test } from 'vitest'
import { AHEAD, type Scheme, type Setting, search } from './quorum-model.ts'

const ours: Scheme = { proposed: true, bornAhead: AHEAD, young: 'if all say yes' }
const setting: Setting = { nodes: 3, takers: 2, losses: 1, until: 2, fresh: false }
const SEARCH_MS = 120_000

describe('in every order of messages, with a node that loses its data', () => {
  test.each([
    ['in a namespace that has been there for long', setting],
    ['in a new namespace', { ...setting, fresh: true }],
    ['with four nodes', { ...setting, nodes: 4, until: 1 }],
  ])('never two hold at once, and fences rise: %s', { timeout: SEARCH_MS }, (_, where) => {
    const { broken, trace, states } = search(ours, where)
    expect(broken, trace.join('; ')).toBe(null)
    expect(states).toBeGreaterThan(100_000)
  })
})

describe('the search finds what is wrong with', () => {
  test('counting an empty node as any other', { timeout: SEARCH_MS }, () => {
    const { broken, trace } = search({ ...ours, young: 'as any other' }, setting)
    expect(broken).toBe('two hold at once')
    expect(trace.filter((step) => step.endsWith('loses its data'))).toHaveLength(1)
  })

  test('numbers of an empty node that begin at its clock', { timeout: SEARCH_MS }, () => {
    expect(search({ ...ours, bornAhead: 0 }, setting).broken).toBe('a fence does not rise')
  })

  test('the largest of the numbers that nodes chose themselves, though no node loses anything', {
    timeout: SEARCH_MS,
  }, () => {
    const { broken, trace } = search({ ...ours, proposed: false }, { ...setting, takers: 3, losses: 0, until: 1 })
    expect(broken).toBe('a fence does not rise')
    expect(trace.join()).not.toContain('loses its data')
  })
})
