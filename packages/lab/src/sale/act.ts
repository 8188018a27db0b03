/**
 * One act of the demo: a full shelf, fresh server processes, the crowd, and the books afterwards. What was sold is read
 * from the receipts, never from what servers or buyers believe.
 */
import { join } from 'node:path'
import { startBalancer } from './balancer.ts'
import { type Rush, rush } from './buyers.ts'
import type { Driver } from './driver.ts'
import type { ServerMessage, ServerOrders } from './messages.ts'
import { nowMs } from './moment.ts'
import { openShelf, type Receipt, stockShelf } from './shelf.ts'
import { type Clerk, hire } from './staff.ts'
import { addTakes, type Takes } from './takes.ts'

export interface ActPlan {
  readonly title: string
  readonly lock: boolean
  readonly ttlMs: number | null
  /** Kill one server with SIGKILL while it holds the lock, once half of the stock is sold. */
  readonly kill: boolean
}

export interface Scene {
  readonly driver: Driver
  readonly folder: string
  readonly serverScript: string
  readonly servers: number
  readonly stock: number
  readonly requests: number
  readonly connections: number
}

export interface ActResult extends Rush {
  readonly plan: ActPlan
  readonly sold: number
  readonly left: number
  readonly oversold: number
  /** Null without a lock. */
  readonly takes: Takes | null
  /** From the kill to the next turn of another process; null: nobody was killed, or nobody went on. */
  readonly recoveryMs: number | null
  /** Every receipt has a higher fence than the one before it; null without a lock. */
  readonly fencesRise: boolean | null
}

interface Death {
  readonly pid: number
  readonly atMs: number
  readonly takes: Takes
}

export async function playAct(
  plan: ActPlan,
  scene: Scene,
  number: number,
  onProgress: (answers: number) => void,
): Promise<ActResult> {
  const stockFile = join(scene.folder, `act-${number}.db`)
  stockShelf(scene.driver, stockFile, scene.stock)
  const orders: ServerOrders = {
    stockFile,
    lockUrl: plan.lock ? `sqlite:${join(scene.folder, `locks-${number}.db`)}` : null,
    ttlMs: plan.ttlMs,
    stopAtLeft: null,
  }
  let death: Death | null = null
  const clerks = await hireAll(plan, scene, orders, (found) => {
    death = found
  })
  const balancer = await startBalancer(clerks.map(({ port }) => port))
  try {
    const { requests, connections } = scene
    const found = await rush({ url: balancer.url, requests, connections, onProgress })
    const takes = plan.lock ? await takesOf(clerks, death) : null
    return { plan, ...found, takes, ...readBooks(scene, stockFile, plan, death) }
  } finally {
    balancer.close()
    await Promise.all(clerks.map((clerk) => clerk.dismiss()))
  }
}

/** The first of them is the one that dies in an act with a kill. */
function hireAll(
  plan: ActPlan,
  { serverScript, servers, stock }: Scene,
  orders: ServerOrders,
  onDeath: (death: Death) => void,
): Promise<Clerk[]> {
  const stopAtLeft = Math.floor(stock / 2)
  const numbers = Array.from({ length: servers }, (_, index) => index)
  return Promise.all(
    numbers.map((index) =>
      hire(serverScript, plan.kill && index === 0 ? { ...orders, stopAtLeft } : orders, (message, child) => {
        if (message.kind === 'holding') onDeath(killHolder(message, child.pid ?? 0))
      }),
    ),
  )
}

function killHolder({ takes }: ServerMessage & { readonly kind: 'holding' }, pid: number): Death {
  process.kill(pid, 'SIGKILL')
  return { pid, atMs: nowMs(), takes }
}

async function takesOf(clerks: readonly Clerk[], death: Death | null): Promise<Takes> {
  const living = clerks.filter(({ pid }) => pid !== death?.pid)
  const told = await Promise.all(living.map((clerk) => clerk.stats()))
  return addTakes(death === null ? told : [...told, death.takes])
}

function readBooks(
  { driver, stock }: Scene,
  stockFile: string,
  plan: ActPlan,
  death: Death | null,
): Pick<ActResult, 'sold' | 'left' | 'oversold' | 'recoveryMs' | 'fencesRise'> {
  const shelf = openShelf(driver, stockFile)
  const sold = shelf.sold()
  const left = shelf.left()
  const receipts = shelf.receipts()
  shelf.close()
  return {
    sold,
    left,
    oversold: Math.max(0, sold - stock),
    recoveryMs: death === null ? null : recoveryMs(receipts, death),
    fencesRise: plan.lock ? fencesRise(receipts) : null,
  }
}

/** From the death to the first turn of another process after it. */
export function recoveryMs(receipts: readonly Receipt[], death: Pick<Death, 'pid' | 'atMs'>): number | null {
  const after = receipts.filter(({ pid, turnAtMs }) => pid !== death.pid && turnAtMs > death.atMs)
  return after.length === 0 ? null : Math.min(...after.map(({ turnAtMs }) => turnAtMs)) - death.atMs
}

export function fencesRise(receipts: readonly Pick<Receipt, 'fence'>[]): boolean {
  return receipts.every(({ fence }, index) => {
    const before = receipts[index - 1]?.fence ?? 0n
    return fence !== null && fence > before
  })
}
