/** Every example for Redis, on an empty server: it ends by itself, exits with 0 and prints what it says at its end. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { setup as needBuild } from '../../../../scripts/need-build.ts'
import { RedisServer } from '../../../../scripts/servers/redis-server.ts'
import { printsOf, runExample } from '../docs/example.ts'

needBuild()
const folder = fileURLToPath(new URL('../../../../examples/redis/', import.meta.url))
const names = readdirSync(folder).filter((name) => name.endsWith('.mjs'))

test('there are examples for Redis', () => {
  expect(names).toEqual(expect.arrayContaining(['guarded-value.mjs', 'migrating.mjs']))
})

test.each(names)('%s ends by itself and prints what it says', async (name) => {
  await using server = await RedisServer.start({ name: 'example' })
  const expected = printsOf(readFileSync(join(folder, name), 'utf8'))
  const { lines, errors, exitCode } = await runExample(join(folder, name), { REDIS_URL: server.url })
  expect({ lines, exitCode }, errors).toEqual({ lines: expected, exitCode: 0 })
  expect(expected).not.toEqual([])
})
