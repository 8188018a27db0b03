/**
 * A file of one byte beside the database, written after every move, so that the operating system can wake who waits for
 * one in another process; beats and uncontended takes do not touch it, so nobody is woken for nothing. An improvement
 * only: where it cannot be written, or not be watched, the database is looked at by the clock.
 */
import { closeSync, constants, type FSWatcher, fchmodSync, openSync, statSync, watch, writeSync } from 'node:fs'

const bellOf = (file: string): string => `${file}-bell`
const CLAPPER = Buffer.from('.')

/** Wakes who listens to this database in other processes. Called after the commit, never inside a transaction. */
export function ring(file: string): void {
  if (file === '') return
  try {
    const bell = openBell(file)
    try {
      writeSync(bell, CLAPPER, 0, 1, 0)
    } finally {
      closeSync(bell)
    }
  } catch {
    // They will look by the clock.
  }
}

export class Ear {
  readonly #onRing: () => void
  #watcher: FSWatcher | null = null

  constructor(onRing: () => void) {
    this.#onRing = onRing
  }

  /** Rings will be heard. */
  get isOpen(): boolean {
    return this.#watcher !== null
  }

  /** Listens to the bell of this database, unless it does already. */
  open(file: string): void {
    if (this.#watcher !== null || file === '') return
    try {
      closeSync(openBell(file))
      const watcher = watch(bellOf(file), { persistent: false }, (kind) => {
        // It was taken away: another one will be rung.
        if (kind === 'rename') this.close()
        this.#onRing()
      })
      watcher.on('error', () => this.close())
      this.#watcher = watcher
    } catch {
      this.#watcher = null
    }
  }

  close(): void {
    this.#watcher?.close()
    this.#watcher = null
  }
}

/** Whoever may write to the database may ring its bell, whatever the umask of its maker. */
function openBell(file: string): number {
  const bell = openSync(bellOf(file), constants.O_WRONLY | constants.O_CREAT, 0o666)
  try {
    const wanted = statSync(file).mode & 0o666
    if ((statSync(bellOf(file)).mode & 0o666) !== wanted) fchmodSync(bell, wanted)
  } catch {
    // It is somebody else's, who saw to that.
  }
  return bell
}
