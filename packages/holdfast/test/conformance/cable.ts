/**
 * The way between one Holdfast object and its store: counts what goes over it, and can be cut. A cut cable either
 * answers nothing at all or refuses at once; requests that were sent before are answered.
 */
import { asBackend, portOf } from '../../src/backend.ts'
import { type Backend, BackendUnavailableError } from '../../src/index.ts'
import type { Port } from '../../src/port.ts'

type Break = 'silent' | 'deaf' | 'refusing'

export class Cable {
  readonly counts: Map<string, number> = new Map()
  /** Requests are answered, but nobody is told of anything. */
  mute = false
  #broken: Break | null = null
  #only: readonly string[] | null = null

  /**
   * `silent`: requests do not arrive; `deaf`: they arrive, their answers do not; `refusing`: an error at once.
   * With names, only those requests.
   */
  cut(how: Break = 'silent', ...only: string[]): void {
    this.#broken = how
    this.#only = only.length === 0 ? null : only
  }

  heal(): void {
    this.#broken = null
    this.#only = null
  }

  /** How often the store was asked for this, or at all. */
  count(...requests: string[]): number {
    const names = requests.length === 0 ? [...this.counts.keys()] : requests
    return names.reduce((sum, name) => sum + (this.counts.get(name) ?? 0), 0)
  }

  wrap(backend: Backend): Backend {
    const port = portOf(backend)
    const wrapped: Port = {
      kind: port.kind,
      ttlMsMin: port.ttlMsMin,
      // A thread would go round the cable.
      worker: null,
      connect: async (setup) => {
        await this.#through('connect', () => Promise.resolve())
        const onHint = (what: string | null): void => {
          if (!this.mute && (this.#broken === null || this.#only !== null)) setup.onHint(what)
        }
        return this.#over(await port.connect({ ...setup, onHint }), '')
      },
    }
    return asBackend(wrapped)
  }

  #over<T extends object>(target: T, prefix: string): T {
    return new Proxy(target, {
      get: (_, key) => {
        const value: unknown = Reflect.get(target, key, target)
        if (key === 'cells') return this.#over(value as object, 'cells.')
        if (typeof value !== 'function') return value
        const name = `${prefix}${String(key)}`
        if (['bucketOf', 'close', 'unlisten'].includes(name)) return value.bind(target)
        return (...values: unknown[]) => this.#through(name, () => value.apply(target, values) as Promise<unknown>)
      },
    })
  }

  async #through<T>(name: string, send: () => Promise<T>): Promise<T> {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
    if (this.#broken === null || !(this.#only?.includes(name) ?? true)) return send()
    if (this.#broken === 'refusing') throw new BackendUnavailableError('the cable is cut')
    if (this.#broken === 'deaf') await send()
    return new Promise<T>(() => {})
  }
}
