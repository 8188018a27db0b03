/**
 * The processes that the lab starts, seen from it. They end with the lab however that one ends: by `setpriv` where the
 * system has it, else because their channel to it closes.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { find } from '../../../../scripts/servers/programs.ts'
import { childFlags } from '../sale/driver.ts'
import type { Tally } from '../shop/meter.ts'
import type { Orders, Report, Word } from '../shop/orders.ts'

const START_MS_MAX = 20_000
const TALLY_MS_MAX = 3_000

const alive = new Set<ChildProcess>()
// A process that is stopped would not notice that its parent is gone.
const [guard, ...guarding] = find('setpriv') === null ? [] : ['setpriv', '--pdeathsig', 'KILL', '--']

/** Ends every process that still runs, without waiting. */
export function killHands(): void {
  for (const child of alive) child.kill('SIGKILL')
}

export class Hand {
  /** Where it serves; 0: it serves nobody. */
  port = 0
  readonly #child: ChildProcess
  readonly #listeners = new Set<(report: Report) => void>()
  readonly #ended: Promise<string>

  constructor(child: ChildProcess) {
    this.#child = child
    alive.add(child)
    this.#ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        alive.delete(child)
        resolve(signal ?? `exit code ${code}`)
      })
      child.once('error', (error) => resolve(error.message))
    })
    child.on('message', (report: Report) => {
      for (const listener of this.#listeners) listener(report)
    })
  }

  /** Starts a process and resolves once it is ready. */
  static async start(script: string, orders: Orders): Promise<Hand> {
    const args = [...childFlags, script, JSON.stringify(orders)]
    const [program, rest] =
      guard === undefined ? [process.execPath, args] : [guard, [...guarding, process.execPath, ...args]]
    const hand = new Hand(spawn(program, rest, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }))
    const ready = await hand.hears('ready', START_MS_MAX)
    if (ready === null) {
      hand.kill()
      throw new Error(`a process of ${orders.strategy} ended, or did not start in time (${await hand.#ended})`)
    }
    hand.port = ready.port
    return hand
  }

  say(word: Word): void {
    if (this.#child.connected) this.#child.send(word, () => {})
  }

  /** Calls with all that it reports from now on. */
  onReport(listener: (report: Report) => void): void {
    this.#listeners.add(listener)
  }

  /** Its next report of a kind; null: it ended, or there was none in time. */
  hears<K extends Report['kind']>(kind: K, limitMs: number): Promise<Extract<Report, { kind: K }> | null> {
    return new Promise((resolve) => {
      const settle = (report: Extract<Report, { kind: K }> | null): void => {
        clearTimeout(late)
        this.#listeners.delete(listener)
        resolve(report)
      }
      const listener = (report: Report): void => {
        if (report.kind === kind) settle(report as Extract<Report, { kind: K }>)
      }
      const late = setTimeout(settle, limitMs, null)
      this.#listeners.add(listener)
      void this.#ended.then(() => settle(null))
    })
  }

  async tally(): Promise<Tally | null> {
    const told = this.hears('tally', TALLY_MS_MAX)
    this.say({ kind: 'tally' })
    return (await told)?.tally ?? null
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  kill(): void {
    this.signal('SIGKILL')
  }

  async end(): Promise<void> {
    this.kill()
    await this.#ended
  }
}
