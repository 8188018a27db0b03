/** A certificate for 127.0.0.1 and localhost that signs itself. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder } from './folder.ts'
import { HOST } from './port.ts'

export interface Certificate {
  readonly certFile: string
  readonly keyFile: string
  /** The certificate as text: what a client trusts. */
  readonly ca: string
}

export function makeCertificate(): Certificate {
  const folder = newFolder('certificate')
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile]
  const names = ['-subj', '/CN=holdfast-test', '-addext', `subjectAltName=IP:${HOST},DNS:localhost`]
  const args = ['req', '-x509', ...key, ...names, '-days', '2', '-out', certFile]
  const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] })
  if (status !== 0) throw new Error(`openssl made no certificate:\n${stderr}`)
  return { certFile, keyFile, ca: readFileSync(certFile, 'utf8') }
}
