/**
 * Runs the tests against real Redis servers, and only those: on the servers that Debian has, or on the other ones that
 * are named as arguments (`valkey8`, `redis8`), one after the other. Further arguments go to vitest. A server that is
 * not to be had fails the run.
 */
import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { OTHER_SERVERS, programsOf } from './other-redis.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const args = process.argv.slice(2)
const others = args.filter((argument) => argument in OTHER_SERVERS)
const more = args.filter((argument) => !(argument in OTHER_SERVERS))

/** @param {NodeJS.ProcessEnv} env */
function test(env) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const { status } = spawnSync(process.execPath, [vitest, 'run', '--project', 'redis', ...more], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  if (status !== 0) process.exitCode = 1
}

if (others.length === 0) test({})
for (const name of others) {
  const PATH = `${programsOf(name)}${delimiter}${process.env.PATH ?? ''}`
  // The set-up refuses servers that are not of this kind: no run is green on the wrong one.
  test({ PATH, HOLDFAST_REDIS_VERSION: OTHER_SERVERS[name]?.says ?? name })
}
