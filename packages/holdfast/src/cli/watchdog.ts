/**
 * A small second process that ends the command when `holdfast run` itself cannot: killed, it cannot signal any more;
 * stopped, it does not look. It hears the limits over a pipe and acts a little after them, so that it finds nothing to
 * do as long as the other one runs. The pipe's end without a farewell means that the other one is dead.
 */
import type { Clock, Timer } from '../clock.ts'
import { KILL_MARGIN_MS, type Limits } from './ladder.ts'
import type { ProcessGroup } from './process-group.ts'

/** The hidden command that this process is started with. */
export const WATCHDOG_COMMAND = '__watchdog'

/** What is said over the pipe, one line each. Complete every time, so only the last line counts. */
export interface Word {
  readonly group: number
  readonly limits: Limits
  readonly graceMs: number
  /** The command has had its SIGTERM; a second one means "at once" to many programs. */
  readonly told: boolean
}

const FAREWELL = 'done'
/** Later than the one who is watched would act, by more than its timers are ever late. */
const TERM_LAG_MS = 100
/** Still before the end of validity. */
const KILL_LAG_MS = KILL_MARGIN_MS / 2
const LOOK_MS_MAX = 1000

export function written(word: Word): string {
  return `${word.group} ${word.limits.termAtMs} ${word.limits.killAtMs} ${word.graceMs} ${word.told ? 1 : 0}\n`
}

export const farewell: string = `${FAREWELL}\n`

export function read(line: string): Word | null {
  const [group, termAtMs, killAtMs, graceMs, told] = line.split(' ').map(Number)
  if (group === undefined || termAtMs === undefined || killAtMs === undefined || graceMs === undefined) return null
  // A group of 0 or 1 would be our own or everybody's.
  if (!(Number.isInteger(group) && group > 1)) return null
  return { group, limits: { termAtMs, killAtMs }, graceMs, told: told === 1 }
}

export class Watchdog {
  readonly #clock: Clock
  readonly #groupOf: (pid: number) => ProcessGroup
  #word: Word | null = null
  #told = false
  #alone = false
  #timer: Timer | null = null

  constructor(clock: Clock, groupOf: (pid: number) => ProcessGroup) {
    this.#clock = clock
    this.#groupOf = groupOf
  }

  hear(line: string): void {
    if (line === FAREWELL) {
      this.#word = null
      this.#timer?.cancel()
      return
    }
    const word = read(line)
    if (word === null) return
    this.#word = word
    this.#told ||= word.told
    this.#look()
  }

  /** The pipe has ended: without a farewell nobody else will end the command. */
  endOfWords(): void {
    if (this.#word === null) return
    this.#alone = true
    const nowMs = this.#clock.monotonicMs()
    const { limits, graceMs } = this.#word
    const killAtMs = Math.min(limits.killAtMs, nowMs + graceMs)
    this.#word = { ...this.#word, limits: { termAtMs: nowMs, killAtMs } }
    this.#look()
  }

  readonly #look = (): void => {
    this.#timer?.cancel()
    if (this.#word === null) return
    const { limits } = this.#word
    const group = this.#groupOf(this.#word.group)
    const nowMs = this.#clock.monotonicMs()
    const termAtMs = limits.termAtMs + (this.#alone ? 0 : TERM_LAG_MS)
    const killAtMs = limits.killAtMs + (this.#alone ? 0 : KILL_LAG_MS)
    if (nowMs >= killAtMs) {
      group.signal('SIGKILL')
      this.#word = null
      return
    }
    if (nowMs >= termAtMs && !this.#told) {
      this.#told = true
      group.signal('SIGTERM')
      group.signal('SIGCONT')
    }
    if (this.#alone && !group.isAlive()) {
      this.#word = null
      return
    }
    const nextMs = this.#told ? killAtMs : Math.min(termAtMs, killAtMs)
    this.#timer = this.#clock.after(Math.min(LOOK_MS_MAX, Math.max(1, nextMs - nowMs)), this.#look)
    this.#timer.ref()
  }
}

/** Runs until the farewell or the last signal; then nothing is left that keeps the process alive. */
export function standWatch(input: NodeJS.ReadStream, clock: Clock, groupOf: (pid: number) => ProcessGroup): void {
  const watchdog = new Watchdog(clock, groupOf)
  let unread = ''
  input.setEncoding('utf8')
  input.on('data', (chunk: string) => {
    const lines = (unread + chunk).split('\n')
    unread = lines.pop() ?? ''
    for (const line of lines) watchdog.hear(line)
  })
  input.on('error', () => watchdog.endOfWords())
  input.on('end', () => watchdog.endOfWords())
}
