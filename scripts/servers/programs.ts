/**
 * The programs that the tests start must be there before the first test. One that is missing is installed, or the run
 * fails with the command to type: a test against a real server is never left out because there is no server.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The Debian packages a program comes in. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'redis-server': ['redis-server'],
  'redis-sentinel': ['redis-sentinel'],
  openssl: ['openssl'],
  mariadbd: ['mariadb-server'],
  postgres: ['postgresql'],
  chromium: ['chromium'],
  // The headers are a package of their own, which gcc only recommends.
  cc: ['gcc', 'libc6-dev'],
}

/** Asked by Debian's packages before they start a service; 101 says no. */
const POLICY = '/usr/sbin/policy-rc.d'
const UPDATE = ['update']
const POSTGRES = '/usr/lib/postgresql'

/** The path of a program, or null when `PATH` has none of that name. */
export function find(program: string): string | null {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, program)
    try {
      accessSync(path, constants.X_OK)
      if (statSync(path).isFile()) return path
    } catch {
      // Not in this folder.
    }
  }
  return null
}

/** The folder of the newest PostgreSQL: Debian keeps them side by side, and out of `PATH`. */
export function findPostgres(): string | null {
  const versions = existsSync(POSTGRES) ? readdirSync(POSTGRES).sort((a, b) => Number(b) - Number(a)) : []
  const folders = versions.map((version) => join(POSTGRES, version, 'bin'))
  return folders.find((folder) => existsSync(join(folder, 'postgres')) && existsSync(join(folder, 'initdb'))) ?? null
}

/**
 * Makes sure that the programs are there, by installing what is missing.
 *
 * @throws when something is missing and may or can not be installed; the message has the command to type
 */
export function requirePrograms(programs: readonly string[]): void {
  const missing = programs.filter((program) => (program === 'postgres' ? findPostgres() : find(program)) === null)
  if (missing.length > 0) install(packagesOf(missing), `PATH has no ${missing.join(', ')}`)
}

/**
 * Makes a C compiler and its headers be there. The headers are installed though a compiler is found: a `cc` without
 * them is what a small machine has.
 */
export function installCompiler(why: string): void {
  install(packagesOf(['cc']), why)
}

function packagesOf(programs: readonly string[]): readonly string[] {
  return programs.flatMap((program) => {
    const packages = PACKAGES[program]
    if (packages === undefined) throw new Error(`no package is known for ${program}`)
    return packages
  })
}

function install(packages: readonly string[], why: string): void {
  const command = ['install', '-y', '--no-install-recommends', ...packages]
  const sentence = why.charAt(0).toUpperCase() + why.slice(1)
  if (find('apt-get') === null)
    throw new Error(`${sentence}. Install ${packages.join(', ')}, or what they are called there`)
  const mayInstall = process.getuid?.() === 0 && process.env.HOLDFAST_INSTALL !== 'never'
  if (!mayInstall) {
    const typed = `sudo apt-get update && sudo apt-get ${command.join(' ')}`
    throw new Error(`${sentence}. Run this and try again: ${typed}`)
  }

  process.stderr.write(`Installing ${packages.join(', ')} from Debian, because ${why}; no service is started.\n`)
  withServicesDown(() => {
    // A fresh machine has no list of packages yet, an old one a list whose files are gone.
    if (!runApt([...command, '--simulate'], 'ignore')) runApt(UPDATE)
    if (runApt(command)) return
    runApt(UPDATE)
    if (!runApt(command)) throw new Error(`\`apt-get ${command.join(' ')}\` failed; its words are above`)
  })
}

/** Lets no package start a service, and takes the refusal away again if it is ours. */
function withServicesDown(work: () => void): void {
  let ours = false
  try {
    writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755, flag: 'wx' })
    ours = true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  try {
    work()
  } finally {
    if (ours) rmSync(POLICY, { force: true })
  }
}

/** @param words where apt's own words go: to the person who waits, by default; stdout may be a report */
function runApt(args: readonly string[], words: 'ignore' | 2 = 2): boolean {
  const { status } = spawnSync('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=300', ...args], {
    stdio: ['ignore', words, words],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  return status === 0
}
