/**
 * Hears from the operating system that the write-ahead log was written to, so that nobody has to look for news while
 * there are none. An improvement only: where it does not work, or stops working, looking by the clock goes on.
 */
import { type FSWatcher, watch } from 'node:fs'

export class LogFollower {
  readonly #onWrite: () => void
  #watcher: FSWatcher | null = null

  constructor(onWrite: () => void) {
    this.#onWrite = onWrite
  }

  get isOn(): boolean {
    return this.#watcher !== null
  }

  /** Follows the log of this database, unless it does already. */
  follow(file: string): void {
    if (this.#watcher !== null || file === '') return
    try {
      const watcher = watch(`${file}-wal`, { persistent: false }, (kind) => {
        // The log was made anew or taken away: what comes next is in another file.
        if (kind === 'rename') this.close()
        this.#onWrite()
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
