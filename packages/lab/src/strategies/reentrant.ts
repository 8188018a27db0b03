/** A section that takes a lock which its caller has already: what a plain lock does with it, and what a reentrant one does. */
import { sellOne } from '../shop/selling.ts'
import { locksInFile } from './own-locks.ts'
import { OwnMutex } from './own-mutex.ts'
import type { Strategy } from './strategy.ts'

const shared = { step: 15, store: 'sqlite' } as const
const FILE = 'reentrant.ts'
/** After so long a section that waits for itself is given up. */
const PATIENCE_MS = 300

export const waitsForItself: Strategy = {
  ...shared,
  name: 'waits-for-itself',
  title: 'A lock that knows no owner, taken twice by one task',
  made: 'plain client',
  verdict: 'right until',
  fixes: 'Nothing.',
  leaves: 'The inner take waits for the outer one, which waits for the inner: nobody sells anything.',
  source: { file: FILE, line: 'const inner = await patient(mutex.take())' },
  async open(shop) {
    const mutex = new OwnMutex()
    const patient = (taken: Promise<() => void>): Promise<(() => void) | null> =>
      Promise.race([taken, shop.pause(PATIENCE_MS).then(() => null)])
    return async () => {
      const outer = await patient(mutex.take())
      if (outer === null) return 'busy'
      await shop.at('holds the lock')
      const inner = await patient(mutex.take())
      if (inner === null) return 'busy'
      await shop.at('is inside twice')
      const sale = await sellOne(shop)
      inner()
      outer()
      await shop.at('let go')
      return sale
    }
  },
}

export const reentrant: Strategy = {
  ...shared,
  name: 'reentrant',
  title: 'Holdfast: reentrant mutex',
  made: 'Holdfast',
  verdict: 'right',
  fixes: 'The section that calls another one which takes the same lock.',
  leaves: 'Nothing of its own; but who needs it often has two layers that both think they own the data.',
  source: { file: FILE, line: "locks.mutex('stock', { reentrant: true" },
  async open(shop) {
    const locks = await locksInFile(shop)
    const lock = locks.mutex('stock', { reentrant: true, wait: `${shop.terms.waitMs}ms` })
    return () =>
      lock.run(async () => {
        await shop.at('holds the lock')
        const sale = await lock.run(async () => {
          await shop.at('is inside twice')
          return sellOne(shop)
        })
        await shop.at('let go')
        return sale
      })
  },
}
