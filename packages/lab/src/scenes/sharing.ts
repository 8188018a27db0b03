/** What shares: readers beside readers, permits that come back, the order of a fair lock, a sale that is not open yet. */
import { BELIEF } from '../shop/moment.ts'
import type { Scene } from './scene.ts'
import { isSold } from './stage.ts'

const TRIES_MS = 400

export const readersShare: Scene = {
  name: 'readers-share',
  title: 'Two look at once, one wants to sell, and one more wants to look',
  until: 'readers and writers meet',
  cases: [{ strategy: 'readers-and-writers', expect: 'holds' }],
  async play(stage) {
    const [a, b, c] = await stage.three()
    await a.to('looks at the price')
    await b.to('looks at the price')
    await c.towards('holds the lock', TRIES_MS)
    const early = stage.beliefs.length > 0
    const { faults } = await stage.tally()
    await Promise.all([a.end(), b.end(), c.end()])
    const lost = await stage.miscount()
    const broken = early || lost > 0 || stage.mostAtOnce() > 1 || Object.keys(faults).length > 0
    return {
      broken,
      says: broken ? 'A writer came in while others looked.' : 'Two looked at once, and each sold alone.',
    }
  },
}

export const permitReturns: Scene = {
  name: 'permit-returns',
  title: 'A process dies with its permit',
  until: 'a process dies with a permit',
  cases: [
    { strategy: 'semaphore-by-script', expect: 'holds' },
    { strategy: 'permits', expect: 'holds' },
  ],
  async play(stage) {
    const [a, b, c] = await stage.three()
    await a.to('holds the lock')
    await b.to('holds the lock')
    a.kill()
    const end = await c.end(3_500)
    const served = isSold(end)
    return { broken: !served, says: served ? 'The permit of A came back, and C got it.' : 'The permit of A is lost.' }
  },
}

export const inOrder: Scene = {
  name: 'in-order',
  title: 'Four come one after the other to two processes',
  until: 'order counts between processes',
  cases: [{ strategy: 'fair', expect: 'holds' }],
  async play(stage) {
    const [one, other] = await Promise.all([stage.process(), stage.process()])
    const names = ['A', 'B', 'C', 'D'] as const
    const all = await Promise.all(names.map((name, number) => stage.customer(name, number % 2 === 0 ? one : other)))
    const [first, ...rest] = all
    await first?.to('holds the lock')
    // Each stands in the line before the next one comes.
    for (const customer of rest) await customer.towards('holds the lock', 150)
    for (const customer of all) await customer.end()
    const served = stage.happenings.filter(({ what }) => what === BELIEF.from).map(({ who }) => who)
    const broken = served.join() !== names.join()
    return { broken, says: `They came as ${names.join(', ')} and were served as ${served.join(', ')}.` }
  },
}

export const notOpenYet: Scene = {
  name: 'not-open-yet',
  title: 'A customer comes before all warehouses have reported',
  until: 'somebody comes too early',
  cases: [{ strategy: 'opening-latch', expect: 'holds' }],
  async play(stage) {
    // Its process reports for all warehouses, the last one in about two seconds.
    const shop = await stage.process({ terms: { retryMs: 250 } })
    const a = await stage.customer('A', shop)
    await a.towards('holds the lock', TRIES_MS)
    const early = stage.beliefs.length > 0
    const end = await a.end()
    const sold = isSold(end)
    return {
      broken: early || !sold,
      says: early ? 'A bought before the opening.' : 'A waited for the last report, and bought.',
    }
  },
}
