/**
 * Runs every example as a reader would, against the built package: it ends by itself, exits with 0 and prints what it
 * says at its end that it prints.
 */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const folder = fileURLToPath(new URL('../../../../examples/', import.meta.url))
const names = readdirSync(folder).filter((name) => name.endsWith('.mjs'))
/** Each takes a second or so; a machine that is busy may take longer. */
const RUN_MS_MAX = 10_000

test('there are examples', () => {
  expect(names).toEqual(expect.arrayContaining(['job.mjs', 'guarded-write.mjs', 'shutdown.mjs']))
})

test.each(names)('%s ends by itself and prints what it says', async (name) => {
  const expected = printsOf(readFileSync(join(folder, name), 'utf8'))
  const { lines, errors, exitCode } = await run(join(folder, name))
  expect({ lines, exitCode }, errors).toEqual({ lines: expected, exitCode: 0 })
  expect(expected).not.toEqual([])
})

/** The comment lines after `// prints`. */
function printsOf(example: string): readonly string[] {
  const [, last = ''] = example.split('\n// prints\n')
  return last
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^\/\/ ?/, ''))
}

interface Ended {
  readonly lines: readonly string[]
  readonly errors: string
  readonly exitCode: unknown
}

/** What it printed, with HOST for the name of this machine. */
function run(file: string): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [file], { timeout: RUN_MS_MAX, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
      const lines = stdout.trimEnd().replaceAll(hostname(), 'HOST').split('\n')
      resolve({ lines, errors: stderr, exitCode: error === null ? 0 : (error.code ?? error.signal) })
    })
  })
}
