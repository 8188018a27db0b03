/** One MariaDB server of a run's own. Nothing that it writes has to survive it. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { newFolder } from './folder.ts'
import { HOST } from './port.ts'
import { onFreePorts } from './server.ts'
import { type Speaking, SqlServer } from './sql-server.ts'

const USER = 'lab'
const DATABASE = 'lab'
const CONNECTIONS = 300

/** It greets first: the fifth byte of its greeting is the version of the protocol, or that of an error. */
const SPEAKING: Speaking = { hello: Buffer.alloc(0), isReady: (answer) => answer[4] === 10 }

export async function startMariadb(): Promise<SqlServer> {
  const folder = newFolder('mariadb')
  const data = join(folder, 'data')
  const common = [
    '--no-defaults',
    `--user=${userInfo().username}`,
    `--datadir=${data}`,
    // In a folder that it shares, a server that starts removes the temporary tables of the others.
    `--tmpdir=${newFolder('mariadb-tmp')}`,
    '--innodb-log-file-size=16M',
  ]
  const made = spawnSync(
    'mariadb-install-db',
    [...common, '--auth-root-authentication-method=normal', '--skip-test-db'],
    { encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(`mariadb-install-db failed:\n${made.stdout}${made.stderr}`)
  // One statement a line.
  const init = join(folder, 'init.sql')
  writeFileSync(
    init,
    [`create database ${DATABASE};`, `create user ${USER};`, `grant all on *.* to ${USER};`, ''].join('\n'),
  )
  return onFreePorts(1, ([port = 0]) => {
    const args = [
      ...common,
      `--socket=${join(folder, 'socket')}`,
      `--pid-file=${join(folder, 'pid')}`,
      `--port=${port}`,
      `--bind-address=${HOST}`,
      '--skip-name-resolve',
      '--skip-log-bin',
      '--performance-schema=OFF',
      `--max-connections=${CONNECTIONS}`,
      '--innodb-buffer-pool-size=32M',
      '--innodb-flush-log-at-trx-commit=0',
      '--innodb-flush-method=nosync',
      `--init-file=${init}`,
    ]
    const address = { host: HOST, port, user: USER, database: DATABASE }
    return SqlServer.start('mariadb', folder, address, { program: 'mariadbd', args }, SPEAKING)
  })
}
