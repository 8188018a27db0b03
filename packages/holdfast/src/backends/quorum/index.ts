/**
 * `quorum([...backends])`: locks that outlive the loss of a minority of independent stores. It has mutexes, read–write
 * locks and permits with a slot; what it has not is refused with `UnsupportedError`.
 */
import { asBackend, type Backend, portOf } from '../../backend.ts'
import { show } from '../../duration.ts'
import { QUORUM_LACKS, QUORUM_NODES } from '../quorum-address.ts'
import { QuorumLedger } from './ledger.ts'

export type { Backend } from '../../backend.ts'

/**
 * @param backends at least three stores that know nothing of each other, such as `redis(client)`, of one kind
 * @throws {TypeError | RangeError} naming what is wrong with them
 */
export function quorum(backends: readonly Backend[]): Backend {
  if (!Array.isArray(backends)) throw new TypeError(`backends must be an array of backends, not ${show(backends)}`)
  if (backends.length < QUORUM_NODES.min || backends.length > QUORUM_NODES.max) {
    throw new RangeError(`backends must be ${QUORUM_NODES.min} to ${QUORUM_NODES.max} stores, not ${backends.length}`)
  }
  if (new Set(backends).size < backends.length)
    throw new RangeError('backends must be different stores: one is there twice')
  const ports = backends.map((backend: unknown, index) => portOf(backend, `backends[${index}] must be a backend`))
  const [{ kind } = { kind: '' }] = ports
  for (const [index, port] of ports.entries()) {
    if (port.kind !== kind) throw new RangeError(`backends must be of one kind, not ${kind} and ${port.kind}`)
    if (port.votes !== true)
      throw new RangeError(`backends[${index}] is a ${kind} store, which cannot be one of a quorum`)
  }
  const named = ports.map((port, index) => ({ name: port.name ?? `${kind} ${index + 1}`, port }))
  return asBackend({
    kind: 'quorum',
    ttlMsMin: Math.max(...ports.map(({ ttlMsMin }) => ttlMsMin)),
    worker: null,
    lacks: QUORUM_LACKS,
    async connect(setup) {
      const ledger = new QuorumLedger(named, setup)
      try {
        await ledger.connect()
      } catch (error) {
        await ledger.close()
        throw error
      }
      return ledger
    },
  })
}
