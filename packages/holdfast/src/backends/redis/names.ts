/**
 * The names of a namespace's lines in the order of their bytes. The server keeps them in none, since an order would cost
 * every take; who lists them has them scanned once and sorted here, and goes through what was found then.
 */
import type { Clock } from '../../clock.ts'
import type { Reply } from './reply.ts'

/** For so long the pages of one listing come from the same scan. */
const SCAN_MS = 10_000

interface Scan {
  readonly prefix: string
  readonly names: readonly string[]
  readonly madeMs: number
}

export class Names {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #buckets: number
  readonly #page: (bucket: number, args: readonly string[]) => Promise<Reply>
  #scan: Scan | null = null

  constructor(
    clock: Pick<Clock, 'monotonicMs'>,
    buckets: number,
    page: (bucket: number, args: readonly string[]) => Promise<Reply>,
  ) {
    this.#clock = clock
    this.#buckets = buckets
    this.#page = page
  }

  /** Names that begin with `prefix` and stand behind `after`. From the beginning on, they are looked up anew. */
  async above(prefix: string, after: string): Promise<readonly string[]> {
    const old = this.#scan
    const fresh = old !== null && old.prefix === prefix && this.#clock.monotonicMs() - old.madeMs < SCAN_MS
    const names = fresh && after !== '' ? old.names : await this.#found(prefix)
    if (after === '') return names
    const bytes = Buffer.from(after)
    return names.filter((name) => Buffer.compare(Buffer.from(name), bytes) > 0)
  }

  async #found(prefix: string): Promise<readonly string[]> {
    const buckets = Array.from({ length: this.#buckets }, (_, bucket) => this.#ofBucket(bucket, prefix))
    // A scan may give a name twice.
    const names = [...new Set((await Promise.all(buckets)).flat())]
    const keyed = names.map((name) => ({ name, bytes: Buffer.from(name) }))
    const sorted = keyed.sort((a, b) => Buffer.compare(a.bytes, b.bytes)).map(({ name }) => name)
    this.#scan = { prefix, names: sorted, madeMs: this.#clock.monotonicMs() }
    return sorted
  }

  async #ofBucket(bucket: number, prefix: string): Promise<readonly string[]> {
    const names: string[] = []
    let cursor = '0'
    do {
      const reply = await this.#page(bucket, [prefix, cursor])
      cursor = String(reply[2])
      for (const name of reply[3] as readonly unknown[]) names.push(String(name))
    } while (cursor !== '0')
    return names
  }
}
