/**
 * A temporary folder for one run of a program, gone when the program ends, also by Ctrl-C. What must end with the
 * program is ended by `onExit`, which may not wait for anything.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export function openWorkplace(name: string, onExit: () => void): string {
  const folder = mkdtempSync(join(tmpdir(), `holdfast-${name}-`))
  process.on('exit', () => {
    onExit()
    rmSync(folder, { recursive: true, force: true })
  })
  process.once('SIGINT', () => process.exit(130))
  process.once('SIGTERM', () => process.exit(143))
  process.once('SIGHUP', () => process.exit(129))
  return folder
}
