/** One Redis server of a test's own. Nothing is written to disk unless its arguments say so. */
import { type ClockOptions, MovableClock } from './movable-clock.ts'
import { HOST } from './port.ts'
import { type Login, onFreePorts, Server, type StartOptions } from './server.ts'
import type { Launch } from './server-process.ts'

export interface RedisServerOptions extends StartOptions, ClockOptions {
  /** In messages and in the name of its folder. */
  readonly name?: string
  /** Further arguments, such as `['--maxmemory', '1mb']`; they win over ours. */
  readonly args?: readonly (string | number)[]
  /** What its arguments ask of who connects; with `ca` it speaks TLS only. */
  readonly login?: Login
}

export class RedisServer extends Server {
  /** As given to the next start. */
  args: readonly (string | number)[]
  readonly #clock: MovableClock | null

  constructor(port: number, { name = 'redis', args = [], login, clockOffsetMs }: RedisServerOptions = {}) {
    super(name, port, login)
    this.args = args
    this.#clock = clockOffsetMs === undefined ? null : new MovableClock(clockOffsetMs)
  }

  /** Starts a server on a free port. */
  static start(options: RedisServerOptions = {}): Promise<RedisServer> {
    return onFreePorts(1, async ([port = 0]) => {
      const server = new RedisServer(port, options)
      await server.start(options)
      return server
    })
  }

  /**
   * Moves its wall clock to so far from the system's, at once and while it runs.
   *
   * @throws {TypeError} it was made without `clockOffsetMs`
   */
  setClockOffset(offsetMs: number): void {
    if (this.#clock === null)
      throw new TypeError(`${this.name} has no clock of its own: start it with clockOffsetMs: 0`)
    this.#clock.set(offsetMs)
  }

  protected override launch(): Launch {
    const listen = this.address.ca === undefined ? ['--port', this.port] : ['--port', 0, '--tls-port', this.port]
    const quiet = ['--save', '', '--appendonly', 'no', '--daemonize', 'no']
    const args = [...listen, '--bind', HOST, '--dir', this.folder, ...quiet, ...this.args]
    return { program: 'redis-server', args: args.map(String), env: this.#clock?.env ?? {} }
  }
}
