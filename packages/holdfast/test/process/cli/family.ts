/** What a test knows of the two processes of `family.mjs`, read from the file that both write. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type CommandLine, programFile } from './command-line.ts'

type Role = 'parent' | 'child'

export class Family {
  readonly words: readonly string[]
  readonly #file: string
  readonly #commandLine: CommandLine

  /** `ignored`: the signals that neither of the two obeys. */
  constructor(commandLine: CommandLine, ignored: readonly string[] = [], name = 'family') {
    this.#commandLine = commandLine
    this.#file = join(commandLine.folder, name)
    this.words = [process.execPath, programFile('family.mjs'), this.#file, 'parent', ...ignored]
  }

  async bothLive(): Promise<void> {
    while (this.#moments('parent', 'lives').length < 2 || this.#moments('child', 'lives').length < 2) await pause(5)
    this.#commandLine.endLater(this.pid('parent'))
  }

  pid(role: Role): number {
    return Number(this.#lines().find(([who]) => who === role)?.[3])
  }

  /** When it last was seen to live, on the clock of `nowMs`. */
  lastMs(role: Role): number {
    return this.#moments(role, 'lives').at(-1) ?? Number.NaN
  }

  startMs(role: Role): number {
    return this.#moments(role, 'start')[0] ?? Number.NaN
  }

  /** When it was told by this signal; none: it was not. */
  toldMs(role: Role, signal: string): readonly number[] {
    return this.#moments(role, signal)
  }

  /** Whether it wrote nothing for a time in which it would have written ten times. */
  async isSilent(role: Role): Promise<boolean> {
    const before = this.lastMs(role)
    await pause(50)
    return this.lastMs(role) === before
  }

  #moments(role: Role, what: string): readonly number[] {
    return this.#lines()
      .filter(([who, said]) => who === role && said === what)
      .map(([, , moment]) => Number(moment))
  }

  #lines(): string[][] {
    try {
      return readFileSync(this.#file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' '))
    } catch {
      return []
    }
  }
}
