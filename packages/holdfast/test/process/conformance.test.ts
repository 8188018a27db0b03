/**
 * The conformance suite from four processes at once on one SQLite file, from the built library with all that it has:
 * the worker's heartbeat, the driver of this Node, a file that others keep busy. And facts about such a crowd.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Orders } from '../conformance/child.ts'
import { crowds } from '../conformance/crowd.ts'

const PROCESSES = 4
const SUITE_MS_MAX = 240_000
const CROWD_MS_MAX = 60_000

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'holdfast-crowd-'))
const program = join(folder, 'child.mjs')

/** The entries as users have them, in place of the sources that they are made of. */
const built: Plugin = {
  name: 'built entries',
  setup({ onResolve }) {
    const entries = {
      'src/index.ts': 'index',
      'backends/sqlite/index.ts': 'sqlite',
      'backends/memory/index.ts': 'memory',
    }
    onResolve({ filter: /\/index\.ts$/ }, ({ path }) => {
      const found = Object.entries(entries).find(([source]) => path.endsWith(source))
      if (found === undefined) return undefined
      return { path: here(`../../dist/${found[1]}.mjs`), external: true }
    })
  },
}

beforeAll(() =>
  build({
    entryPoints: [here('../conformance/child.ts')],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    plugins: [built],
    logLevel: 'error',
  }),
)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Report {
  readonly held: number
  readonly failed: number
}

async function start(
  orders: Orders,
): Promise<{ readonly report: Report; readonly broken: unknown[]; readonly code: unknown }> {
  const child = spawn(process.execPath, ['--no-warnings', program, JSON.stringify(orders)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))
  const lines = (await text(child.stdout)).trim().split('\n')
  const told = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as unknown)
  const report = (told.pop() ?? { held: 0, failed: 0 }) as Report
  return { report, broken: told, code: await exited }
}

function startAll(name: string, crowd: string | null): ReturnType<typeof start>[] {
  const own = join(folder, name)
  mkdirSync(own)
  const orders = { file: join(own, 'locks.db'), folder: own, count: PROCESSES, crowd }
  return Array.from({ length: PROCESSES }, (_, me) => start({ ...orders, me }))
}

test('every fact of the suite holds in four processes at once on one file', { timeout: SUITE_MS_MAX }, async () => {
  const ended = await Promise.all(startAll('suite', null))
  expect(ended.flatMap(({ broken }) => broken)).toEqual([])
  for (const { report, code } of ended) {
    expect(report.failed).toBe(0)
    expect(report.held).toBeGreaterThan(400)
    expect(code).toBe(0)
  }
})

test.each(Object.keys(crowds).map((sentence, index) => ({ sentence, name: `crowd-${index}` })))(
  'in four processes: $sentence',
  { timeout: CROWD_MS_MAX },
  async ({ sentence, name }) => {
    const ended = await Promise.all(startAll(name, sentence))
    expect(ended.flatMap(({ broken }) => broken)).toEqual([])
    for (const { report, code } of ended) expect({ ...report, code }).toEqual({ held: 1, failed: 0, code: 0 })
  },
)
