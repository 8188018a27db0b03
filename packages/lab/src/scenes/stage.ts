/**
 * The stage of one scene: real processes with customers that are led from moment to moment, killed and stopped, and the
 * stock that they leave. Everything that happens is written down.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Hand } from '../contest/hand.ts'
import { nowMs } from '../sale/moment.ts'
import { type Addresses, there } from '../shop/addresses.ts'
import { addTallies, Meter, NO_TALLY, type Tally } from '../shop/meter.ts'
import type { Moment } from '../shop/moment.ts'
import type { Report } from '../shop/orders.ts'
import { connectRedis } from '../shop/redis.ts'
import type { ShopPlan, Terms } from '../shop/shop.ts'
import type { Books, Stock } from '../shop/stock.ts'
import { openStock } from '../shop/stocks.ts'
import type { Sale, Strategy } from '../strategies/strategy.ts'
import { type Belief, beliefs, type Happening, mostAtOnce } from './timeline.ts'

/** Short, so that a scene can wait until a lock has ended. */
export const SCENE_TERMS: Terms = { paymentMs: 1, ttlMs: 800, capMs: 1_500, retryMs: 10, waitMs: 4_000, permits: 2 }
/** On the shelf when a scene begins. */
const PIECES = 10
/** Longer than anything in a scene may take. */
const STEP_MS_MAX = 8_000

/** What is other in one process than in the rest. */
export interface Other {
  readonly clockOffsetMs?: number
  readonly terms?: Partial<Terms>
  readonly addresses?: Partial<Addresses>
}

export type End = { readonly sale: Sale } | { readonly error: string } | 'nothing'

export const isSold = (end: End): boolean => typeof end === 'object' && 'sale' in end && end.sale === 'sold'

export class Stage {
  readonly strategy: Strategy
  readonly item: string
  readonly addresses: Addresses
  readonly happenings: Happening[] = []
  readonly #script: string
  readonly #stock: Stock
  readonly #hands: Hand[] = []
  #processes = 0
  readonly #begunMs: number = nowMs()

  constructor(strategy: Strategy, addresses: Addresses, script: string, item: string, stock: Stock) {
    this.strategy = strategy
    this.addresses = addresses
    this.#script = script
    this.item = item
    this.#stock = stock
  }

  /** @param script the program of one process */
  static async open(strategy: Strategy, addresses: Addresses, script: string): Promise<Stage> {
    const item = `scene-${strategy.name}-${randomUUID().slice(0, 8)}`
    const stock = await openStock[strategy.store](item, addresses, new Meter())
    await stock.fill(PIECES)
    return new Stage(strategy, addresses, script, item, stock)
  }

  /** A process of the shop. */
  async process({ clockOffsetMs = 0, terms = {}, addresses = {} }: Other = {}): Promise<Hand> {
    const plan: ShopPlan = {
      item: this.item,
      store: this.strategy.store,
      terms: { ...SCENE_TERMS, ...this.strategy.terms, ...terms },
      addresses: { ...this.addresses, ...addresses },
      process: this.#processes++,
      clockOffsetMs,
    }
    const hand = await Hand.start(this.#script, { strategy: this.strategy.name, plan, role: 'party' })
    this.#hands.push(hand)
    hand.onReport((report) => this.#note(report))
    if (clockOffsetMs !== 0) this.says(`the clock of process ${plan.process + 1} is ${clockOffsetMs / 1000} s off`)
    return hand
  }

  /** A customer, in a process of its own unless one is given. */
  async customer(name: string, hand?: Hand): Promise<Customer> {
    return new Customer(name, hand ?? (await this.process()), (what) => this.#happens(name, what))
  }

  /** Two customers, A and B, each in a process of its own. */
  two(): Promise<[Customer, Customer]> {
    return Promise.all([this.customer('A'), this.customer('B')])
  }

  /** Three, the last one C. */
  three(): Promise<[Customer, Customer, Customer]> {
    return Promise.all([this.customer('A'), this.customer('B'), this.customer('C')])
  }

  /** Writes down what the data says, or what the scene does to the store. */
  says(what: string): void {
    this.#happens(null, what)
  }

  /** How many pieces the receipts and the stock differ in, or were sold that were not there. */
  async miscount(): Promise<number> {
    const { left, sold } = await this.#stock.books()
    return Math.max(0, sold - (PIECES - left))
  }

  pass(ms: number): Promise<void> {
    return pause(ms)
  }

  /** Waits until a lock that nobody renews has ended. */
  async outliveTtl(): Promise<void> {
    await pause(SCENE_TERMS.ttlMs * 1.3)
    this.says('the time of the lock is over')
  }

  /** Sends one command to the Redis of the run, from a connection of its own. */
  async redis(...[command, ...values]: readonly [string, ...string[]]): Promise<unknown> {
    const redis = await connectRedis(there(this.addresses.redis, 'Redis'), new Meter())
    try {
      return await redis.call(command, ...values)
    } finally {
      redis.disconnect()
    }
  }

  async books(): Promise<Books> {
    const books = await this.#stock.books()
    this.says(`${books.sold} sold by the receipts, ${books.left} left by the stock`)
    return books
  }

  async tally(): Promise<Tally> {
    const tallies = await Promise.all(this.#hands.map((hand) => hand.tally()))
    return addTallies(tallies.map((tally) => tally ?? NO_TALLY))
  }

  get beliefs(): readonly Belief[] {
    return beliefs(this.happenings, nowMs() - this.#begunMs)
  }

  /** How many of these believed at once that nobody else may sell; of all when none is named. */
  mostAtOnce(...names: readonly string[]): number {
    return mostAtOnce(this.beliefs.filter(({ who }) => names.length === 0 || names.includes(who)))
  }

  async close(): Promise<void> {
    await Promise.all(this.#hands.map((hand) => hand.end()))
    await this.#stock.close()
  }

  #note(report: Report): void {
    if (report.kind === 'moment') this.#happens(report.customer, report.moment, report.atMs)
    if (report.kind === 'done') this.#happens(report.customer, report.sale ?? report.error ?? '', report.atMs)
  }

  #happens(who: string | null, what: string, atMs: number = nowMs()): void {
    this.happenings.push({ atMs: atMs - this.#begunMs, who, what })
  }
}

export class Customer {
  readonly name: string
  readonly hand: Hand
  readonly #happens: (what: string) => void
  #begun: Promise<End> | null = null

  constructor(name: string, hand: Hand, happens: (what: string) => void) {
    this.name = name
    this.hand = hand
    this.#happens = happens
  }

  /** Goes on, and stops at that moment. Rejects when it ends before. */
  async to(moment: Moment): Promise<void> {
    const there = this.#hears((report) => report.kind === 'moment' && report.moment === moment)
    this.#go(moment)
    const ended = await Promise.race([there.then(() => null), this.#ended()])
    if (ended !== null) throw new Error(`${this.name} never came to "${moment}": ${JSON.stringify(ended)}`)
  }

  /** As `to`, for a moment that not every strategy has: goes on, and is looked at again after the time. */
  async towards(moment: Moment, limitMs: number): Promise<void> {
    const there = this.#hears((report) => report.kind === 'moment' && report.moment === moment)
    this.#go(moment)
    await Promise.race([there, pause(limitMs, undefined, { ref: false })])
  }

  /** Goes on to its end. `nothing`: it did not end within the time. */
  async end(limitMs: number = STEP_MS_MAX): Promise<End> {
    this.#go(null)
    return Promise.race([this.#ended(), pause(limitMs, 'nothing' as const, { ref: false })])
  }

  /** Goes on, and is not waited for. */
  goOn(): void {
    this.#go(null)
  }

  kill(): void {
    this.#happens('is killed')
    this.hand.kill()
  }

  stop(): void {
    this.#happens('stands still')
    this.hand.signal('SIGSTOP')
  }

  resume(): void {
    this.#happens('goes on as if nothing had been')
    this.hand.signal('SIGCONT')
  }

  #go(until: Moment | null): void {
    // Listens before it speaks: the answer may be quick.
    void this.#ended()
    this.hand.say({ kind: 'go', customer: this.name, until })
  }

  #ended(): Promise<End> {
    this.#begun ??= this.#hears((report) => report.kind === 'done').then((report) => {
      if (report.kind !== 'done') return 'nothing'
      return report.sale === null ? { error: report.error ?? '' } : { sale: report.sale }
    })
    return this.#begun
  }

  #hears(wanted: (report: Report) => boolean): Promise<Report> {
    return new Promise((resolve) => {
      this.hand.onReport((report) => {
        if ('customer' in report && report.customer === this.name && wanted(report)) resolve(report)
      })
    })
  }
}
