/**
 * One server as a child process. It ends with the process that started it, however that one ends: by `setpriv` where
 * the system has it, else when this process exits in an orderly way.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { find } from './programs.ts'

const STOP_MS_MAX = 5_000
const LOG_LINES = 15

const alive = new Set<ServerProcess>()
process.on('exit', () => {
  for (const server of alive) server.signal('SIGKILL')
})

export interface Launch {
  readonly program: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export class ServerProcess {
  readonly name: string
  /** Resolves when the process has ended, with a word on how. */
  readonly ended: Promise<string>
  readonly #child: ChildProcess
  readonly #logFile: string
  #running = true

  constructor(name: string, logFile: string, { program, args, env = {} }: Launch) {
    this.name = name
    this.#logFile = logFile
    const log = openSync(logFile, 'a')
    // The signal comes when the *thread* that started the server ends: servers are started from main threads only.
    const guarded =
      find('setpriv') === null ? [program, ...args] : ['setpriv', '--pdeathsig', 'KILL', '--', program, ...args]
    const [first = program, ...rest] = guarded
    this.#child = spawn(first, rest, { stdio: ['ignore', log, log], env: { ...process.env, LANG: 'C.UTF-8', ...env } })
    closeSync(log)
    // A server alone keeps no test and no bench from ending.
    this.#child.unref()
    alive.add(this)
    this.ended = new Promise((resolve) => {
      const end = (how: string): void => {
        this.#running = false
        alive.delete(this)
        resolve(how)
      }
      this.#child.once('exit', (code, signal) => end(signal ?? `status ${code}`))
      this.#child.once('error', (error) => end(error.message))
    })
  }

  /** @throws when the process could not be started */
  get pid(): number {
    const { pid } = this.#child
    if (pid === undefined) throw new Error(`${this.name} could not be started`)
    return pid
  }

  get running(): boolean {
    return this.#running
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#running) this.#child.kill(signal)
  }

  /** Ends it in order, also when it is stopped, and kills it when it does not end. */
  async stop(): Promise<void> {
    this.signal('SIGTERM')
    this.signal('SIGCONT')
    await Promise.race([this.#end(), sleep(STOP_MS_MAX, undefined, { ref: false })])
    await this.kill()
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL')
    await this.#end()
  }

  /** The last lines that it wrote. */
  logTail(): string {
    return readFileSync(this.#logFile, 'utf8').trimEnd().split('\n').slice(-LOG_LINES).join('\n')
  }

  async #end(): Promise<void> {
    this.#child.ref()
    await this.ended
  }
}
