/** A mutex inside the process, as every language has one, and the ways in which it guards nothing. */
import { sellUnder } from '../shop/selling.ts'
import type { Shop } from '../shop/shop.ts'
import type { Buy, Strategy } from './strategy.ts'

const shared = { step: 2, store: 'sqlite', made: 'plain client' } as const
const FILE = 'own-mutex.ts'

/** A queue of promises: each waits for the one before it. */
export class OwnMutex {
  #last: Promise<void> = Promise.resolve()

  /** Resolves with what ends the turn. */
  async take(): Promise<() => void> {
    const before = this.#last
    let done = (): void => {}
    this.#last = new Promise((resolve) => {
      done = resolve
    })
    await before
    return done
  }
}

const under = (mutex: OwnMutex) => async (): Promise<() => Promise<void>> => {
  const done = await mutex.take()
  return async () => done()
}

export const ownMutex: Strategy = {
  ...shared,
  name: 'own-mutex',
  title: 'A mutex in the process',
  verdict: 'wrong',
  fixes: 'The race between the tasks of one process.',
  leaves: 'A second process has a mutex of its own.',
  source: { file: FILE, line: 'return sellUnder(shop, under(new OwnMutex()))' },
  async open(shop) {
    return sellUnder(shop, under(new OwnMutex()))
  },
}

export const mutexPerRequest: Strategy = {
  ...shared,
  name: 'mutex-per-request',
  title: 'A mutex in the process, built anew for each request',
  verdict: 'wrong',
  fixes: 'Nothing: a lock that nobody else can see.',
  leaves: 'All of the race, and the looks of a lock.',
  source: { file: FILE, line: 'sellUnder(shop, () => under(new OwnMutex())())' },
  open: async (shop) => sellUnder(shop, () => under(new OwnMutex())()),
}

export const releasedBeforeCommit: Strategy = {
  ...shared,
  name: 'released-before-commit',
  title: 'A mutex that is given back before the transaction commits',
  verdict: 'wrong',
  fixes: 'Nothing: lock and transaction end in the wrong order.',
  leaves: 'The next one reads what was there before the commit.',
  source: { file: FILE, line: 'done() // the transaction is still open' },
  open: async (shop) => givingBackEarly(shop, new OwnMutex()),
}

function givingBackEarly(shop: Shop, mutex: OwnMutex): Buy {
  return async () => {
    const done = await mutex.take()
    await shop.at('holds the lock')
    const left = await shop.stock.left()
    await shop.at('read the stock')
    await shop.pay()
    done() // the transaction is still open
    await shop.at('let go')
    // What a framework does that commits after the method has returned.
    await shop.pause(1)
    if (left <= 0) return 'sold out'
    await shop.stock.writeBack(left - 1)
    return 'sold'
  }
}
