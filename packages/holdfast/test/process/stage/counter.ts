/** A number in a file: the least thing that loses updates when two processes change it at once. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Stage } from './stage.ts'

export function makeCounter(stage: Stage): string {
  const file = join(stage.folder, 'counter')
  writeFileSync(file, '0')
  return file
}

export function readCounter(file: string): number {
  return Number(readFileSync(file, 'utf8'))
}
