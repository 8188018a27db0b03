/**
 * The scene of one process test: a temporary folder with one SQLite file, the parties that meet on it, and their end
 * together with the test, whatever became of it.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from './moment.ts'
import { Party, type PartySettings } from './party.ts'
import { isWritable } from './store-file.ts'

/** Who stands in and ahead of a line, by process. */
export interface LineOfParties {
  readonly name: string
  readonly kind: string
  readonly holders: readonly number[]
  readonly waiters: readonly number[]
}

export interface OpenSettings extends PartySettings {
  readonly how?: 'url' | 'file' | 'database'
  readonly driver?: string
  /** Options of `holdfast`. */
  readonly options?: object
  /** Connect and open a session now. */
  readonly ready?: boolean
}

/** Lets only so many processes start at the same time: more would take the processors from tests that measure. */
class Entrance {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(width: number) {
    this.#free = width
  }

  async admit<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }
}

const STOPS_MAX = 20

const starts = new Entrance(3)

export class Stage {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'holdfast-process-'))
  readonly file: string = join(this.folder, 'locks.db')
  readonly #parties: Party[] = []
  readonly #endings: (() => void)[] = []

  /** A process that has imported the library and waits for orders. */
  start(settings: PartySettings = {}): Promise<Party> {
    return starts.admit(async () => {
      const party = new Party(settings)
      this.#parties.push(party)
      await party.told('ready', {}, 20_000)
      return party
    })
  }

  /** A process with a Holdfast object on the stage's file. */
  async party({ how, driver, options, ready = true, ...settings }: OpenSettings = {}): Promise<Party> {
    const party = await this.start(settings)
    await party.order('open', { file: this.file, how, driver, options, ready })
    return party
  }

  parties(count: number, settings: OpenSettings = {}): Promise<Party[]> {
    return Promise.all(Array.from({ length: count }, () => this.party(settings)))
  }

  async three(settings: OpenSettings = {}): Promise<[Party, Party, Party]> {
    return Promise.all([this.party(settings), this.party(settings), this.party(settings)])
  }

  /**
   * Stops a party, but not in the middle of a write: that would stop everybody on the file, which is a test of its own.
   * Gives the moment from which it stood still. `files`: others that it must not be writing to.
   */
  async stop(party: Party, ...files: string[]): Promise<number> {
    for (let attempt = 1; attempt <= STOPS_MAX; attempt++) {
      const atMs = party.stop()
      const writable = await Promise.all([this.file, ...files].map(isWritable))
      if (writable.every(Boolean)) return atMs
      party.goOn()
      await pause(Math.random() * 10)
    }
    throw new Error(`${this.file} cannot be written to: somebody holds its lock for good`)
  }

  /** Called when the test is over, before the folder goes. */
  atEnd(ending: () => void): void {
    this.#endings.unshift(ending)
  }

  async dispose(): Promise<void> {
    await Promise.allSettled(this.#parties.map((party) => party.end()))
    for (const ending of this.#endings) ending()
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** The body of a test that has a stage of its own. */
export function onStage(play: (stage: Stage) => Promise<void>): () => Promise<void> {
  return async () => {
    const stage = new Stage()
    try {
      await play(stage)
    } finally {
      await stage.dispose()
    }
  }
}

/** Resolves once the process stands in a line of that name, waiting; any party can look. */
export async function untilWaiting(observer: Party, waiting: Party, name: string): Promise<void> {
  await until(`${waiting.pid} in line for ${name}`, async () => {
    const { value } = await observer.order<LineOfParties[]>('lines', { prefix: name })
    return value.some(({ waiters }) => waiters.includes(waiting.pid))
  })
}

/** Resolves once the heartbeat is there. */
export async function untilBeatenBy(party: Party, heartbeat: 'worker' | 'main'): Promise<void> {
  await until(`${party.pid} is beaten by its ${heartbeat}`, async () => {
    const { value } = await party.order<{ heartbeat: string }>('status')
    return value.heartbeat === heartbeat
  })
}
