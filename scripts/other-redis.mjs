/**
 * Brings Valkey 8 or Redis 8 here without installing it: the packages come from another Debian suite and are unpacked
 * into a folder of their own, with programs under the names that the tests start. Apt's own state is left alone. What
 * was unpacked is kept in the temporary folder and fetched only when it is not there yet.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

/**
 * @typedef {object} OtherServer
 * @property {string} says what the server calls itself, up to its main number
 * @property {string} suite
 * @property {readonly string[]} packages
 * @property {string} program the server's name inside the packages
 * @property {boolean} ownLoader whether it needs libraries newer than the machine may have, and so its own loader
 */

/** @type {Readonly<Record<string, OtherServer>>} */
export const OTHER_SERVERS = {
  valkey8: {
    says: 'Valkey 8',
    suite: 'bookworm-backports',
    packages: ['valkey-server', 'valkey-tools'],
    program: 'valkey-server',
    ownLoader: false,
  },
  redis8: { says: 'Redis 8', suite: 'trixie', packages: ['redis-server'], program: 'redis-server', ownLoader: true },
}

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'
const SOURCES = ['/etc/apt/sources.list.d/debian.sources', '/etc/apt/sources.list']

/**
 * The folder with that server's programs, for `PATH`.
 *
 * @param {string} name
 * @returns {string}
 */
export function programsOf(name) {
  const server = OTHER_SERVERS[name]
  if (server === undefined) {
    throw new RangeError(`a server must be one of ${Object.keys(OTHER_SERVERS).join(', ')}, not '${name}'`)
  }
  const cache = join(tmpdir(), `holdfast-redis-${userInfo().username}`)
  const folder = join(cache, name)
  const programs = join(folder, 'bin')
  if (existsSync(programs)) return programs
  process.stderr.write(`Unpacking ${server.packages.join(', ')} of Debian's ${server.suite} into ${folder}\n`)
  const work = join(cache, `${name}-${process.pid}`)
  mkdirSync(work, { recursive: true })
  try {
    unpack(fetch(server, work), join(work, 'root'))
    // Whole or not at all. The programs are written last, since they name the folder by its final place.
    rmSync(folder, { recursive: true, force: true })
    renameSync(join(work, 'root'), folder)
    writePrograms(server, folder, programs)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  return programs
}

/**
 * Downloads the packages; with a loader of its own also all that they depend on, down to libc.
 *
 * @param {OtherServer} server
 * @param {string} work
 * @returns {string} the folder they are in
 */
function fetch({ suite, packages, ownLoader }, work) {
  const archives = join(work, 'cache', 'archives')
  for (const folder of [join(work, 'lists', 'partial'), join(archives, 'partial')])
    mkdirSync(folder, { recursive: true })
  writeFileSync(join(work, 'status'), '')
  writeFileSync(join(work, 'sources.list'), `deb [signed-by=${KEYRING}] ${mirror()} ${suite} main\n`)
  const settings = {
    'Dir::Etc::sourcelist': join(work, 'sources.list'),
    'Dir::Etc::sourceparts': '-',
    'Dir::State': work,
    'Dir::State::lists': join(work, 'lists'),
    'Dir::State::status': join(work, 'status'),
    'Dir::Cache': join(work, 'cache'),
    'APT::Install-Recommends': '0',
    'APT::Sandbox::User': 'root',
    'Acquire::Retries': '3',
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  run('apt-get', ['-q', ...options, 'update'], work)
  if (ownLoader) run('apt-get', ['-q', ...options, 'install', '-y', '--download-only', ...packages], work)
  else run('apt-get', ['-q', ...options, 'download', ...packages], archives)
  return archives
}

/** The mirror that this machine takes Debian from. */
function mirror() {
  for (const path of SOURCES) {
    if (!existsSync(path)) continue
    const [, address] = /^(?:URIs:|deb(?: \[[^\]]*\])?)\s+(\S+)/m.exec(readFileSync(path, 'utf8')) ?? []
    if (address !== undefined) return address
  }
  throw new Error('other servers come from Debian, and this machine has no Debian sources')
}

/**
 * @param {string} archives
 * @param {string} root
 */
function unpack(archives, root) {
  mkdirSync(root)
  const packages = readdirSync(archives).filter((name) => name.endsWith('.deb'))
  if (packages.length === 0) throw new Error('apt-get downloaded no package')
  for (const name of packages) run('dpkg-deb', ['-x', join(archives, name), root], archives)
}

/**
 * @param {OtherServer} server
 * @param {string} folder
 * @param {string} programs
 */
function writePrograms({ program, ownLoader }, folder, programs) {
  const libraries = join(folder, 'usr/lib', process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu')
  const binary = join(folder, 'usr/bin', program)
  const command = ownLoader ? `${loaderIn(libraries)} --library-path ${libraries} ${binary}` : binary
  const part = `${programs}.part`
  mkdirSync(part)
  const lines = { 'redis-server': `exec ${command} "$@"`, 'redis-sentinel': `exec ${command} "$@" --sentinel` }
  for (const [name, line] of Object.entries(lines)) {
    writeFileSync(join(part, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 })
  }
  renameSync(part, programs)
}

/** @param {string} libraries */
function loaderIn(libraries) {
  const loader = readdirSync(libraries).find((name) => /^ld-linux-.*\.so\.\d+$/.test(name))
  if (loader === undefined) throw new Error(`no loader among ${libraries}`)
  return join(libraries, loader)
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {string} cwd
 */
function run(program, args, cwd) {
  const { status, error, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  if (status === 0) return
  const words = error?.message ?? `${stdout}${stderr}`.trimEnd()
  throw new Error(`\`${program} ${args.filter((arg) => !/^-|=/.test(arg)).join(' ')}\` failed:\n${words}`)
}
