/** Every example that needs no server: it ends by itself, exits with 0 and prints what it says at its end. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { printsOf, runExample } from '../docs/example.ts'

const folder = fileURLToPath(new URL('../../../../examples/', import.meta.url))
const names = readdirSync(folder).filter((name) => name.endsWith('.mjs'))

test('there are examples', () => {
  expect(names).toEqual(expect.arrayContaining(['job.mjs', 'guarded-write.mjs', 'shutdown.mjs']))
})

test.each(names)('%s ends by itself and prints what it says', async (name) => {
  const expected = printsOf(readFileSync(join(folder, name), 'utf8'))
  const { lines, errors, exitCode } = await runExample(join(folder, name))
  expect({ lines, exitCode }, errors).toEqual({ lines: expected, exitCode: 0 })
  expect(expected).not.toEqual([])
})
