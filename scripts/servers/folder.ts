/**
 * The one folder below the temporary folder in which all servers of a run keep their files. The process that asks
 * first makes it and takes it away; its children find it by the environment and use the same.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const VARIABLE = 'HOLDFAST_SERVERS_FOLDER'
const PREFIX = 'holdfast-servers-'

let own: string | null = null

/** The folder of this run; made when it is not there yet. */
export function runFolder(): string {
  const inherited = process.env[VARIABLE]
  if (inherited !== undefined) return inherited
  removeOrphans()
  own = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`))
  process.env[VARIABLE] = own
  process.once('exit', removeRunFolder)
  return own
}

/** A new folder for one server. */
export function newFolder(name: string): string {
  return mkdtempSync(join(runFolder(), `${name}-`))
}

/** Takes the folder away if this process made it. */
export function removeRunFolder(): void {
  if (own === null) return
  // A server that was just killed may still be writing its last line.
  rmSync(own, { recursive: true, force: true, maxRetries: 5 })
  delete process.env[VARIABLE]
  own = null
}

export function emptyFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
}

/** A run that was killed could not clean up; its servers ended with it, so its files are nobody's. */
function removeOrphans(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = /^holdfast-servers-(\d+)-/.exec(name) ?? []
    if (pid === undefined || isAlive(Number(pid))) continue
    rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
