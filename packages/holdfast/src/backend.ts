/**
 * The public face of a backend: an opaque object that carries its port under a registered symbol, so that two copies
 * of the package understand each other and users see nothing but a kind.
 */
import { show } from './duration.ts'
import type { Port } from './port.ts'

/** A store to lock in, from `memory()`, `sqlite(file)`, … */
export interface Backend {
  readonly kind: string
}

const PORT = Symbol.for('holdfast.port.1')

export function asBackend(port: Port): Backend {
  return Object.freeze({ kind: port.kind, [PORT]: port })
}

/** @throws {TypeError} when the value was not made by one of the backend entries */
export function portOf(backend: unknown, where = 'target must be a URL, or a backend'): Port {
  const port = typeof backend === 'object' && backend !== null ? (backend as { [PORT]?: Port })[PORT] : undefined
  if (port === undefined) {
    throw new TypeError(
      `${where} such as memory() or sqlite(file), or redis(client) from 'holdfast/redis', not ${show(backend)}`,
    )
  }
  return port
}
