/**
 * Leader election: a candidate is a claim that carries a value, the leader the first of the line. Each term has its own
 * fence, which is the term's number. Candidates of one process are claims of their own, for each has its own value.
 */
import { EXCLUSIVE } from '../admission.ts'
import type { Election, Leader, Lease, TakeOptions } from '../api.ts'
import { isHoldfastError } from '../errors.ts'
import { writable } from '../json.ts'
import { AGAIN } from '../keeper/again.ts'
import { checkName, checkText, lineOf } from '../names.ts'
import { checkFunction, checkSignalOnly, checkTake, OPTIONS, VALUE_BYTES_MAX } from '../options.ts'
import { withDefaults } from './defaults.ts'
import type { Home } from './home.ts'
import { MutexLease } from './lease.ts'
import { Thing } from './thing.ts'

type CandidateOptions = TakeOptions & { readonly value?: string }

export function election(home: Home, name: string, options?: TakeOptions): Election {
  return new Candidacy(home, checkName('name', name), withDefaults(home, checkTake(options, OPTIONS.candidate)))
}

class Candidacy extends Thing<Lease, CandidateOptions> implements Election {
  readonly #home: Home

  constructor(home: Home, name: string, options: CandidateOptions) {
    super(home, {
      kind: 'election',
      name,
      options,
      callOptions: OPTIONS.candidate,
      patienceMs: Number.POSITIVE_INFINITY,
      reentrant: false,
      wish: ({ value }) => ({
        weight: EXCLUSIVE,
        capacity: EXCLUSIVE,
        shared: false,
        slot: false,
        alone: true,
        value: value === undefined ? null : checkText('value', value, VALUE_BYTES_MAX),
      }),
      lease: (grant) => new MutexLease(grant),
    })
    this.#home = home
  }

  async lead(
    fn: (term: Lease) => unknown,
    options: { readonly signal: AbortSignal; readonly value?: string },
  ): Promise<void> {
    checkFunction(fn)
    const { signal } = checkSignalOnly(options)
    if (signal === undefined) throw new TypeError('signal must be given: it is what ends a candidacy')
    while (!signal.aborted) {
      let own: Lease | null = null
      const led = (term: Lease): unknown => {
        own = term
        return fn(term)
      }
      try {
        await this.run(led, { ...options, wait: 'forever' })
      } catch (error) {
        if (signal.aborted && error === signal.reason) return
        // A term that was lost is followed by the next; whatever else `fn` threw is the caller's.
        if (!isHoldfastError(error, 'LEASE_LOST') || !isLost(own)) throw error
      }
      // One turn of the loop, so that what ends a candidacy is heard also when terms are over at once.
      await this.#home.pause(0)
    }
  }

  async leader(): Promise<Leader | null> {
    const row = await this.#home.ask((ledger) => ledger.inspect(this.line))
    const first = row?.claims.find((claim) => claim.open)
    if (first === undefined) return null
    return writable({ value: first.value ?? '', fence: BigInt(first.seq) * 1024n, host: first.host, pid: first.pid })
  }

  async *observe(options: { readonly signal?: AbortSignal } = {}): AsyncIterable<Leader | null> {
    const { signal } = checkSignalOnly(options)
    let seen: bigint | null | undefined
    for (;;) {
      const next = await this.#home.until(lineOf('election', this.name), () => this.#unlike(seen), {
        signal,
        limitMs: Number.POSITIVE_INFINITY,
        late: () => new RangeError('an observation has no end'),
      })
      seen = next?.fence ?? null
      yield next
    }
  }

  /** The leader, if it is another than the one with this fence. An outage says nothing about who leads. */
  async #unlike(seen: bigint | null | undefined): Promise<Leader | null | typeof AGAIN> {
    try {
      const now = await this.leader()
      return seen !== undefined && (now?.fence ?? null) === seen ? AGAIN : now
    } catch (error) {
      if (isHoldfastError(error, 'BACKEND_UNAVAILABLE')) return AGAIN
      throw error
    }
  }
}

function isLost(term: Lease | null): boolean {
  return term?.signal.aborted === true
}
