/**
 * A wall clock for a server that a test moves while the server runs. The shim is compiled once a run; it changes what
 * the server reads, never the machine, and leaves the monotonic clock alone.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newFolder, runFolder } from './folder.ts'
import { installCompiler } from './programs.ts'

const SOURCE = fileURLToPath(new URL('clock-shim.c', import.meta.url))

export interface ClockOptions {
  /** Gives the server a wall clock of its own, so far from the system's. */
  readonly clockOffsetMs?: number
}

export class MovableClock {
  /** What a process needs in its environment to live by this clock. */
  readonly env: Readonly<Record<string, string>>
  readonly #file: string

  constructor(offsetMs: number) {
    this.#file = join(newFolder('clock'), 'offset')
    this.set(offsetMs)
    this.env = { LD_PRELOAD: compileShim(), HOLDFAST_CLOCK_FILE: this.#file }
  }

  set(offsetMs: number): void {
    const bytes = Buffer.alloc(8)
    // The shim reads it in the machine's own order, which is this one wherever Node runs on Linux.
    bytes.writeBigInt64LE(BigInt(Math.round(offsetMs)))
    // In place and in one write: the server has this very file mapped.
    writeFileSync(this.#file, bytes, { flag: existsSync(this.#file) ? 'r+' : 'w' })
  }
}

/** The path of the compiled shim. */
export function compileShim(): string {
  const library = join(runFolder(), 'clock-shim.so')
  if (existsSync(library)) return library
  const part = `${library}.${process.pid}`
  if (!compile(part)) {
    installCompiler('the tests move the clock of a server, and the shim for it does not compile here')
    if (!compile(part)) throw new Error(`${SOURCE} does not compile; the words of the compiler are above`)
  }
  // Whole or not at all: another test process may be looking for it.
  renameSync(part, library)
  return library
}

function compile(into: string): boolean {
  const { status } = spawnSync('cc', ['-O2', '-Wall', '-shared', '-fPIC', '-o', into, SOURCE], {
    stdio: ['ignore', 2, 2],
  })
  return status === 0
}
