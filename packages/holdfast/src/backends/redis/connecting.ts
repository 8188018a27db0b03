/** From a wire to a store: whoever is at the other end is looked at first, and what may hurt is told once. */
import { emit } from '../../events.ts'
import type { Ledger, LedgerSetup } from '../../port.ts'
import { failureOf } from './failure.ts'
import { RedisLedger } from './ledger.ts'
import { lookAt } from './server.ts'
import type { Wire } from './wire.ts'

/**
 * @param replicas so many must have a take @param warned what has been told already
 * @throws {BackendUnavailableError | BackendRefusedError} and the wire is closed
 */
export async function ledgerOver(
  wire: Wire,
  setup: LedgerSetup,
  replicas: number,
  warned: Set<string>,
): Promise<Ledger> {
  const giveUp = (): void => void wire.close()
  setup.signal?.addEventListener('abort', giveUp, { once: true })
  try {
    setup.signal?.throwIfAborted()
    await wire.ready()
    const settings = wire.warnings.map((message) => ({ code: 'client', message }))
    for (const { code, message } of [...settings, ...(await lookAt(wire))]) {
      if (warned.has(message)) continue
      warned.add(message)
      emit('holdfast:warning', () => ({ namespace: setup.namespace, code, message }))
    }
    const replication = replicas === 0 ? null : { count: replicas, limitMs: setup.maxTtlMs }
    const ledger = new RedisLedger(wire, setup, replication)
    await ledger.connect()
    return ledger
  } catch (error) {
    await wire.close()
    throw failureOf(error, wire.failsOver)
  } finally {
    setup.signal?.removeEventListener('abort', giveUp)
  }
}
