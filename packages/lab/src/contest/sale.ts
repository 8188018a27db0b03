/**
 * One sale with one strategy: a full stock, fresh processes that sell, a crowd, and the books afterwards. What was sold
 * is read from the receipts, never from what servers or buyers believe.
 */
import { randomUUID } from 'node:crypto'
import { startBalancer } from '../sale/balancer.ts'
import { type Rush, rush } from '../sale/buyers.ts'
import { nowMs } from '../sale/moment.ts'
import type { Addresses } from '../shop/addresses.ts'
import { addTallies, Meter, NO_TALLY, type Tally } from '../shop/meter.ts'
import type { Terms } from '../shop/shop.ts'
import type { Books } from '../shop/stock.ts'
import { openStock } from '../shop/stocks.ts'
import type { Strategy } from '../strategies/strategy.ts'
import { Hand } from './hand.ts'

export interface Crowd {
  readonly stock: number
  readonly requests: number
  readonly concurrency: number
  readonly processes: number
  readonly secondsMax: number
}

export interface SaleFound {
  readonly strategy: string
  readonly crowd: Crowd
  readonly rush: Rush
  readonly unfinished: number
  readonly books: Books
  /** Sold above what there was. */
  readonly oversold: number
  /** Sold, and still on the shelf by the stock's own number. */
  readonly lost: number
  /** Until the last piece was sold; null: none was. */
  readonly sellingSeconds: number | null
  readonly waits: Waits | null
  readonly tally: Omit<Tally, 'waitsMs' | 'soldAtMs'>
}

/** How long purchases waited for their turn. */
export interface Waits {
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
}

/** While a sale runs no lock ends by itself, so a sale shows races alone; scenes show the rest. */
const SALE_TERMS: Terms = { paymentMs: 1, ttlMs: 10_000, capMs: 30_000, retryMs: 5, waitMs: 30_000, permits: 5 }

/** @param script the program of one process */
export async function holdSale(
  strategy: Strategy,
  crowd: Crowd,
  addresses: Addresses,
  script: string,
  onProgress: (answers: number) => void,
): Promise<SaleFound> {
  const item = `sale-${strategy.name}-${randomUUID().slice(0, 8)}`
  const stock = await openStock[strategy.store](item, addresses, new Meter())
  try {
    await stock.fill(crowd.stock)
    const terms = { ...SALE_TERMS, ...strategy.terms }
    const start = (process: number): Promise<Hand> => {
      const plan = { item, store: strategy.store, terms, addresses, process, clockOffsetMs: 0 }
      return Hand.start(script, { strategy: strategy.name, plan, role: 'server' })
    }
    const hands = await Promise.all(Array.from({ length: crowd.processes }, (_, number) => start(number)))
    const begunMs = nowMs()
    const { found, tally } = await rushThrough(hands, crowd, onProgress)
    const { waitsMs, soldAtMs, ...counts } = tally
    const books = await stock.books()
    const answered = found.served + found.cut + found.failed
    return {
      strategy: strategy.name,
      crowd,
      rush: found,
      unfinished: Math.max(0, crowd.requests - answered),
      books,
      oversold: Math.max(0, books.sold - crowd.stock),
      lost: Math.max(0, books.sold - (crowd.stock - books.left)),
      sellingSeconds: soldAtMs === null ? null : (soldAtMs - begunMs) / 1000,
      waits: waitsOf(waitsMs),
      tally: counts,
    }
  } finally {
    await stock.close()
  }
}

function waitsOf(waitsMs: readonly number[]): Waits | null {
  if (waitsMs.length === 0) return null
  const sorted = [...waitsMs].sort((a, b) => a - b)
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
  return { p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) }
}

/** The processes have ended when it resolves: nothing is sold any more. */
async function rushThrough(
  hands: readonly Hand[],
  { requests, concurrency: connections, secondsMax }: Crowd,
  onProgress: (answers: number) => void,
): Promise<{ found: Rush; tally: Tally }> {
  const balancer = await startBalancer(hands.map(({ port }) => port))
  try {
    const found = await rush({ url: balancer.url, requests, connections, secondsMax, onProgress })
    const tallies = await Promise.all(hands.map((hand) => hand.tally()))
    return { found, tally: addTallies(tallies.map((tally) => tally ?? NO_TALLY)) }
  } finally {
    balancer.close()
    await Promise.all(hands.map((hand) => hand.end()))
  }
}

/** What went wrong in a sale, a phrase each; empty when nothing did. */
export function faultsOf({ oversold, lost, tally }: SaleFound): readonly string[] {
  return [
    ...(oversold > 0 ? [`${oversold} sold that were not there`] : []),
    ...(oversold === 0 && lost > 0 ? [`${lost} sales lost from the stock`] : []),
    ...Object.entries(tally.faults).map(([what, times]) => `${what}, ${times} times`),
  ]
}
