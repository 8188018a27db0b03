/** A connection of our own beside an ioredis client. */
import type { Ioredis } from './ioredis.ts'
import type { Script } from './script.ts'
import type { Spare } from './spare.ts'

/** So long ioredis keeps the process alive behind a server that does not answer to the end of a connection. */
export const DISCONNECT_MS = 50

/** Whatever its model does when a connection ends, this one ends with it. */
const SETTINGS = {
  lazyConnect: true,
  retryStrategy: null,
  sentinelRetryStrategy: null,
  failoverDetector: false,
  enableOfflineQueue: false,
  autoResubscribe: false,
  maxRetriesPerRequest: 0,
  disconnectTimeout: DISCONNECT_MS,
}

export class IoredisSpare implements Spare {
  readonly #client: Ioredis

  /** @param model a client of one server, or of the primary that Sentinel names @param keyPrefix what it puts before keys */
  constructor(model: Ioredis, keyPrefix: string) {
    this.#client = model.duplicate({ ...SETTINGS, keyPrefix })
    // Without a listener it would write its errors to the console.
    this.#client.on('error', () => {})
    this.#client.on('connect', () => this.#client.stream?.unref?.())
  }

  get ready(): boolean {
    return this.#client.status === 'ready'
  }

  open(): Promise<unknown> {
    return this.#client.connect()
  }
  bySha(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    return this.#client.evalsha(script.sha, keys.length, ...keys, ...args)
  }
  byText(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    return this.#client.eval(script.text, keys.length, ...keys, ...args)
  }
  send([command = '', ...args]: readonly string[]): Promise<unknown> {
    return this.#client.call(command, ...args)
  }
  subscribe(channels: readonly string[], onMessage: (message: string) => void): Promise<unknown> {
    this.#client.on('message', (_channel, message) => onMessage(message))
    return this.#client.subscribe(...channels)
  }
  onEnd(listener: () => void): void {
    this.#client.on('end', listener)
  }
  close(): void {
    // One that has ended would wait for its end once more.
    if (this.#client.status !== 'end') this.#client.disconnect()
  }
}
