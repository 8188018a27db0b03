/**
 * A Redis server as a careful team runs it: TLS only, the default user off, and one user held to its keys and channels
 * and to the commands that locks need.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeCertificate } from './certificate.ts'
import { newFolder } from './folder.ts'
import { RedisServer } from './redis-server.ts'

export const SECURE_USER = 'holdfast'
export const SECURE_PASSWORD = 'secret'
/** May do everything; for what a test asks behind the library's back. */
const ADMIN = { username: 'admin', password: 'admin' }

export const SECURE_RULES: readonly string[] = [
  '~hf:*',
  '&hf:*',
  '-@all',
  '+@read',
  '+@write',
  '+@connection',
  '+@pubsub',
  '+@scripting',
  '-@dangerous',
  '+info',
  '+time',
  '+wait',
]

/** The server; its own access is the admin's. */
export function startSecureServer(rules: readonly string[] = SECURE_RULES): Promise<RedisServer> {
  const { certFile, keyFile, ca } = makeCertificate()
  const users = join(newFolder('users'), 'users.acl')
  const lines = [
    'user default off',
    `user ${ADMIN.username} on >${ADMIN.password} ~* &* +@all`,
    `user ${SECURE_USER} on >${SECURE_PASSWORD} ${rules.join(' ')}`,
  ]
  writeFileSync(users, `${lines.join('\n')}\n`)
  const tls = ['--tls-cert-file', certFile, '--tls-key-file', keyFile, '--tls-ca-cert-file', certFile]
  return RedisServer.start({
    name: 'secure',
    args: [...tls, '--tls-auth-clients', 'no', '--aclfile', users],
    login: { ...ADMIN, ca },
  })
}
