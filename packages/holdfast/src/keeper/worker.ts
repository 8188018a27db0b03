/**
 * The heartbeat worker: beats the sessions it is given over connections of its own, so that a blocked main thread does
 * not cost its locks. It stops while the main thread has not ticked for `maxStall`, for a process that hangs must be
 * cut off. It never takes or releases, except leaves that the main thread could not get confirmed.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { Backend } from '../backend.ts'
import { portOf } from '../backend.ts'
import { systemClock as clock, within } from '../clock.ts'
import type { Ledger } from '../port.ts'
import { systemRandom as random } from '../random.ts'
import { BUSY, CLOSING, type FromWorker, type ToWorker } from './heart-mail.ts'
import { beatMs, startNow, Tenure, TenureWriter } from './tenure.ts'

type Join = Extract<ToWorker, { type: 'join' }>
type Watch = Extract<ToWorker, { type: 'watch' }>

const AUDIT_ROWS = 64

const gate = workerData as Int32Array

/** Does what may be inside a native driver, unless the process is ending, which waits for it. */
async function guarded<T>(work: () => Promise<T>): Promise<T> {
  Atomics.add(gate, BUSY, 1)
  try {
    if (Atomics.load(gate, CLOSING) === 1) throw new Error('the process is ending')
    return await work()
  } finally {
    Atomics.sub(gate, BUSY, 1)
    Atomics.notify(gate, BUSY)
  }
}

class Watched {
  readonly order: Watch
  readonly tenure: Tenure
  readonly writer: TenureWriter
  after: string
  beating = false

  constructor(order: Watch) {
    this.order = order
    this.after = order.auditedTo
    this.tenure = new Tenure(clock, order.ttlMs, order.tenure)
    this.writer = new TenureWriter(order.tenure, 1)
  }
}

class Member {
  readonly #join: Join
  readonly #ticks: BigInt64Array
  readonly #watched = new Map<string, Watched>()
  #ledger: Ledger | null = null
  #over = false

  constructor(join: Join) {
    this.#join = join
    this.#ticks = new BigInt64Array(join.ticks)
  }

  async connect(): Promise<void> {
    const { recipe, namespace, maxTtlMs, quarantine, member } = this.#join
    try {
      this.#ledger = await guarded(async () => {
        const entry = (await import(recipe.module)) as Record<string, (target: string) => Backend>
        const port = portOf(entry[recipe.name]?.(recipe.target))
        return port.connect({ namespace, maxTtlMs, quarantine, clock, random, onHint: () => {} })
      })
      if (this.#over) return await this.part()
      post({ type: 'ready', member })
    } catch (error) {
      post({
        type: 'failed',
        member,
        why: `the worker could not connect: ${error instanceof Error ? error.message : String(error)}`,
      })
    }
  }

  watch(order: Watch): void {
    const watched = new Watched(order)
    this.#watched.set(order.id, watched)
    this.#schedule(watched)
  }

  drop(id: string): void {
    this.#watched.delete(id)
  }

  leave(mail: Extract<ToWorker, { type: 'leave' }>): void {
    const ledger = this.#ledger
    if (ledger === null) return
    guarded(() => ledger.leave(mail.bucket, mail.claims)).then(
      ({ found }) =>
        post({
          type: 'left',
          member: mail.member,
          ids: mail.claims.filter((_, index) => found[index]).map((claim) => claim.id),
        }),
      () => {},
    )
  }

  async part(): Promise<void> {
    this.#over = true
    this.#watched.clear()
    const ledger = this.#ledger
    if (ledger !== null) await guarded(() => ledger.close())
  }

  #schedule(watched: Watched): void {
    const { ttlMs, id } = watched.order
    // A beat that is overdue has failed, or main stood still: it is tried again soon.
    const dueMs = watched.tenure.startMs + beatMs(ttlMs) - clock.monotonicMs()
    clock.after(Math.max(ttlMs / 12, dueMs), () => {
      if (this.#over || this.#watched.get(id) !== watched) return
      const ageMs = clock.monotonicMs() - watched.tenure.startMs
      if (ageMs >= beatMs(ttlMs) - 1 && this.#mainRuns()) void this.#beat(watched)
      this.#schedule(watched)
    })
  }

  #mainRuns(): boolean {
    return clock.monotonicMs() - Number(Atomics.load(this.#ticks, 0)) <= this.#join.maxStallMs
  }

  async #beat(watched: Watched): Promise<void> {
    const ledger = this.#ledger
    if (ledger === null || watched.beating) return
    watched.beating = true
    const { bucket, id, ttlMs, era } = watched.order
    const start = startNow(clock)
    const after = watched.after
    const outcome = await within(
      clock,
      ttlMs / 6,
      guarded(() => ledger.beat({ bucket, id }, { ttlMs, era, after, limit: AUDIT_ROWS })),
    )
    watched.beating = false
    if (outcome.kind !== 'value' || this.#watched.get(id) !== watched) return
    const answer = outcome.value
    if (answer.state === 'beaten') {
      if (answer.audit !== null) watched.after = answer.audit.length < AUDIT_ROWS ? '' : (answer.audit.at(-1)?.id ?? '')
      // A deadline that has passed stays passed: main may have acted on it already.
      if (watched.tenure.standing() !== 'lost') watched.writer.write(start)
    }
    post({ type: 'beaten', member: this.#join.member, id, answer, after, start })
  }
}

/** Node says once a thread what it thinks of its SQLite; main, which uses the same driver, has said it already. */
function withholdRepetition(): void {
  const listeners = process.rawListeners('warning') as NodeJS.WarningListener[]
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    const repeated = warning.name === 'ExperimentalWarning' && warning.message.startsWith('SQLite ')
    if (!repeated) for (const listener of listeners) listener.call(process, warning)
  })
}

const members = new Map<number, Member>()

function post(mail: FromWorker): void {
  parentPort?.postMessage(mail)
}

withholdRepetition()
parentPort?.on('message', (mail: ToWorker) => {
  if (mail.type === 'join') {
    const member = new Member(mail)
    members.set(mail.member, member)
    void member.connect()
    return
  }
  const member = members.get(mail.member)
  if (mail.type === 'watch') member?.watch(mail)
  else if (mail.type === 'drop') member?.drop(mail.id)
  else if (mail.type === 'leave') member?.leave(mail)
  else void part(mail.member)
})

/** With the last member the thread ends: nothing is left that keeps it. */
async function part(number: number): Promise<void> {
  const member = members.get(number)
  members.delete(number)
  await member?.part().catch(() => {})
  if (members.size === 0) parentPort?.close()
}
