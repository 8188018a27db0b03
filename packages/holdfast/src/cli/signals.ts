/**
 * The signals of this process. While it waits they end the waiting; once the command runs they are the command's. A
 * shell's Ctrl-Z stops the command with us, for it would otherwise run on while nobody renews its lock.
 */
import { HAS_GROUPS, type ProcessGroup } from './process-group.ts'

/** The reason with which a waiting take ends. */
export class Interrupted extends Error {
  readonly signal: NodeJS.Signals
  constructor(signal: NodeJS.Signals) {
    super(`interrupted by ${signal}`)
    this.signal = signal
  }
}

const ENDING: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']
/** Nobody's business while no command runs. A command without a terminal of its own hears of its size from us. */
const PASSED_ON: readonly NodeJS.Signals[] = ['SIGUSR1', 'SIGUSR2', 'SIGWINCH']

export class Signals {
  readonly #waiting = new AbortController()
  readonly #listeners: (readonly [NodeJS.Signals, () => void])[] = []
  #group: ProcessGroup | null = null

  constructor() {
    for (const signal of ENDING) this.#on(signal, () => this.#end(signal))
    if (HAS_GROUPS) for (const signal of PASSED_ON) this.#on(signal, () => this.#group?.signal(signal))
  }

  /** Aborts with {@link Interrupted}. */
  get waiting(): AbortSignal {
    return this.#waiting.signal
  }

  /** From now on signals go to the group. `onResume` is called first thing after this process was stopped. */
  passTo(group: ProcessGroup, onResume: () => void): void {
    this.#group = group
    if (!HAS_GROUPS) return
    this.#on('SIGCONT', onResume)
    this.#on('SIGTSTP', () => {
      // SIGTSTP itself would be ignored: the kernel drops it for a group without a parent in its own session.
      group.signal('SIGSTOP')
      process.kill(process.pid, 'SIGSTOP')
      // Here we go on. Whether the command may is decided before it can do anything.
      onResume()
      group.signal('SIGCONT')
    })
  }

  dispose(): void {
    for (const [signal, listener] of this.#listeners) process.off(signal, listener)
    this.#listeners.length = 0
  }

  #end(signal: NodeJS.Signals): void {
    if (this.#group !== null) this.#group.signal(signal)
    else this.#waiting.abort(new Interrupted(signal))
  }

  #on(signal: NodeJS.Signals, listener: () => void): void {
    process.on(signal, listener)
    this.#listeners.push([signal, listener])
  }
}
