/**
 * One process of the lab that sells with a strategy: a server of a sale, or a party of a scene. Started by the lab and
 * never by hand; it ends when its parent says so, and also when the parent is gone.
 */
import { nowMs } from './sale/moment.ts'
import { Meter } from './shop/meter.ts'
import { type Orders, type Report, readOrders, type Word } from './shop/orders.ts'
import { Party } from './shop/party.ts'
import { serveBuyers } from './shop/server.ts'
import { Shop, type Watcher } from './shop/shop.ts'
import { openStock } from './shop/stocks.ts'
import { strategyOf } from './strategies/index.ts'
import type { Buy } from './strategies/strategy.ts'

const tell = (report: Report): void => void process.send?.(report, () => {})

const orders = readOrders(process.argv[2])
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => process.exit(0))
// Ctrl-C reaches the whole process group; the parent decides when its children end.
process.on('SIGINT', () => {})

if (orders.role === 'server') await serve(orders)
else await play(orders)

async function serve({ plan, strategy }: Orders): Promise<void> {
  const { shop, buy } = await open(plan, strategy, null)
  const port = await serveBuyers(async () => {
    const sale = await shop.serve('', buy)
    if (sale === 'sold') shop.meter.soldAtMs = nowMs()
    return sale
  })
  process.on('message', ({ kind }: Word) => {
    if (kind === 'tally') tell({ kind: 'tally', tally: shop.meter.tally })
  })
  tell({ kind: 'ready', port })
}

async function play({ plan, strategy }: Orders): Promise<void> {
  const party = new Party(tell)
  const { shop, buy } = await open(plan, strategy, (customer, moment) => party.passes(customer, moment))
  process.on('message', (word: Word) => {
    if (word.kind === 'tally') tell({ kind: 'tally', tally: shop.meter.tally })
    else party.go(word.customer, word.until, () => shop.serve(word.customer, buy))
  })
  tell({ kind: 'ready', port: 0 })
}

async function open(plan: Orders['plan'], name: string, watch: Watcher | null): Promise<{ shop: Shop; buy: Buy }> {
  const meter = new Meter()
  const shop = new Shop(plan, await openStock[plan.store](plan.item, plan.addresses, meter), meter, watch)
  return { shop, buy: await strategyOf(name).open(shop) }
}
