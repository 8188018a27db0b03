/**
 * A file of one byte beside the database, written after every move, so that the operating system can wake who waits for
 * one in another process; beats and uncontended takes do not touch it, so nobody is woken for nothing. An improvement
 * only: where it cannot be written, or not be watched, the database is looked at by the clock.
 *
 * What a reader would get wrong: its name may be anybody's. Only a plain file of the database's own owner, mode and with
 * no second name is written to and believed in; a link is not followed and a pipe is not waited for.
 */
import {
  closeSync,
  constants,
  type FSWatcher,
  fchmodSync,
  fchownSync,
  fstatSync,
  openSync,
  type Stats,
  statSync,
  watch,
  writeSync,
} from 'node:fs'

const CLAPPER = Buffer.from('.')
const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

function bellOf(file: string): string {
  return `${file}-bell`
}

/** Wakes who listens to a database in other processes. */
export class Bell {
  /** Kept open, so that it rings also when the process has no descriptor left. */
  #descriptor: number | null = null

  /** Called after the commit, never inside a transaction. */
  ring(file: string): void {
    if (file === '') return
    try {
      if (this.#descriptor !== null && !isAt(bellOf(file), fstatSync(this.#descriptor))) this.close()
      this.#descriptor ??= openBell(file)
      writeSync(this.#descriptor, CLAPPER, 0, 1, 0)
    } catch {
      // They will look by the clock.
      this.close()
    }
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor)
    this.#descriptor = null
  }
}

export class Ear {
  readonly #onRing: () => void
  #watcher: FSWatcher | null = null
  #watched: Stats | null = null

  constructor(onRing: () => void) {
    this.#onRing = onRing
  }

  /** Rings will be heard. */
  get isOpen(): boolean {
    return this.#watcher !== null
  }

  /** Listens to the bell of this database, unless it does already; another file may be the bell by now. */
  open(file: string): void {
    if (file === '') return
    if (this.#watched !== null && isAt(bellOf(file), this.#watched)) return
    this.close()
    try {
      const descriptor = openBell(file)
      try {
        this.#watched = fstatSync(descriptor)
      } finally {
        closeSync(descriptor)
      }
      const watcher = watch(bellOf(file), { persistent: false }, () => this.#onRing())
      watcher.on('error', () => this.close())
      this.#watcher = watcher
    } catch {
      this.close()
    }
  }

  close(): void {
    this.#watcher?.close()
    this.#watcher = null
    this.#watched = null
  }
}

/** @throws when there is no bell that everybody who may write to the database can ring */
function openBell(file: string): number {
  const database = statSync(file)
  const descriptor = openOrMake(file, database)
  try {
    const { uid, mode, nlink } = requireFile(fstatSync(descriptor))
    if (nlink !== 1 || uid !== database.uid || (mode & 0o666) !== (database.mode & 0o666)) {
      throw new Error('the bell is not one of this database')
    }
    return descriptor
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

function openOrMake(file: string, database: Stats): number {
  try {
    return openSync(bellOf(file), O_WRONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const made = openSync(bellOf(file), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, database.mode & 0o666)
  try {
    // Whatever the umask is, and whoever makes it.
    fchmodSync(made, database.mode & 0o666)
    const { uid } = fstatSync(made)
    if (uid !== database.uid) fchownSync(made, database.uid, database.gid)
    return made
  } catch (error) {
    closeSync(made)
    throw error
  }
}

function requireFile(stats: Stats): Stats {
  if (!stats.isFile()) throw new Error('the bell is no plain file')
  return stats
}

function isAt(path: string, { dev, ino }: Stats): boolean {
  const there = statSync(path, { throwIfNoEntry: false })
  return there !== undefined && there.dev === dev && there.ino === ino
}
