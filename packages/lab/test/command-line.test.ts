/** What the lab is told, and what it refuses. */
import { expect, test } from 'vitest'
import { readCommand } from '../src/contest/command-line.ts'
import { SCENES } from '../src/scenes/index.ts'
import { STRATEGIES } from '../src/strategies/index.ts'

test('without words it says how it is used', () => {
  expect(readCommand([])).toMatchObject({ kind: 'say', text: expect.stringContaining('holdfast-lab run') })
  expect(readCommand(['run', '--help'])).toMatchObject({ kind: 'say' })
})

test('a run has the crowd of the field texts unless it is told another', () => {
  const crowd = { stock: 1000, requests: 5000, concurrency: 200, processes: 2, secondsMax: 6 }
  expect(readCommand(['run'])).toMatchObject({ kind: 'run', strategies: null, servers: [], crowd })
})

test('named strategies bring the servers that they need', () => {
  expect(readCommand(['run', 'no-lock', 'row-lock'])).toMatchObject({ servers: ['mariadb'] })
  expect(readCommand(['run', '--all'])).toMatchObject({
    strategies: null,
    servers: expect.arrayContaining(['postgres']),
  })
  expect(readCommand(['run', '--servers', 'redis,postgres'])).toMatchObject({ servers: ['redis', 'postgres'] })
})

const NONSENSE = [
  '',
  '0',
  '-1',
  '1.5',
  '1e3',
  'NaN',
  'Infinity',
  '99999999',
  ' 5',
  '__proto__',
  '5 s',
  '😀',
  'x'.repeat(10_000),
]

test.each(['stock', 'requests', 'concurrency', 'processes', 'seconds'])(
  '--%s takes whole numbers of a sensible size',
  (flag) => {
    for (const value of NONSENSE) {
      const refused = readCommand(['run', `--${flag}=${value}`])
      expect(refused).toMatchObject({ kind: 'refuse', text: expect.stringContaining(flag) })
    }
  },
)

test.each([
  ['run', 'no-such-lock'],
  ['run', '__proto__'],
  ['run', '--all', 'no-lock'],
  ['run', '--servers', 'oracle'],
  ['run', '--colour'],
  ['scene'],
  ['scene', 'the-race', 'late-write'],
  ['scene', 'constructor'],
  ['scene', 'the-race', '--times', '0'],
  ['dance'],
])('%s %s is refused', (...words) => {
  expect(readCommand(words.filter((word) => word !== undefined))).toMatchObject({ kind: 'refuse' })
})

test('names are told apart, and every case of a scene is a strategy', () => {
  const names = STRATEGIES.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(new Set(SCENES.map(({ name }) => name)).size).toBe(SCENES.length)
  for (const { cases } of SCENES) for (const { strategy } of cases) expect(names).toContain(strategy)
})

test('each step of the staircase has a strategy, but those that need another store', () => {
  const steps = new Set(STRATEGIES.map(({ step }) => step))
  const without = Array.from({ length: 31 }, (_, index) => index + 1).filter((step) => !steps.has(step))
  expect(without).toEqual([27, 28])
})

test('whoever says that it is right until something happens has a scene in which it does', () => {
  const broken = new Set(
    SCENES.flatMap(({ cases }) => cases.filter(({ expect: e }) => e === 'breaks').map(({ strategy }) => strategy)),
  )
  for (const { name, verdict } of STRATEGIES) expect([name, broken.has(name)]).toEqual([name, verdict !== 'right'])
})
