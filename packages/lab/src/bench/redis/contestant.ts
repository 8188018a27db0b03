/**
 * The parent's side: a process for each adapter, or several, that are started when they are first needed. One that does
 * not answer in time is ended and started anew for the next order, so one contender that hangs spoils its own figures only.
 */
import { type Child, startChild } from '../child.ts'
import type { Adapter } from './adapter.ts'
import { CONTENDER_JOB, type ContenderInput, type Orders } from './contender-job.ts'

/** A process that is used again and again has this long in all. */
const LIFE_MS = 1_800_000
const READY_MS = 20_000
const WARM_AT_ONCE = 64
const WARM_MS = 400

export class Contestant {
  readonly #script: string
  readonly #input: ContenderInput
  #child: Promise<Child> | null = null

  constructor(script: string, adapter: Adapter, urls: readonly string[]) {
    this.#script = script
    this.#input = { adapter: adapter.name, urls }
  }

  /** @throws when it does not answer in time, or ends */
  async do<T>(orders: Orders, limitMs: number): Promise<T> {
    this.#child ??= this.#start()
    const child = await this.#child
    child.say(orders)
    return (await this.#inTime(child, limitMs)) as T
  }

  async ready(): Promise<void> {
    this.#child ??= this.#start()
    await this.#child
  }

  end(): void {
    void this.#child?.then((child) => child.kill())
    this.#child = null
  }

  async #start(): Promise<Child> {
    const child = startChild(this.#script, CONTENDER_JOB, this.#input, LIFE_MS)
    await this.#inTime(child, READY_MS)
    // Cold code would be measured otherwise, and most of all that of those who had to be started anew.
    child.say({ kind: 'slice', atOnce: WARM_AT_ONCE, forMs: WARM_MS } satisfies Orders)
    await this.#inTime(child, READY_MS)
    return child
  }

  async #inTime(child: Child, limitMs: number): Promise<unknown> {
    const limit = setTimeout(() => child.kill(), limitMs)
    try {
      return await child.hear()
    } catch (error) {
      this.#child = null
      throw new Error(`${this.#input.adapter} gave no answer within ${limitMs / 1000} s`, { cause: error })
    } finally {
      clearTimeout(limit)
    }
  }
}
