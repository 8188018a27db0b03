/** A database server of a run's own: its process, its folder, and the address under which clients find it. */
import { connect } from 'node:net'
import { HOST } from './port.ts'
import { type Launch, ServerProcess } from './server-process.ts'
import { until } from './until.ts'

export interface SqlAddress {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
}

export class SqlServer {
  readonly address: SqlAddress
  readonly #process: ServerProcess

  constructor(address: SqlAddress, process: ServerProcess) {
    this.address = address
    this.#process = process
  }

  /**
   * Starts it and waits until it speaks.
   *
   * @param greeted whether what came over a fresh connection says that it is ready
   * @throws when it ends or is not ready in time; the message has its last words
   */
  static async start(
    name: string,
    folder: string,
    address: SqlAddress,
    launch: Launch,
    speak: Speaking,
  ): Promise<SqlServer> {
    const server = new ServerProcess(name, `${folder}.log`, launch)
    const giveUp = (): void => {
      if (!server.running) throw new Error(`${name} ended before it was ready:\n${server.logTail()}`)
    }
    try {
      const what = `${name} answers on port ${address.port}`
      await until(what, async () => speak.isReady(await exchange(address.port, speak.hello)), { giveUp, everyMs: 50 })
    } catch (error) {
      await server.kill()
      throw error
    }
    return new SqlServer(address, server)
  }

  get pid(): number {
    return this.#process.pid
  }

  /** Its data are for nobody: it need not end in order. */
  async stop(): Promise<void> {
    await this.#process.kill()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}

export interface Speaking {
  /** Sent first; empty where the server speaks first. */
  readonly hello: Buffer
  readonly isReady: (answer: Buffer) => boolean
}

const ANSWER_MS_MAX = 1_000

/** What the server says within its first words. */
function exchange(port: number, hello: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: HOST, port })
    const late = setTimeout(() => end(() => reject(new Error(`no answer on port ${port}`))), ANSWER_MS_MAX)
    const end = (settle: () => void): void => {
      clearTimeout(late)
      socket.destroy()
      settle()
    }
    socket.on('connect', () => {
      if (hello.length > 0) socket.write(hello)
    })
    socket.on('data', (answer: Buffer) => end(() => resolve(answer)))
    socket.on('error', (error) => end(() => reject(error)))
    socket.on('end', () => end(() => reject(new Error(`port ${port} hung up`))))
  })
}
