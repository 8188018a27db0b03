/** One level: each task stands in the line of the server. Two: tasks line up in their process, which stands there once. */
import type { HoldfastOptions } from 'holdfast'
import { sellUnder } from '../shop/selling.ts'
import type { Shop } from '../shop/shop.ts'
import { leased, locksInRedis } from './own-locks.ts'
import type { Buy, Strategy } from './strategy.ts'

const shared = { step: 25, store: 'redis', made: 'Holdfast', verdict: 'right' } as const
const FILE = 'levels.ts'
const LOOK_MS = 50

export const oneLevel: Strategy = {
  ...shared,
  name: 'one-level',
  title: 'Holdfast without its front: each task in the line of the server',
  fixes: 'Nothing: it is here to be compared.',
  leaves: 'As many contenders at the server as there are tasks, and round trips for each.',
  source: { file: FILE, line: 'open(shop, { front: false })' },
  open: (shop) => open(shop, { front: false }),
}

export const twoLevels: Strategy = {
  ...shared,
  name: 'two-levels',
  title: 'Holdfast: local queue first, then one contender a process',
  fixes: 'The crowd at the server: contenders are as many as processes, and most hand-overs need no command.',
  leaves: 'Order between processes: one may serve a few of its own before it lets the other.',
  source: { file: FILE, line: 'open: (shop) => open(shop, {}),' },
  open: (shop) => open(shop, {}),
}

async function open(shop: Shop, options: Partial<HoldfastOptions>): Promise<Buy> {
  const locks = await locksInRedis(shop, options)
  const lock = locks.mutex('stock', { wait: `${shop.terms.waitMs}ms` })
  if (shop.plan.process === 0) {
    setInterval(async () => {
      const lines = await locks.inspect('stock').catch(() => [])
      shop.meter.peak(
        'contenders at the server',
        lines.reduce((sum, { holders, waiters }) => sum + holders.length + waiters.length, 0),
      )
    }, LOOK_MS)
  }
  return sellUnder(shop, leased(lock))
}
