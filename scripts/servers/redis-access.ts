/** What a test asks a server behind the library's back: which keys there are, which commands came. */
import { type Address, exchange, type Reply } from './resp.ts'

export class RedisAccess {
  readonly address: Address

  constructor(address: Address) {
    this.address = address
  }

  get host(): string {
    return this.address.host
  }

  get port(): number {
    return this.address.port
  }

  get url(): string {
    const { host, port, username, password, ca } = this.address
    const login = password === undefined ? '' : `${username ?? ''}:${password}@`
    return `${ca === undefined ? 'redis' : 'rediss'}://${login}${host}:${port}`
  }

  /**
   * Sends one command over a connection of its own.
   *
   * @throws {ReplyError} the server refused it
   */
  async ask(...command: readonly (string | number)[]): Promise<Reply> {
    const [reply = null] = await exchange(this.address, [command])
    return reply
  }

  /** All keys that match, in byte order. */
  async keys(pattern = '*'): Promise<readonly string[]> {
    return strings(await this.ask('KEYS', pattern)).sort()
  }

  /** The fields of a section of `INFO`. */
  async info(section: string): Promise<Readonly<Record<string, string>>> {
    const text = String(await this.ask('INFO', section))
    const lines = text.split('\r\n').filter((line) => line.includes(':'))
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
    )
  }

  /**
   * How often each command was called since `CONFIG RESETSTAT`, by its name in small letters. What scripts call inside
   * counts too.
   */
  async commandCounts(): Promise<Readonly<Record<string, number>>> {
    const stats = Object.entries(await this.info('commandstats'))
    return Object.fromEntries(
      stats.map(([name, line]) => [name.replace(/^cmdstat_/, ''), Number(/calls=(\d+)/.exec(line)?.[1])]),
    )
  }
}

/** An answer that is a list of texts. */
export function strings(reply: Reply): string[] {
  if (!Array.isArray(reply)) throw new TypeError(`not a list: ${JSON.stringify(reply)}`)
  return reply.map(String)
}
