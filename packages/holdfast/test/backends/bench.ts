/** A store to test at the port: clients of it, their hints, and short ways to ask for things. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Backend, portOf } from '../../src/backend.ts'
import { memory } from '../../src/backends/memory/index.ts'
import type { SqliteDatabase } from '../../src/backends/sqlite/database.ts'
import { driver } from '../../src/backends/sqlite/driver.ts'
import { sqlite } from '../../src/backends/sqlite/index.ts'
import type { ClaimDraft, ClaimKey, EnterTerms, Ledger, LedgerSetup, SessionDraft, SessionKey } from '../../src/port.ts'
import { systemRandom } from '../../src/random.ts'
import { SteppedClock } from './stepped-clock.ts'

export const TTL_MS = 15_000
export const MAX_TTL_MS = 60_000
export const SLICE_MS = 50

/** Makes a store, once for each test. */
export interface StoreKind {
  readonly name: string
  make(clock: SteppedClock): MadeStore
  /** What the store calls time, where that is not the machine's own; memory and files keep two clocks apart. */
  readonly startsAtMs?: number
}

export interface MadeStore {
  readonly backend: Backend
  /** Lets hints that were sent arrive; a microtask is enough for those of this process. */
  hinted?(): Promise<void>
  /** Takes away what it left behind. */
  dispose(): void | Promise<void>
}

export const memoryStore: StoreKind = {
  name: 'memory',
  make: () => ({ backend: memory(), dispose: () => {} }),
}

export const fileStore: StoreKind = {
  name: 'a SQLite file',
  make() {
    const { file, dispose } = temporaryFile()
    return { backend: sqlite(file), dispose }
  },
}

export const objectStore: StoreKind = {
  name: 'a SQLite database object',
  make() {
    const { file, dispose } = temporaryFile()
    const database = openDatabase(file)
    database.exec('pragma journal_mode = wal; pragma synchronous = normal')
    const close = (): void => {
      database.close()
      dispose()
    }
    return { backend: sqlite(database), dispose: close }
  },
}

/** A database of the test's own, by the driver that the library would take. */
export const openDatabase = (file: string): SqliteDatabase => driver()(file)

export function temporaryFile(): { readonly file: string; dispose(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-'))
  return { file: join(folder, 'locks.db'), dispose: () => rmSync(folder, { recursive: true, force: true }) }
}

/**
 * Lets go of closed databases: libsql keeps a file open for as long as a statement of it is in memory. Needed where
 * many are opened, or too many files would be.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect === 'function') collect()
}

export type Client = Ledger & { readonly hints: (string | null)[] }

export class Bench {
  readonly clock: SteppedClock
  readonly #store: MadeStore
  readonly #clients: Client[] = []

  constructor(kind: StoreKind, clock: SteppedClock = new SteppedClock(kind.startsAtMs, kind.startsAtMs)) {
    this.clock = clock
    this.#store = kind.make(clock)
  }

  async client(changes: Partial<LedgerSetup> = {}): Promise<Client> {
    const hints: (string | null)[] = []
    const ledger = await portOf(this.#store.backend).connect({
      namespace: 'test',
      maxTtlMs: MAX_TTL_MS,
      quarantine: false,
      clock: this.clock,
      random: systemRandom,
      onHint: (what) => hints.push(what),
      ...changes,
    })
    const client = Object.assign(ledger, { hints })
    this.#clients.push(client)
    return client
  }

  /** Lets hints arrive. */
  async settled(): Promise<void> {
    await this.#store.hinted?.()
    await settled()
  }

  async dispose(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()))
    await this.#store.dispose()
  }
}

export const key = (id: string): SessionKey => ({ bucket: 0, id })

export const sessionDraft = (id: string, changes: Partial<SessionDraft> = {}): SessionDraft => ({
  ...key(id),
  ttlMs: TTL_MS,
  host: `host-of-${id}`,
  pid: 7,
  seenBefore: false,
  minSeq: 0,
  ...changes,
})

/** A claim for a mutex on the line `door`, unless said otherwise. */
export const claimDraft = (id: string, changes: Partial<ClaimDraft> = {}): ClaimDraft => ({
  id,
  line: 'door',
  weight: 1,
  capacity: 1,
  maxHoldMs: null,
  slot: false,
  detached: false,
  label: null,
  value: null,
  ...changes,
})

export const terms = (changes: Partial<EnterTerms> = {}): EnterTerms => ({
  mode: 'queue',
  notAfterMs: Number.MAX_SAFE_INTEGER,
  minSeq: 0,
  sliceMs: SLICE_MS,
  ...changes,
})

export const claimKey = (id: string, line = 'door'): ClaimKey => ({ id, line })

/** Lets hints of this process, which come on a microtask, arrive. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve()
}
