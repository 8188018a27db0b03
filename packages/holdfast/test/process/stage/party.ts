/**
 * One process of a test: `program.mjs` under orders. It is killed, stopped and continued by its pid. Every order has a
 * time limit, and what the party says without being asked is kept, so that nothing is missed by listening late.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { nowMs, until, within } from './moment.ts'

const PROGRAM = fileURLToPath(new URL('../program.mjs', import.meta.url))

/** What an order came to. Moments are those of the party, on the clock that all processes share. */
export interface Answer<T> {
  readonly value: T
  readonly beganMs: number
  readonly atMs: number
}

/** An order that failed, as the party saw it. */
export interface Failure {
  readonly name: string
  readonly code: string | null
  readonly reason: string | null
  readonly message: string
  readonly settled: string | null
  readonly atMs: number
  readonly beganMs: number
}

/** Said without being asked: `ready`, `lost`, `term`, `inside`, … */
export interface Saying {
  readonly event: string
  readonly atMs: number
  readonly as?: string
  readonly name?: string
  readonly reason?: string
  readonly fence?: string
}

export interface End {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly atMs: number
}

export interface PartySettings {
  /** Another Node than the one that runs the tests. */
  readonly node?: string
  /** Another program than `program.mjs` that speaks as it does. */
  readonly program?: string
  readonly environment?: Readonly<Record<string, string>>
  /** Flags of Node. */
  readonly flags?: readonly string[]
}

type Line = Saying | ({ readonly answerTo: number } & (Answer<unknown> | { readonly error: Failure }))

const ORDER_MS = 15_000

export class OrderError extends Error {
  readonly failure: Failure
  constructor(what: string, failure: Failure) {
    super(`${what}: ${failure.name} ${failure.code ?? ''} ${failure.message}`)
    this.failure = failure
  }
}

export class Party {
  readonly sayings: Saying[] = []
  readonly ended: Promise<End>
  readonly #child: ChildProcess
  readonly #open = new Map<number, { settle: (line: Line) => void; fail: (error: Error) => void }>()
  #orders = 0
  #over = false
  #stderr = ''

  constructor({ node = process.execPath, program = PROGRAM, environment = {}, flags = [] }: PartySettings = {}) {
    this.#child = spawn(node, ['--no-warnings', ...flags, program], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...process.env, NODE_OPTIONS: '', ...environment },
    })
    const { stdout, stderr } = this.#child
    if (stdout === null || stderr === null) throw new Error('a party without a voice')
    createInterface(stdout).on('line', (line) => this.#hear(JSON.parse(line) as Line))
    stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text
    })
    this.ended = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        this.#over = true
        for (const { fail } of this.#open.values())
          fail(new Error(`the party ended (${signal ?? code}): ${this.#stderr}`))
        this.#open.clear()
        resolve({ code, signal, atMs: nowMs() })
      })
    })
  }

  get pid(): number {
    const { pid } = this.#child
    if (pid === undefined) throw new Error('the party was not started')
    return pid
  }
  get over(): boolean {
    return this.#over
  }
  get stderr(): string {
    return this.#stderr
  }

  /** @throws {OrderError} the party could not do it @throws {Error} it did not answer in time or ended */
  order<T = null>(what: string, args: object = {}, limitMs: number = ORDER_MS): Promise<Answer<T>> {
    const answer = this.#order<T>(what, args, limitMs)
    // A party may be killed while nobody looks at the answer; whoever looks is told all the same.
    answer.catch(() => {})
    return answer
  }

  async #order<T>(what: string, args: object, limitMs: number): Promise<Answer<T>> {
    const id = this.#orders++
    const answered = new Promise<Line>((settle, fail) => this.#open.set(id, { settle, fail }))
    if (this.#over) throw new Error(`the party has ended: ${this.#stderr}`)
    this.#child.send({ id, what, args })
    const line = await within(`order ${what} to ${this.pid}`, limitMs, answered)
    if ('error' in line) throw new OrderError(what, line.error)
    return line as unknown as Answer<T>
  }

  /** What became of an order that must fail. */
  async failure(what: string, args: object = {}, limitMs: number = ORDER_MS): Promise<Failure> {
    try {
      const { value } = await this.order<unknown>(what, args, limitMs)
      throw new Error(`${what} did not fail: ${JSON.stringify(value)}`)
    } catch (error) {
      if (error instanceof OrderError) return error.failure
      throw error
    }
  }

  /** The first saying of this kind, also if it came before. */
  told(event: string, matches: Partial<Saying> = {}, limitMs = 10_000): Promise<Saying> {
    const wanted = Object.entries({ event, ...matches })
    const find = (): Saying | null =>
      this.sayings.find((one) => wanted.every(([key, value]) => one[key as keyof Saying] === value)) ?? null
    return until(
      `${event} of ${this.pid}`,
      () => {
        const found = find()
        if (found === null && this.#over) throw new Error(`the party ended without "${event}": ${this.#stderr}`)
        return found
      },
      limitMs,
    )
  }

  /** SIGKILL; gives the moment before it was sent. */
  kill(): number {
    return this.#signal('SIGKILL')
  }
  /** SIGSTOP: it stands still until `goOn`. */
  stop(): number {
    return this.#signal('SIGSTOP')
  }
  goOn(): number {
    return this.#signal('SIGCONT')
  }

  /** Whatever state it is in. */
  async end(): Promise<void> {
    if (!this.#over) {
      this.#child.kill('SIGCONT')
      this.#child.kill('SIGKILL')
    }
    await within(`the end of ${this.pid}`, 10_000, this.ended)
  }

  #signal(signal: NodeJS.Signals): number {
    const atMs = nowMs()
    process.kill(this.pid, signal)
    return atMs
  }

  #hear(line: Line): void {
    if (!('answerTo' in line)) {
      this.sayings.push(line)
      return
    }
    const failed = 'error' in line ? { ...line, error: { ...line.error, ...moments(line) } } : line
    this.#open.get(line.answerTo)?.settle(failed)
    this.#open.delete(line.answerTo)
  }
}

function moments(line: object): Pick<Failure, 'atMs' | 'beganMs'> {
  const { atMs, beganMs } = line as Pick<Failure, 'atMs' | 'beganMs'>
  return { atMs, beganMs }
}
