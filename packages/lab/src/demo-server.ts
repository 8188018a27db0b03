/**
 * One server process of the flash sale, started by the demo and never by hand. It ends when its parent tells it to,
 * and also when the parent is gone.
 */
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { holdfast } from 'holdfast'
import { findDriver } from './sale/driver.ts'
import { readOrders, type ServerMessage, type ServerOrders } from './sale/messages.ts'
import { ITEM, openShelf } from './sale/shelf.ts'
import { createShop } from './sale/shop.ts'
import { countTakes } from './sale/takes.ts'

/** How long a holder that should be killed waits for it, before it goes on as if nothing had been asked. */
const KILL_WAIT_MS = 10_000

const orders = readOrders(process.argv[2])
const takes = countTakes()
const locks = openLocks(orders)
await locks?.ready()
const shelf = openShelf(await findDriver(), orders.stockFile)
let stopAtLeft = orders.stopAtLeft

const server = createShop({
  shelf,
  lock: locks === null ? null : locks.mutex(`stock:${ITEM}`),
  takes,
  async beforePayment(left) {
    if (stopAtLeft === null || left > stopAtLeft) return
    stopAtLeft = null
    tell({ kind: 'holding', takes: takes() })
    await pause(KILL_WAIT_MS)
  },
})
server.listen(0, '127.0.0.1', () => tell({ kind: 'listening', port: (server.address() as AddressInfo).port }))
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => void end())
// Ctrl-C reaches the whole process group; the parent decides when its servers end.
process.on('SIGINT', () => {})

function openLocks({ lockUrl, ttlMs }: ServerOrders): ReturnType<typeof holdfast> | null {
  if (lockUrl === null) return null
  return holdfast(lockUrl, { namespace: 'sale', ...(ttlMs === null ? {} : { ttl: `${ttlMs}ms` }) })
}

/** A parent that is gone cannot be told, and needs not be: this process ends with it. */
function tell(message: ServerMessage): void {
  process.send?.(message, () => {})
}

async function end(): Promise<void> {
  server.close()
  server.closeAllConnections()
  await locks?.close()
  shelf.close()
  process.disconnect()
}
