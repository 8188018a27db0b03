/** What takes part, with versions: figures of another version are other figures. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { requirePrograms } from '../../../../../scripts/servers/programs.ts'

const LIBRARIES: readonly string[] = [
  'ioredis',
  'redis',
  'redlock',
  '@sesamecare-oss/redlock',
  'redlock-universal',
  'redis-semaphore',
  'simple-redis-mutex',
]

export function versionsLine(): string {
  requirePrograms(['redis-server'])
  const told = execFileSync('redis-server', ['--version'], { encoding: 'utf8' })
  const server = `server ${/v=(\S+)/.exec(told)?.[1] ?? 'unknown'}`
  return [server, ...LIBRARIES.map((name) => `${name} ${versionOf(name)}`)].join(', ')
}

/** A package need not export its description, so it is looked for above what it does export. */
function versionOf(name: string): string {
  let folder = dirname(createRequire(import.meta.url).resolve(name))
  while (folder !== dirname(folder)) {
    const found = describedIn(folder)
    if (found?.name === name && found.version !== undefined) return found.version
    folder = dirname(folder)
  }
  throw new Error(`no package.json of ${name} was found`)
}

function describedIn(folder: string): { readonly name?: string; readonly version?: string } | null {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  } catch {
    return null
  }
}
