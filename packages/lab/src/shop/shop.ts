/**
 * What a strategy has at hand in one process of a shop: the stock, connections that are counted, terms, and the moments
 * at which a scene may hold it. Nothing is closed in the end, for the process is killed. The wall clock is asked here alone, since a scene may set it wrong.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { nowMs } from '../sale/moment.ts'
import type { Sale, Store } from '../strategies/strategy.ts'
import { type Addresses, there } from './addresses.ts'
import type { Meter } from './meter.ts'
import type { Moment } from './moment.ts'
import { connectRedis, connectSentinel } from './redis.ts'
import { connectSql, type Sql } from './sql.ts'
import type { Stock } from './stock.ts'

export interface Terms {
  /** How long a payment takes, between reading the stock and writing it back. */
  readonly paymentMs: number
  /** How long a lock lasts that nobody renews. */
  readonly ttlMs: number
  /** How long a holder that renews its lock may hold it in all, where that is limited. */
  readonly capMs: number
  /** Between two attempts of those who ask again and again. */
  readonly retryMs: number
  /** After so long a customer gives up. */
  readonly waitMs: number
  /** How many may pay at once, where that is limited. */
  readonly permits: number
}

export interface ShopPlan {
  readonly item: string
  readonly store: Store
  readonly terms: Terms
  readonly addresses: Addresses
  /** Number of this process among those that sell. */
  readonly process: number
  /** How far the wall clock of this process is from the machine's. */
  readonly clockOffsetMs: number
}

/** Called with each moment of each customer; the customer goes on when it resolves. */
export type Watcher = (customer: string, moment: Moment) => Promise<void>

export class Shop {
  readonly plan: ShopPlan
  readonly item: string
  readonly terms: Terms
  readonly stock: Stock
  readonly meter: Meter
  readonly #watch: Watcher | null
  readonly #customers = new AsyncLocalStorage<string>()

  constructor(plan: ShopPlan, stock: Stock, meter: Meter, watch: Watcher | null) {
    this.plan = plan
    this.item = plan.item
    this.terms = plan.terms
    this.stock = stock
    this.meter = meter
    this.#watch = watch
  }

  /** Runs one purchase under the name of its customer. */
  serve(customer: string, buy: () => Promise<Sale>): Promise<Sale> {
    return this.#customers.run(customer, buy)
  }

  /** A place between two commands. */
  async at(moment: Moment): Promise<void> {
    if (this.#watch !== null) await this.#watch(this.customer, moment)
  }

  /** Who buys; a name in scenes only. */
  get customer(): string {
    return this.#customers.getStore() ?? ''
  }

  /** The wall clock of this process, as wrong as a scene wants it. */
  now(): number {
    return Date.now() + this.plan.clockOffsetMs
  }

  pay(): Promise<void> {
    return this.pause(this.terms.paymentMs)
  }

  pause(ms: number): Promise<void> {
    return pause(ms)
  }

  /** Tries until it succeeds, with a jittered pause between two attempts; null: the customer's patience is over. */
  async retried<T>(attempt: () => Promise<T | null>): Promise<T | null> {
    const { waitMs, retryMs } = this.terms
    const beginMs = nowMs()
    for (;;) {
      const got = await attempt()
      if (got !== null) return got
      this.meter.wasted += 1
      if (nowMs() - beginMs > waitMs) return null
      await this.pause(retryMs * (0.5 + Math.random()))
    }
  }

  /** A connection of its own. */
  redis(url: string = there(this.plan.addresses.redis, 'Redis')): Promise<Redis> {
    return connectRedis(url, this.meter)
  }

  /** A connection to whatever the sentinels call the primary. */
  sentinel(): Promise<Redis> {
    return connectSentinel(there(this.plan.addresses.sentinel, 'Sentinel'), this.meter)
  }

  /** A pool. */
  sql(connections = 10): Promise<Sql> {
    return connectSql(this.plan.store, this.plan.addresses, this.meter, connections)
  }
}
