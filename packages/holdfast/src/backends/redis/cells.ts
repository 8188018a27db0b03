/** Cells and counted sets. Their keys live as long as their owner wants, by the server's own expiry. */
import type { CellAnswer, Cells, CellValue, CellWrite, LedgerSetup, Timed } from '../../port.ts'
import { requireNumber } from '../rules.ts'
import { type Bucket, bucketOf, type Keys } from './keys.ts'
import { type Reply, serverMsOf, stateOf } from './reply.ts'
import { type Script, scripts } from './script.ts'

/** How long an op id is remembered after its write would be too late. */
const KEEP_MS = 60_000

export type Run = (script: Script, keys: readonly string[], args: readonly string[]) => Promise<Reply>

export class RedisCells implements Cells {
  readonly #keys: Keys
  readonly #setup: LedgerSetup
  readonly #run: Run

  constructor(keys: Keys, setup: LedgerSetup, run: Run) {
    this.#keys = keys
    this.#setup = setup
    this.#run = run
  }

  async get(name: string): Promise<CellValue | null> {
    const [, , value, version] = await this.#look(name)
    return version === '' ? null : { value: String(value), version: Number(version) }
  }

  async count(name: string): Promise<number> {
    const [, , , , members] = await this.#look(name)
    return Number(members)
  }

  async set(name: string, value: string, write: CellWrite): Promise<CellAnswer> {
    const { ifVersion, ttlMs, opId, notAfterMs, minSeq } = write
    requireNumber(minSeq)
    const bucket = this.#bucket(name)
    const wanted = ifVersion === undefined ? '*' : String(ifVersion ?? '')
    const reply = await this.#run(
      scripts.cellSet,
      [bucket.keys[0], bucket.cell(name), bucket.op(opId)],
      [
        this.#keys.news,
        name,
        value,
        micros(notAfterMs),
        String(minSeq),
        wanted,
        micros(ttlMs ?? 0),
        micros(KEEP_MS),
        micros(this.#setup.maxTtlMs),
        this.#setup.quarantine ? '1' : '0',
      ],
    )
    const serverMs = serverMsOf(reply)
    const state = stateOf(reply)
    if (state === 'written') return { serverMs, state, version: Number(reply[2]) }
    return { serverMs, state: state === 'refused' ? state : 'too-late' }
  }

  async add(
    name: string,
    member: string,
    { notAfterMs, ttlMs }: { readonly notAfterMs: number; readonly ttlMs: number },
  ): Promise<Timed & { readonly state: 'counted' | 'too-late'; readonly count: number }> {
    const bucket = this.#bucket(name)
    const reply = await this.#run(
      scripts.cellAdd,
      [bucket.keys[0], bucket.members(name)],
      [this.#keys.news, name, member, micros(notAfterMs), micros(ttlMs)],
    )
    const state = stateOf(reply) === 'counted' ? 'counted' : 'too-late'
    return { serverMs: serverMsOf(reply), state, count: Number(reply[2]) }
  }

  async remove(name: string): Promise<void> {
    const bucket = this.#bucket(name)
    const keys = [bucket.keys[0], bucket.cell(name), bucket.members(name)]
    await this.#run(scripts.cellRemove, keys, [this.#keys.news, name])
  }

  #look(name: string): Promise<Reply> {
    const bucket = this.#bucket(name)
    return this.#run(scripts.cellGet, [bucket.keys[0], bucket.cell(name), bucket.members(name)], [])
  }

  #bucket(name: string): Bucket {
    return this.#keys.buckets[bucketOf(name)] as Bucket
  }
}

/** Whole microseconds, never fewer than meant. */
export function micros(ms: number): string {
  return String(Math.ceil(ms * 1000))
}
