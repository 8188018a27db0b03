/**
 * `memory()`: locks inside one process, for tests and for what needs no store. Every call makes a store of its own:
 * Holdfast objects exclude each other when they were made from the same backend object, and only then.
 */
import { asBackend, type Backend } from '../../backend.ts'
import type { Port } from '../../port.ts'
import { MemoryLedger } from './ledger.ts'
import { Store } from './store.ts'

interface Space {
  readonly store: Store
  readonly ledgers: Set<MemoryLedger>
}

/**
 * A store in the memory of this process.
 *
 * Its clock is that of the Holdfast object that used it first. Nothing outlives the process, and no other process or
 * thread sees it.
 */
export function memory(): Backend {
  const spaces = new Map<string, Space>()
  const port: Port = {
    kind: 'memory',
    ttlMsMin: 0,
    votes: true,
    worker: null,
    async connect(setup) {
      let space = spaces.get(setup.namespace)
      if (space === undefined) {
        const ledgers = new Set<MemoryLedger>()
        const hint = (what: string): void => {
          for (const ledger of ledgers) ledger.hint(what)
        }
        space = { store: new Store(setup.clock, hint), ledgers }
        spaces.set(setup.namespace, space)
      }
      const { store, ledgers } = space
      const ledger = new MemoryLedger(store, setup, (closed) => ledgers.delete(closed))
      ledgers.add(ledger)
      return ledger
    },
  }
  return asBackend(port)
}
