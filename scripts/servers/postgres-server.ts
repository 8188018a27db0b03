/** One PostgreSQL server of a run's own. Nothing that it writes has to survive it. */
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { newFolder, runFolder } from './folder.ts'
import { HOST } from './port.ts'
import { findPostgres } from './programs.ts'
import { onFreePorts } from './server.ts'
import { type Speaking, SqlServer } from './sql-server.ts'

const USER = 'postgres'
const DATABASE = 'postgres'
const CONNECTIONS = 300
const EVERYBODY_MAY_PASS = 0o755

/** A start-up packet: version 3.0, the user. What is ready asks for no password and says so. */
const SPEAKING: Speaking = { hello: startUp(), isReady: (answer) => answer.toString('latin1', 0, 1) === 'R' }

export async function startPostgres(): Promise<SqlServer> {
  const programs = findPostgres()
  if (programs === null) throw new Error('there is no PostgreSQL')
  const folder = newFolder('postgres')
  const data = join(folder, 'data')
  mkdirSync(data)
  const as = owner(folder, data)
  run(as, [join(programs, 'initdb'), '-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'])
  return onFreePorts(1, ([port = 0]) => {
    const settings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'shared_buffers=32MB']
    const listen = [`listen_addresses=${HOST}`, `unix_socket_directories=${folder}`, `max_connections=${CONNECTIONS}`]
    const options = [...settings, ...listen].flatMap((setting) => ['-c', setting])
    const [program = '', ...args] = [...as, join(programs, 'postgres'), '-D', data, '-p', `${port}`, ...options]
    const address = { host: HOST, port, user: USER, database: DATABASE }
    return SqlServer.start('postgres', folder, address, { program, args }, SPEAKING)
  })
}

/** It refuses to run as root: then what starts it changes to its user, to whom the folder is given. */
function owner(folder: string, data: string): readonly string[] {
  if (process.getuid?.() !== 0) return []
  chmodSync(dirname(folder), EVERYBODY_MAY_PASS)
  chmodSync(runFolder(), EVERYBODY_MAY_PASS)
  const id = (flag: string): number => Number(spawnSync('id', [flag, USER], { encoding: 'utf8' }).stdout)
  for (const path of [folder, data]) chownSync(path, id('-u'), id('-g'))
  // A change of user clears the signal that it gets when its parent ends, so it is asked for once more.
  return ['setpriv', '--reuid', USER, '--regid', USER, '--init-groups', 'setpriv', '--pdeathsig', 'KILL', '--']
}

function run(as: readonly string[], command: readonly string[]): void {
  const [program = '', ...args] = [...as, ...command]
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command[0]} failed:\n${stdout}${stderr}`)
}

function startUp(): Buffer {
  const fields = Buffer.from(`\0\x03\0\0user\0${USER}\0\0`, 'latin1')
  const length = Buffer.alloc(4)
  length.writeInt32BE(fields.length + length.length)
  return Buffer.concat([length, fields])
}
