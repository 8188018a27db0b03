/** A connection of our own beside a node-redis client. */
import type { Script } from './script.ts'
import type { Spare } from './spare.ts'

/** A client of one server. */
export interface NodeRedisNode {
  readonly isReady: boolean
  readonly isOpen: boolean
  readonly options?: { readonly socket?: object | undefined } | undefined
  duplicate(override: object): NodeRedisNode
  connect(): Promise<unknown>
  destroy(): void
  unref(): void
  sendCommand(command: readonly string[], options?: object): Promise<unknown>
  subscribe(channels: readonly string[], listener: (message: string) => void): Promise<unknown>
  on(event: string, listener: () => void): unknown
}

const PLAIN = { timeout: undefined, typeMapping: {} }

export class NodeRedisSpare implements Spare {
  readonly #client: NodeRedisNode
  readonly #prefix: string
  #onEnd = (): void => {}
  #ended = false

  /** @param model a client of one server @param prefix what the user's client puts before keys */
  constructor(model: NodeRedisNode, prefix: string) {
    this.#prefix = prefix
    this.#client = model.duplicate({
      socket: { ...model.options?.socket, reconnectStrategy: false, socketTimeout: undefined },
      disableOfflineQueue: true,
      pingInterval: undefined,
      clientSideCache: undefined,
      keyPrefix: undefined,
    })
    // It says no more of a connection that is not opened again.
    this.#client.on('error', () => this.#end())
    this.#client.on('end', () => this.#end())
    this.#client.unref()
  }

  get ready(): boolean {
    return this.#client.isReady
  }

  async open(): Promise<unknown> {
    await this.#client.connect()
    this.#client.unref()
    return null
  }
  bySha({ sha }: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    return this.#script('EVALSHA', sha, keys, args)
  }
  byText({ text }: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    return this.#script('EVAL', text, keys, args)
  }
  send(command: readonly string[]): Promise<unknown> {
    return this.#client.sendCommand(command, PLAIN)
  }
  subscribe(channels: readonly string[], onMessage: (message: string) => void): Promise<unknown> {
    return this.#client.subscribe(channels, (message) => onMessage(message))
  }
  onEnd(listener: () => void): void {
    this.#onEnd = listener
    if (this.#ended) listener()
  }
  close(): void {
    this.#onEnd = () => {}
    if (this.#client.isOpen) this.#client.destroy()
  }

  #script(command: string, script: string, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    const prefixed = keys.map((key) => this.#prefix + key)
    return this.send([command, script, String(keys.length), ...prefixed, ...args])
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#onEnd()
  }
}
