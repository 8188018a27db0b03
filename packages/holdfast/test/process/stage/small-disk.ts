/** A file system of a few megabytes, in memory, that a test fills and empties. Mounting one takes the rights of root. */
import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Stage } from './stage.ts'

export interface SmallDisk {
  readonly folder: string
  /** Writes until there is no room for another byte. */
  fill(): void
  empty(): void
}

/** @throws {Error} saying so when mounting is not permitted here: a test that needs it has failed then */
export function smallDisk(stage: Stage, bytes: number): SmallDisk {
  const folder = join(stage.folder, 'disk')
  mkdirSync(folder)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], { stdio: 'pipe' })
  } catch (error) {
    throw new Error('a test of full disks needs to mount a tmpfs, which takes the rights of root', { cause: error })
  }
  stage.atEnd(() => execFileSync('umount', ['-l', folder]))
  const ballast = join(folder, 'ballast')
  return {
    folder,
    fill: () => fillWith(ballast),
    empty: () => rmSync(ballast),
  }
}

function fillWith(file: string): void {
  const descriptor = openSync(file, 'w')
  try {
    for (let bytes = 65_536; bytes >= 1; bytes = Math.floor(bytes / 2)) while (fits(descriptor, bytes));
  } finally {
    closeSync(descriptor)
  }
}

function fits(descriptor: number, bytes: number): boolean {
  try {
    return writeSync(descriptor, Buffer.alloc(bytes)) === bytes
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false
    throw error
  }
}
