/** The customers of one process of a scene: each goes on when it is told, and stops at the moment that it is told. */
import { nowMs } from '../sale/moment.ts'
import type { Sale } from '../strategies/strategy.ts'
import type { Moment } from './moment.ts'
import type { Report } from './orders.ts'

interface Customer {
  until: Moment | null
  /** Set while it is stopped. */
  goOn: (() => void) | null
}

export class Party {
  readonly #tell: (report: Report) => void
  readonly #customers = new Map<string, Customer>()

  constructor(tell: (report: Report) => void) {
    this.#tell = tell
  }

  go(name: string, until: Moment | null, buy: () => Promise<Sale>): void {
    const known = this.#customers.get(name)
    if (known !== undefined) {
      known.until = until
      const { goOn } = known
      known.goOn = null
      goOn?.()
      return
    }
    this.#customers.set(name, { until, goOn: null })
    const done = (sale: Sale | null, error: string | null): void =>
      this.#tell({ kind: 'done', customer: name, sale, error, atMs: nowMs() })
    buy().then(
      (sale) => done(sale, null),
      (error: unknown) => done(null, error instanceof Error ? error.message : String(error)),
    )
  }

  async passes(name: string, moment: Moment): Promise<void> {
    const customer = this.#customers.get(name)
    const stops = customer?.until === moment
    const going = stops ? new Promise<void>((goOn) => Object.assign(customer, { goOn })) : null
    this.#tell({ kind: 'moment', customer: name, moment, atMs: nowMs() })
    await going
  }
}
