/** What a run found, judged and drawn: made-up findings, hostile ones among them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { SaleFound } from '../src/contest/sale.ts'
import { sourceOf } from '../src/contest/source.ts'
import { judge } from '../src/contest/verdict.ts'
import { comparisonsIn } from '../src/findings/comparisons.ts'
import { type Findings, type FoundStrategy, readFindings } from '../src/findings/findings.ts'
import { pageOf } from '../src/findings/page.ts'
import { together } from '../src/findings/timeline-picture.ts'
import { SCENES } from '../src/scenes/index.ts'
import type { PlayedScene } from '../src/scenes/playing.ts'
import { beliefs, mostAtOnce } from '../src/scenes/timeline.ts'
import { STRATEGIES, strategyOf } from '../src/strategies/index.ts'

const SOURCES = new URL('../src/strategies/', import.meta.url)
const crowd = { stock: 100, requests: 500, concurrency: 20, processes: 2, secondsMax: 6 }

function sale(strategy: string, changes: Partial<SaleFound> = {}): SaleFound {
  return {
    strategy,
    crowd,
    rush: { served: 500, cut: 0, failed: 0, seconds: 1, requestsPerSecond: 500, p50Ms: 5, p99Ms: 50 },
    unfinished: 0,
    books: { left: 0, sold: 100 },
    oversold: 0,
    lost: 0,
    sellingSeconds: 0.5,
    waits: { p50Ms: 1, p95Ms: 2, p99Ms: 3 },
    tally: { commands: 1000, wasted: 0, faults: {}, peaks: {} },
    ...changes,
  }
}

function played(name: string, broken: boolean, expected: 'breaks' | 'holds'): PlayedScene {
  const scene = SCENES.find((one) => one.name === name)
  if (scene === undefined) throw new Error(`no scene ${name}`)
  return { scene, strategy: 'x', expect: expected, outcome: { broken, says: 'so' }, happenings: [], beliefs: [] }
}

test('what oversells is wrong, what a scene breaks is right until then, what nothing breaks is right', () => {
  const oversold = sale('no-lock', { oversold: 3, books: { left: 0, sold: 103 } })
  expect(judge(strategyOf('no-lock'), oversold, [])).toMatchObject({ verdict: 'wrong', surprises: [] })
  const broken = [played('outlives-ttl', true, 'breaks')]
  expect(judge(strategyOf('delete-by-script'), sale('delete-by-script'), broken)).toEqual({
    verdict: 'right until',
    because: ['the work outlives the lock'],
    surprises: [],
  })
  expect(judge(strategyOf('fenced'), sale('fenced'), [played('late-write', false, 'holds')])).toMatchObject({
    verdict: 'right',
  })
})

test('whoever turns out to be other than it says is a surprise, and so is a scene', () => {
  expect(judge(strategyOf('no-lock'), sale('no-lock'), []).surprises).toHaveLength(1)
  expect(judge(strategyOf('fenced'), sale('fenced'), [played('late-write', true, 'holds')]).surprises).toHaveLength(2)
})

test('whoever says that it is right has to sell, and to answer everybody', () => {
  const idle = sale('fenced', { books: { left: 100, sold: 0 } })
  expect(judge(strategyOf('fenced'), idle, []).surprises).toEqual(['it sold nothing'])
  const { rush } = sale('fenced')
  const failing = sale('fenced', { rush: { ...rush, failed: 2, cut: 1 } })
  expect(judge(strategyOf('fenced'), failing, []).surprises).toEqual(['3 requests were refused or failed'])
})

test('the line at which a strategy points is in its file', () => {
  for (const strategy of STRATEGIES) {
    const { text, line } = sourceOf(strategy, SOURCES)
    expect(text.split('\n')[line - 1]).toContain(strategy.source.line)
    // The pointer itself is not what is meant.
    expect(text.split('\n')[line - 1]).not.toContain('line: ')
  }
})

test('a belief lasts until it is let go, or to the end', () => {
  const told = [
    { atMs: 1, who: 'A', what: 'holds the lock' },
    { atMs: 4, who: 'B', what: 'holds the lock' },
    { atMs: 6, who: 'A', what: 'let go' },
    { atMs: 8, who: 'B', what: 'is killed' },
    { atMs: 9, who: 'A', what: 'holds the lock' },
  ]
  const found = beliefs(told, 20)
  expect(found.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
    [1, 6],
    [4, 8],
    [9, 20],
  ])
  expect(mostAtOnce(found)).toBe(2)
  expect(together(found)).toEqual([{ fromMs: 4, toMs: 6 }])
})

function found(name: string, changes: Partial<FoundStrategy> = {}): FoundStrategy {
  const { step, title, store, made, fixes, leaves, verdict: claims } = strategyOf(name)
  return {
    ...{ name, step, title, store, made, fixes, leaves, claims },
    source: { text: 'one\ntwo\n', line: 2 },
    sale: sale(name),
    scenes: [],
    judged: { verdict: 'right', because: [], surprises: [] },
    ...changes,
  }
}

test('ratios are of one run, and only of what it has both sides of', () => {
  const slow = found('one-segment', { sale: sale('one-segment', { sellingSeconds: 4 }) })
  const fast = found('ten-segments', { sale: sale('ten-segments', { sellingSeconds: 0.5 }) })
  expect(comparisonsIn([slow, fast])).toMatchObject([{ better: 'ten-segments', figures: [{ ratio: 8 }] }])
  expect(comparisonsIn([slow])).toEqual([])
})

test('whatever is in the findings, the page runs nothing of it', () => {
  const evil = '<img src=x onerror=alert(1)>"\'&</pre><script>alert(1)</script>'
  const scene = {
    name: evil,
    title: evil,
    strategy: evil,
    broken: true,
    says: evil,
    happenings: [{ atMs: 1, who: evil, what: evil }],
    beliefs: [{ who: evil, fromMs: 0, toMs: 5 }],
  }
  const findings: Findings = {
    at: evil,
    machine: [evil],
    crowd,
    strategies: [
      found('no-lock', {
        name: evil,
        title: evil,
        fixes: evil,
        leaves: evil,
        source: { text: evil, line: 1 },
        scenes: [scene],
      }),
    ],
    leftOut: [{ name: evil, step: 1, title: evil, needs: evil }],
  }
  const page = pageOf(findings)
  expect(page).not.toMatch(/<script|<img/)
  expect(page).toContain('&lt;img')
})

test('what a run has not written is not drawn: a number or a verdict may not be text for a page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'findings-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'found.json')
  const evil = '<script>alert(1)</script>' as never
  const good = found('no-lock')
  const findings = { at: '', machine: [], crowd, strategies: [good], leftOut: [] }
  const texts = [
    ...['', '{', 'null', '[]', '{"strategies":[]}', '{"strategies":null}'],
    ...[
      { ...findings, crowd: { ...crowd, stock: evil } },
      { ...findings, strategies: [{ ...good, step: evil }] },
      { ...findings, strategies: [{ ...good, sale: { ...good.sale, books: { sold: evil, left: 0 } } }] },
      { ...findings, strategies: [{ ...good, judged: { ...good.judged, verdict: evil } }] },
    ].map((one) => JSON.stringify(one)),
  ]
  for (const text of texts) {
    writeFileSync(file, text)
    expect(() => readFindings(file)).toThrow(/is not what `holdfast-lab run` writes/)
  }
  writeFileSync(file, JSON.stringify(findings))
  expect(readFindings(file)).toEqual(findings)
})
