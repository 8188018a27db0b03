/**
 * Runs the suite under other versions of Node: 22, 24 and 26, or those named as arguments. The tests against servers are
 * left out, and with --quick also those that start processes. Each version comes as a package, is kept in the temporary folder and is fetched
 * only when it is not there yet. Needs a build.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const quick = process.argv.includes('--quick')
const versions = process.argv.slice(2).filter((argument) => argument !== '--quick')
const projects = quick ? ['unit', 'package'] : ['unit', 'process', 'package']
if (versions.length === 0) versions.push('22', '24', '26')

const packageName = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
const cache = join(tmpdir(), `holdfast-nodes-${userInfo().username}`)

/**
 * The path of that version's program.
 *
 * @param {string} version
 */
function nodeOf(version) {
  const folder = join(cache, version)
  const program = join(folder, 'node_modules', packageName, 'bin', 'node')
  if (existsSync(program)) return program
  process.stdout.write(`Installing ${packageName}@${version} into ${folder} (about 200 MB)\n`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', `${packageName}@${version}`], {
    cwd: folder,
    stdio: 'inherit',
  })
  if (status !== 0 || !existsSync(program)) {
    throw new Error(
      `${packageName}@${version} could not be installed. Put Node ${version} first in PATH and run \`npm test\` instead`,
    )
  }
  return program
}

if (statSync(join(root, 'packages/holdfast/dist/index.mjs'), { throwIfNoEntry: false }) === undefined) {
  throw new Error('packages/holdfast/dist is missing: run `npm run build` first')
}
for (const version of versions) {
  if (!/^\d+$/.test(version)) throw new RangeError(`a version must be a whole number such as 24, not '${version}'`)
  const node = nodeOf(version)
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
  process.stdout.write(`\nThe suite on Node ${stdout.trim()}\n`)
  const chosen = projects.flatMap((project) => ['--project', project])
  const { status } = spawnSync(node, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...chosen], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` },
  })
  if (status !== 0) process.exitCode = 1
}
