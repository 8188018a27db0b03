/**
 * The main thread's side of the heartbeat worker: one worker a process, shared by all Holdfast objects, unref'd, and
 * gone with the last of them. It is an improvement, never a condition: whatever goes wrong, this thread beats.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { blockOn, within } from '../clock.ts'
import type { WorkerRecipe } from '../port.ts'
import { BUSY, CLOSING, type FromWorker, type ToWorker } from './heart-mail.ts'
import type { Keeper } from './keeper.ts'
import type { Session } from './session.ts'

/** On a very busy machine a thread takes its time to end. */
const ENDING_MS_MAX = 1000

export interface HeartListener {
  ready(): void
  ended(why: string): void
}

let worker: Worker | null = null
let members = 0
let numbers = 0

/** A text says why there is none. */
export function startHeart(keeper: Keeper, recipe: WorkerRecipe, listener: HeartListener): HeartWorker | string {
  if (process.env.JEST_WORKER_ID !== undefined) return 'Jest replaces the modules that a worker would need'
  const file = new URL('./worker.mjs', import.meta.url)
  if (!existsSync(file)) return 'the worker file is not beside the library; it was bundled or runs from source'
  try {
    worker ??= launch(fileURLToPath(file))
  } catch (error) {
    return `no worker could be started: ${error instanceof Error ? error.message : String(error)}`
  }
  return new HeartWorker(worker, keeper, recipe, listener)
}

function launch(file: string): Worker {
  const gate = new Int32Array(new SharedArrayBuffer(8))
  const started = new Worker(file, { name: 'holdfast-heartbeat', stdin: false, workerData: gate })
  started.unref()
  started.setMaxListeners(0)
  // A thread that is stopped inside a native driver may take the process down with it.
  const onExit = (): void => shut(gate)
  process.once('exit', onExit)
  started.once('exit', () => {
    process.off('exit', onExit)
    if (worker === started) worker = null
  })
  return started
}

/** Lets the worker begin nothing more, and waits until it is out of what it does, for 200 ms at most. */
function shut(gate: Int32Array): void {
  Atomics.store(gate, CLOSING, 1)
  for (let looks = 20; looks > 0 && Atomics.load(gate, BUSY) > 0; looks--)
    blockOn(gate, BUSY, Atomics.load(gate, BUSY), 10)
}

export class HeartWorker {
  /** The worker has connected and beats for this object. */
  beats = false
  readonly #number = numbers++
  readonly #worker: Worker
  readonly #keeper: Keeper
  readonly #listener: HeartListener
  readonly #ticks = new BigInt64Array(new SharedArrayBuffer(8))
  readonly #sessions = new Map<string, Session>()
  #over = false

  constructor(thread: Worker, keeper: Keeper, recipe: WorkerRecipe, listener: HeartListener) {
    this.#worker = thread
    this.#keeper = keeper
    this.#listener = listener
    members++
    this.tick(keeper.clock.monotonicMs())
    thread.on('message', this.#onMessage)
    thread.on('error', this.#onError)
    thread.on('exit', this.#onExit)
    // A listener for messages refs the port again.
    thread.unref()
    const { namespace, maxTtlMs, quarantine, maxStallMs } = keeper.settings
    this.#post({
      type: 'join',
      member: this.#number,
      recipe,
      namespace,
      maxTtlMs,
      quarantine,
      maxStallMs,
      ticks: this.#ticks.buffer as SharedArrayBuffer,
    })
    keeper.outbox.onUnconfirmed = (bucket, claims) =>
      this.#post({ type: 'leave', member: this.#number, bucket, claims: claims.map(({ id, line }) => ({ id, line })) })
  }

  watch(session: Session): void {
    this.#sessions.set(session.id, session)
    const { bucket, id, ttlMs, auditedTo, era } = session
    const { buffer } = session.tenure
    this.#post({ type: 'watch', member: this.#number, bucket, id, ttlMs, era, auditedTo, tenure: buffer })
  }

  drop(session: Session): void {
    if (this.#sessions.delete(session.id)) this.#post({ type: 'drop', member: this.#number, id: session.id })
  }

  /** The main thread is alive, and its own requests are answered. */
  tick(nowMs: number): void {
    Atomics.store(this.#ticks, 0, BigInt(Math.round(nowMs)))
  }

  /** The last of all lets the worker end by itself, and waits for that; ending it by force is not safe. */
  async close(): Promise<void> {
    if (this.#over) return
    this.#post({ type: 'part', member: this.#number })
    this.#end()
    if (members > 0) return
    const last = this.#worker
    if (worker === last) worker = null
    // Who awaits a close has nothing else to stay alive for.
    last.ref()
    await within(this.#keeper.clock, ENDING_MS_MAX, new Promise((ended) => last.once('exit', ended)))
    last.unref()
  }

  readonly #onMessage = (mail: FromWorker): void => {
    if (mail.member !== this.#number) return
    if (mail.type === 'ready') {
      this.beats = true
      this.#listener.ready()
    } else if (mail.type === 'failed') {
      this.#fail(mail.why)
    } else if (mail.type === 'left') {
      this.#keeper.outbox.confirmed(mail.ids)
    } else {
      const session = this.#sessions.get(mail.id)
      if (session !== undefined) this.#keeper.sessions.beaten(session, mail.answer, mail.after, mail.start)
    }
  }
  readonly #onError = (error: Error): void => this.#fail(`the heartbeat worker failed: ${error.message}`)
  readonly #onExit = (): void => this.#fail('the heartbeat worker ended')

  #fail(why: string): void {
    if (this.#over) return
    this.#end()
    this.#listener.ended(why)
  }

  #end(): void {
    this.#over = true
    this.beats = false
    members--
    this.#worker.off('message', this.#onMessage)
    this.#worker.off('error', this.#onError)
    this.#worker.off('exit', this.#onExit)
    this.#keeper.outbox.onUnconfirmed = () => {}
  }

  #post(mail: ToWorker): void {
    if (!this.#over) this.#worker.postMessage(mail)
  }
}
