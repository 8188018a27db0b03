/**
 * A Node with a SQLite driver of its own, for tests of two drivers on one file: the one that runs, or else one that is
 * installed as a package, once, into the folder that `scripts/test-nodes.mjs` uses too.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

const VERSION = '24'
const INSTALL_MS = 180_000

/** @throws {Error} saying what to install when it cannot be done here */
export async function nodeWithDriver(): Promise<string> {
  if (await import('node:sqlite').catch(() => null)) return process.execPath
  const packageName = `node-${process.platform}-${process.arch}`
  const folder = join(tmpdir(), `holdfast-nodes-${userInfo().username}`, VERSION)
  const program = join(folder, 'node_modules', packageName, 'bin', 'node')
  if (existsSync(program)) return program
  process.stdout.write(
    `Installing ${packageName}@${VERSION} into ${folder} (about 200 MB), for a Node with node:sqlite\n`,
  )
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const { status, stderr } = spawnSync('npm', ['install', '--no-audit', '--no-fund', `${packageName}@${VERSION}`], {
    cwd: folder,
    encoding: 'utf8',
    timeout: INSTALL_MS,
  })
  if (status === 0 && existsSync(program)) return program
  throw new Error(`${packageName}@${VERSION} could not be installed into ${folder}: ${stderr}`)
}
