/** The lab as a user starts it: a process of its own, in a folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const LAB = fileURLToPath(new URL('../../dist/lab.mjs', import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly out: string
}

export function startLab(args: readonly string[], folder: string): ChildProcess {
  return spawn(process.execPath, [LAB, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Runs it to its end. */
export async function lab(args: readonly string[], folder: string = newFolder()): Promise<Ended> {
  const child = startLab(args, folder)
  let out = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => (out += part))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, out }
}

export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'holdfast-lab-test-'))
