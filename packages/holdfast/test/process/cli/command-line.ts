/**
 * The built program, started as a user's shell would start it, on a store and a state folder of this test's own. What a
 * test leaves running is ended with it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const PACKAGE = new URL('../../../', import.meta.url)
const { bin } = JSON.parse(readFileSync(new URL('package.json', PACKAGE), 'utf8')) as { bin: { holdfast: string } }
const PROGRAM = fileURLToPath(new URL(bin.holdfast, PACKAGE))
const PROGRAMS = new URL('./', import.meta.url)

/** The exit code as a shell tells it. */
export interface Finished {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly process: ChildProcess
  readonly pid: number
  readonly finished: Promise<Finished>
  stdout(): string
  stderr(): string
  signal(signal: NodeJS.Signals): void
  /** Resolves with stdout once it contains the text; fails when the program ends before. */
  untilSaid(text: string): Promise<string>
}

export class CommandLine {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'holdfast-cli-'))
  readonly file: string = join(this.folder, 'locks.db')
  readonly url: string = `sqlite:${this.file}`
  readonly environment: Record<string, string | undefined>
  readonly #running = new Set<ChildProcess>()
  readonly #groups = new Set<number>()

  constructor() {
    const { PATH, HOME } = process.env
    this.environment = { PATH, HOME, XDG_STATE_HOME: join(this.folder, 'state'), HOLDFAST_URL: this.url }
  }

  /** Starts `holdfast` with these words. */
  start(...words: string[]): Running {
    return this.startProgram(PROGRAM, words)
  }

  startProgram(program: string, words: readonly string[]): Running {
    const child = spawn(process.execPath, [program, ...words], {
      env: this.environment,
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#running.add(child)
    const texts = { stdout: '', stderr: '' }
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (texts.stdout += chunk))
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (texts.stderr += chunk))
    let over = false
    const finished = new Promise<Finished>((resolve) => {
      child.once('close', (code, signal) => {
        over = true
        this.#running.delete(child)
        resolve({ exitCode: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), ...texts })
      })
    })
    return {
      process: child,
      pid: child.pid ?? 0,
      finished,
      stdout: () => texts.stdout,
      stderr: () => texts.stderr,
      signal: (signal) => void child.kill(signal),
      untilSaid: async (text) => {
        while (!texts.stdout.includes(text)) {
          if (over) throw new Error(`ended without saying ${text}: ${texts.stdout}${texts.stderr}`)
          await pause(5)
        }
        return texts.stdout
      },
    }
  }

  run(...words: string[]): Promise<Finished> {
    return this.start(...words).finished
  }

  /** Runs with `--json` and gives the one document that stdout has, or for `run` the last line of stderr. */
  async document(...words: string[]): Promise<Record<string, unknown> & { readonly exitCode: number }> {
    const { exitCode, stdout, stderr } = await this.run('--json', ...words)
    const text = words[0] === 'run' ? (stderr.trimEnd().split('\n').at(-1) ?? '') : stdout
    const document = JSON.parse(text) as Record<string, unknown> & { exitCode: number }
    if (document.exitCode !== exitCode)
      throw new Error(`the document says ${document.exitCode}, the program ${exitCode}`)
    return document
  }

  /** Resolves once `count` claims of the name hold and `waiting` wait. */
  async untilLine(name: string, count: number, waiting: number): Promise<void> {
    for (;;) {
      const { lines } = (await this.document('show', name)) as unknown as { lines: Line[] }
      const holding = lines.flatMap(({ holders }) => holders).length
      const waits = lines.flatMap(({ waiters }) => waiters).length
      if (holding === count && waits === waiting) return
      await pause(20)
    }
  }

  /** Ends this group when the test is over, should it have outlived what should have ended it. */
  endLater(group: number): void {
    this.#groups.add(group)
  }

  async dispose(): Promise<void> {
    for (const child of this.#running) {
      child.kill('SIGCONT')
      child.kill('SIGKILL')
    }
    for (const group of this.#groups) {
      try {
        process.kill(-group, 'SIGKILL')
      } catch {
        // It has ended, as it should.
      }
    }
    // The watchdogs of what was killed just now are still about to act on it.
    await pause(50)
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

export interface Line {
  readonly name: string
  readonly kind: string
  readonly holders: readonly {
    readonly id: string
    readonly fence: string
    readonly pid: number
    readonly label: string
    readonly detached: boolean
    readonly until: string | null
  }[]
  readonly waiters: readonly unknown[]
}

/** A program beside this file. */
export function programFile(name: string): string {
  return fileURLToPath(new URL(name, PROGRAMS))
}

/** Milliseconds on the clock that all processes of the machine share. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
