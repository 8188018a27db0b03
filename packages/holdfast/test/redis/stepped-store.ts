/**
 * A real Redis server under a virtual clock, to hold it against the memory store. In the text of each script the one
 * line that reads the server's clock reads a key instead, which the test sets; nothing else of it is changed. All
 * buckets are one, for the facts of the port know one bucket only.
 */
import { createHash } from 'node:crypto'
import { Redis } from 'ioredis'
import { asBackend, type Backend } from '../../src/backend.ts'
import { RedisLedger } from '../../src/backends/redis/ledger.ts'
import type { Script } from '../../src/backends/redis/script.ts'
import type { Subscription, Wire } from '../../src/backends/redis/wire.ts'
import type { MadeStore, StoreKind } from '../backends/bench.ts'
import type { SteppedClock } from '../backends/stepped-clock.ts'
import { shortHint, withLongIds } from './long-ids.ts'

/** Ahead of the real time by years: what a script lets the server forget at some moment, no real moment reaches. */
const STARTS_AT_MS = 2_100_000_000_000
const CLOCK_KEY = 'clock of the test'
const READS_CLOCK = /^local clock = (?:redis\.)?call\('TIME'\)$/gm

/** @param through where clients connect, when something stands between them and the server */
export function redisStore(port: number, through: number = port): StoreKind {
  return {
    name: 'a Redis server',
    startsAtMs: STARTS_AT_MS,
    make: (clock) => new SteppedStore(port, through, clock),
  }
}

export function steppedText(text: string): string {
  const found = text.match(READS_CLOCK)?.length ?? 0
  if (found !== 1) throw new Error(`${found} lines of the script read the clock`)
  return text.replace(READS_CLOCK, `local clock = redis.call('HMGET', '${CLOCK_KEY}', 's', 'us')`)
}

const steppedScripts = new Map<string, Script>()

function stepped(script: Script): Script {
  const known = steppedScripts.get(script.sha)
  if (known !== undefined) return known
  const text = steppedText(script.text)
  const made = { name: script.name, text, sha: createHash('sha1').update(text).digest('hex') }
  steppedScripts.set(script.sha, made)
  return made
}

export class SteppedStore implements MadeStore {
  readonly #through: number
  readonly #clock: SteppedClock
  readonly #control: Redis
  readonly #emptied: Promise<unknown>
  readonly #clients: Redis[] = []
  readonly #subscribers: Redis[] = []
  /** When the server would take a key away, as far as the test has seen. */
  readonly #endsAtMs = new Map<string, number>()
  #shownMs = Number.NaN

  constructor(port: number, through: number, clock: SteppedClock) {
    this.#through = through
    this.#clock = clock
    this.#control = new Redis(port, '127.0.0.1')
    this.#emptied = this.#control.flushall()
  }

  readonly backend: Backend = asBackend({
    kind: 'redis',
    ttlMsMin: 0,
    worker: null,
    connect: async (setup) => {
      await this.#emptied
      const ledger = new RedisLedger(
        new SteppedWire(this),
        { ...setup, onHint: (what) => setup.onHint(shortHint(what)) },
        null,
      )
      await ledger.connect()
      return withLongIds(ledger)
    },
  })

  /** A message is on its way before the answer to what sent it, and an answer to a subscriber comes behind it. */
  async hinted(): Promise<void> {
    await Promise.all(this.#subscribers.map((subscriber) => subscriber.status === 'ready' && subscriber.ping()))
  }

  async dispose(): Promise<void> {
    for (const client of this.#clients) client.disconnect()
    this.#control.disconnect()
  }

  /** Before a request: the server has the time of the test, and has taken away what ends until then. */
  async before(keys: readonly string[]): Promise<void> {
    const nowMs = this.#clock.wallMs()
    if (nowMs !== this.#shownMs) {
      const us = Math.floor(nowMs * 1000)
      await this.#control.hset(CLOCK_KEY, 's', Math.floor(us / 1e6), 'us', us % 1e6)
      this.#shownMs = nowMs
    }
    const ended = keys.filter((key) => (this.#endsAtMs.get(key) ?? Number.POSITIVE_INFINITY) <= nowMs)
    for (const key of ended) this.#endsAtMs.delete(key)
    if (ended.length > 0) await this.#control.del(...ended)
  }

  async after(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const endsAtMs = await this.#control.pexpiretime(key)
      if (endsAtMs < 0) this.#endsAtMs.delete(key)
      else this.#endsAtMs.set(key, endsAtMs)
    }
  }

  client(): Redis {
    const client = new Redis(this.#through, '127.0.0.1', { maxRetriesPerRequest: 0, retryStrategy: () => 1 })
    client.on('error', () => {})
    this.#clients.push(client)
    return client
  }

  subscriber(): Redis {
    const client = this.client()
    this.#subscribers.push(client)
    return client
  }
}

class SteppedWire implements Wire {
  readonly driver = 'ioredis'
  readonly cluster = false
  readonly failsOver = false
  readonly connections = 1
  readonly warnings = []
  readonly #store: SteppedStore
  readonly #client: Redis

  constructor(store: SteppedStore) {
    this.#store = store
    this.#client = store.client()
  }

  async run(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    // What `agree` writes at connecting must not be the birth of the bucket that the facts look at.
    const here = script.name === 'agree' ? keys : keys.map((key) => key.replace(/:\d+\}/, ':1}'))
    const mortal = script.name.startsWith('cell-') ? here.slice(1) : []
    await this.#store.before(mortal)
    const { sha, text } = stepped(script)
    const reply = await this.#client.evalsha(sha, here.length, ...here, ...args).catch((error: Error) => {
      if (!error.message.startsWith('NOSCRIPT')) throw error
      return this.#client.eval(text, here.length, ...here, ...args)
    })
    await this.#store.after(mortal)
    return reply
  }

  async subscribe(channels: readonly string[], onMessage: (message: string) => void): Promise<Subscription> {
    const client = this.#store.subscriber()
    client.on('message', (_channel, message: string) => onMessage(message))
    await client.subscribe(...channels)
    return { close: async () => client.disconnect() }
  }

  async ready(): Promise<void> {
    await this.#client.ping()
  }

  async info(section: string): Promise<string> {
    return this.#client.info(section)
  }

  async runReplicated(script: Script, keys: readonly string[], args: readonly string[]): Promise<ReplicatedReply> {
    return { reply: await this.run(script, keys, args), acknowledged: 0 }
  }

  async close(): Promise<void> {
    this.#client.disconnect()
  }
}

type ReplicatedReply = Awaited<ReturnType<Wire['runReplicated']>>
