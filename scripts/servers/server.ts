/**
 * A server with a port, a folder and a life: started, stopped, killed, paused and started again on the same port.
 * What kind it is, is said by `launch` alone.
 */
import { emptyFolder, newFolder } from './folder.ts'
import { freePort, HOST } from './port.ts'
import { RedisAccess } from './redis-access.ts'
import { exchange, ReplyError } from './resp.ts'
import { type Launch, ServerProcess } from './server-process.ts'
import { until } from './until.ts'

const START_TRIES = 5

export interface Login {
  readonly username?: string
  readonly password: string
  readonly ca?: string
}

export interface StartOptions {
  /** `false`: resolves with the first answer of any kind, `LOADING` included. */
  readonly ready?: boolean
}

export abstract class Server extends RedisAccess {
  readonly name: string
  readonly folder: string
  #process: ServerProcess | null = null

  protected constructor(name: string, port: number, login?: Login) {
    super({ host: HOST, port, ...login })
    this.name = name
    this.folder = newFolder(name)
  }

  /** How the server is started on its port and folder. */
  protected abstract launch(): Launch

  /** @throws when it is not running */
  get pid(): number {
    if (this.#process === null) throw new Error(`${this.name} is not running`)
    return this.#process.pid
  }

  get running(): boolean {
    return this.#process?.running === true
  }

  /**
   * Starts it on its port, in its folder as that is.
   *
   * @throws when it ends or is not ready in time; the message has its last words
   */
  async start({ ready = true }: StartOptions = {}): Promise<void> {
    if (this.running) throw new Error(`${this.name} is running already`)
    const server = new ServerProcess(this.name, `${this.folder}.log`, this.launch())
    this.#process = server
    const giveUp = (): void => {
      if (!server.running) throw new Error(`${this.name} ended before it was ready:\n${server.logTail()}`)
    }
    try {
      await until(`${this.name} answers on port ${this.port}`, () => this.#answers(ready), { giveUp, everyMs: 10 })
    } catch (error) {
      await server.kill()
      throw error
    }
  }

  /** Ends it in order, also when it is paused. */
  async stop(): Promise<void> {
    await this.#process?.stop()
  }

  async kill(): Promise<void> {
    await this.#process?.kill()
  }

  /** Stops its process where it is: connections stay open, nothing is answered. */
  pause(): void {
    this.#process?.signal('SIGSTOP')
  }

  resume(): void {
    this.#process?.signal('SIGCONT')
  }

  /**
   * Kills it and starts it again on the same port.
   *
   * @param options.empty its files are taken away in between
   */
  async restart({ empty = false, ...start }: StartOptions & { readonly empty?: boolean } = {}): Promise<void> {
    await this.kill()
    if (empty) emptyFolder(this.folder)
    await this.start(start)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #answers(ready: boolean): Promise<boolean> {
    try {
      const [reply] = await exchange(this.address, [['PING']], 1_000)
      return reply === 'PONG' && (await this.#isOurs())
    } catch (error) {
      if (!ready && error instanceof ReplyError) return true
      throw error
    }
  }

  /** Another run's server may have taken the port, and answers while ours is still about to fail. */
  async #isOurs(): Promise<boolean> {
    try {
      return (await this.info('server')).process_id === String(this.pid)
    } catch (error) {
      // Who is not allowed to ask has a login of its own, which a stranger's server would have refused.
      if (error instanceof ReplyError) return true
      throw error
    }
  }
}

/**
 * Makes servers on free ports and starts them. Between the look at a port and the start another process may take it:
 * then all of it is made anew.
 */
export async function onFreePorts<T extends { stop(): Promise<void> }>(
  count: number,
  start: (ports: readonly number[]) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const ports: number[] = []
    while (ports.length < count) ports.push(await freePort())
    try {
      return await start(ports)
    } catch (error) {
      const taken = error instanceof Error && /address already in use|could not create server tcp/i.test(error.message)
      if (!taken || tries === START_TRIES) throw error
    }
  }
}
