/** Every command that a server is given, and every one that scripts call inside: what MONITOR says, as entries. */
import { connect, type Socket } from 'node:net'
import { type RedisAccess, until } from '../../../../scripts/servers/index.ts'

export interface Entry {
  /** Called by a script. */
  readonly inside: boolean
  /** The command in small letters, and its arguments. */
  readonly words: readonly string[]
}

let marks = 0

export class CommandLog {
  readonly #server: RedisAccess
  readonly #socket: Socket
  #entries: Entry[] = []
  #text = ''

  constructor(server: RedisAccess) {
    this.#server = server
    this.#socket = connect({ host: server.host, port: server.port, noDelay: true })
    this.#socket.setEncoding('utf8')
    this.#socket.on('data', (text) => this.#hear(String(text)))
    this.#socket.write('MONITOR\r\n')
  }

  static async start(server: RedisAccess): Promise<CommandLog> {
    const log = new CommandLog(server)
    await log.taken()
    return log
  }

  /** What came since the last time, but for what tests ask themselves. */
  async taken(): Promise<readonly Entry[]> {
    const mark = `mark-${process.pid}-${marks++}`
    const at = (): number => this.#entries.findIndex(({ words }) => words[1] === mark)
    await until('the log is complete', async () => {
      // Said again until it is heard: MONITOR may have begun a moment later.
      await this.#server.ask('ECHO', mark)
      return at() >= 0
    })
    const taken = this.#entries.slice(0, at())
    this.#entries = this.#entries.slice(at()).filter(({ words }) => words[1] !== mark)
    return taken.filter(({ words }) => words[0] !== 'echo')
  }

  [Symbol.dispose](): void {
    this.#socket.destroy()
  }

  #hear(text: string): void {
    const lines = (this.#text + text).split('\r\n')
    this.#text = lines.pop() ?? ''
    for (const line of lines) {
      const [, from, rest] = /^\+[\d.]+ \[\d+ ([^\]]*)\] (.*)$/.exec(line) ?? []
      if (from === undefined || rest === undefined) continue
      const [command = '', ...words] = [...rest.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = '']) => word)
      this.#entries.push({ inside: from === 'lua', words: [command.toLowerCase(), ...words] })
    }
  }
}
