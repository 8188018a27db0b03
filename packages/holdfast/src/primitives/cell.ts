/** A named value with a version that is never reused: compare-and-set, a life of its own, and watching it change. */
import type { Cell } from '../api.ts'
import { show } from '../duration.ts'
import { isHoldfastError } from '../errors.ts'
import { writable } from '../json.ts'
import { AGAIN } from '../keeper/again.ts'
import { checkName, checkText } from '../names.ts'
import { bounded, checkSignalOnly, copyOf, VALUE_BYTES_MAX } from '../options.ts'
import type { CellAnswer } from '../port.ts'
import type { Home } from './home.ts'
import { repeated } from './repeated.ts'

export function cell(home: Home, name: string): Cell {
  return new NamedCell(home, `cell:${checkName('name', name)}`)
}

class NamedCell implements Cell {
  readonly #home: Home
  readonly #key: string

  constructor(home: Home, key: string) {
    this.#home = home
    this.#key = key
  }

  async get(): ReturnType<Cell['get']> {
    const found = await this.#home.ask((ledger) => ledger.cells.get(this.#key))
    return found === null ? null : writable({ value: found.value, version: BigInt(found.version) })
  }

  async set(value: string, asked: NonNullable<Parameters<Cell['set']>[1]> = {}): Promise<bigint | null> {
    const options = copyOf('options', asked)
    checkText('value', value, VALUE_BYTES_MAX)
    const ttlMs = options.ttl === undefined ? null : bounded('ttl', options.ttl, 1, Number.MAX_SAFE_INTEGER)
    const answer = await writeCell(this.#home, this.#key, value, versionOf(options.ifVersion), ttlMs)
    return answer.state === 'written' ? BigInt(answer.version) : null
  }

  async *watch(options: { readonly signal?: AbortSignal } = {}): AsyncIterable<string | null> {
    const { signal } = checkSignalOnly(options)
    let seen: bigint | null | undefined
    for (;;) {
      const found = await this.#home.until(this.#key, () => this.#unlike(seen), {
        signal,
        limitMs: Number.POSITIVE_INFINITY,
        late: () => new RangeError('a watch has no end'),
      })
      seen = found?.version ?? null
      yield found?.value ?? null
    }
  }

  async #unlike(seen: bigint | null | undefined): Promise<Awaited<ReturnType<Cell['get']>> | typeof AGAIN> {
    try {
      const now = await this.get()
      return seen !== undefined && (now?.version ?? null) === seen ? AGAIN : now
    } catch (error) {
      if (isHoldfastError(error, 'BACKEND_UNAVAILABLE')) return AGAIN
      throw error
    }
  }
}

/** One write, repeated under the same op id while its outcome is unknown. */
export async function writeCell(
  home: Home,
  key: string,
  value: string,
  ifVersion: number | null | undefined,
  ttlMs: number | null,
): Promise<CellAnswer> {
  const opId = home.random.id()
  return repeated(home, (notAfterMs, { sessions }) =>
    home.ask((ledger) => {
      const minSeq = sessions.minSeq(ledger.bucketOf(key))
      return ledger.cells.set(key, value, { opId, notAfterMs, minSeq, ifVersion, ttlMs })
    }),
  )
}

function versionOf(asked: unknown): number | null | undefined {
  if (asked === undefined || asked === null) return asked
  if (typeof asked !== 'bigint') throw new TypeError(`ifVersion must be a bigint or null, not ${show(asked)}`)
  if (asked < 0n || asked >= 2n ** 53n)
    throw new RangeError(`ifVersion must be a version that a cell gave, not ${show(asked)}`)
  return Number(asked)
}
