/** With a URL, or a module that makes a client, a thread beats: a lease outlives a main thread that stands still. */
import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { setup as needBuild } from '../../../../scripts/need-build.ts'
import { givenServers } from '../../../../scripts/servers/given.ts'

needBuild()
const { standalone, sentinel, cluster } = givenServers()
const program = fileURLToPath(new URL('./program/standing-still.mjs', import.meta.url))
const places = (hosts: readonly { readonly host: string; readonly port: number }[]): string =>
  hosts.map(({ host, port }) => `${host}:${port}`).join(',')

function moduleOver(library: string, text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'holdfast-still-')), 'client.cjs')
  const path = createRequire(import.meta.url).resolve(library)
  writeFileSync(file, `const library = require(${JSON.stringify(path)})\nmodule.exports = () => ${text}`)
  return pathToFileURL(file).href
}

const targets = {
  'a URL': `redis://${places([standalone])}`,
  'a URL of Sentinel': `redis+sentinel://${places(sentinel.sentinels)}/${sentinel.name}`,
  'a URL of a cluster': `redis+cluster://${places(cluster)}`,
  'a module with ioredis': moduleOver('ioredis', `new library.Redis(${standalone.port}, '${standalone.host}')`),
  'a module with node-redis': moduleOver('redis', `library.createClient({ url: 'redis://${places([standalone])}' })`),
}
const rows = Object.entries(targets).flatMap(([name, target]) =>
  (['hold', 'close'] as const).map((end) => ({ name, target, end })),
)

test.each(rows)('$name: a thread beats, and the process ends at once, also holding: $end', async ({ target, end }) => {
  const { stdout } = await promisify(execFile)(process.execPath, [program, target, end], { timeout: 30_000 })
  const told = JSON.parse(stdout) as { readonly endedMs: number }
  expect(told).toMatchObject({ heartbeat: 'worker', held: true })
  expect(told.endedMs).toBeLessThan(1000)
})
