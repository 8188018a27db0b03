/**
 * A lock library as the bench uses it: takes and releases of names over one client library. All of them are asked the
 * same way, so what an adapter adds is the same few microtasks for each.
 */
import type { ClientName } from './clients.ts'

export type Release = () => Promise<unknown>

export interface Contender {
  /** Null: it gave up for now, with nothing taken. Only those that poll do, so that a slice can end. */
  take(name: string): Promise<Release | null>
  /** Resolves when the name is held, and is renewed until the process ends; without it, it renews nothing. */
  keep?(name: string, ttlMs: number): Promise<void>
}

export interface Adapter {
  /** `library@client`. */
  readonly name: string
  readonly client: ClientName
  /** Commands that it sends itself; what its scripts call on the server is counted apart from these. */
  readonly sends: readonly string[]
  open(url: string): Promise<Contender>
  /** The same over several servers, of which a majority counts; without it, it has no such thing. */
  openQuorum?(urls: readonly string[]): Promise<Contender>
}

/** Long enough that nothing ends by itself while it is measured. */
export const TTL_MS = 30_000
/** Those that poll ask so often: quicker than any of them does by itself, which costs them commands and no time. */
export const RETRY_MS = 10
/** So often before an adapter gives up for now. */
export const RETRIES = 20

/** Stands between a library that renews while a function runs and a name that is to be held for good. */
export function heldBy(run: (section: () => Promise<never>) => Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    const section = (): Promise<never> => {
      resolve()
      return new Promise<never>(() => {})
    }
    run(section).catch(reject)
  })
}

export const SCRIPTS: readonly string[] = ['evalsha', 'eval']
