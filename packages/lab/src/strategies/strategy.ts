/**
 * A strategy is one way to sell without selling too much: the code, what it fixes of the one before it, and what it
 * leaves wrong. What it claims here is held against what its sale and its scenes show.
 */
import type { Shop, Terms } from '../shop/shop.ts'

/** Where the stock of a strategy lies, and its lock with it. The first needs no server. */
export type Store = 'sqlite' | 'redis' | 'quorum' | 'sentinel' | 'mariadb' | 'postgres'

/** `right until`: right in the crowd, and broken by a scene. */
export type Verdict = 'right' | 'right until' | 'wrong'

export type Sale = 'sold' | 'sold out' | 'busy'

/** One purchase: takes the lock, sells a piece, gives the lock back. */
export type Buy = () => Promise<Sale>

export interface Strategy {
  /** In kebab case; how it is named on the command line. */
  readonly name: string
  /** Its place on the staircase. Several ways to do one thing share a step. */
  readonly step: number
  readonly title: string
  readonly store: Store
  readonly made: 'plain client' | 'Holdfast'
  readonly verdict: Verdict
  readonly fixes: string
  readonly leaves: string
  /** The file beside this one that it is in, and a piece of the line in it that makes the difference. */
  readonly source: { readonly file: string; readonly line: string }
  /** Other terms than those of the sale, where the point shows only then. */
  readonly terms?: Partial<Terms>
  readonly open: (shop: Shop) => Promise<Buy>
}

/** On the staircase, and not to be climbed here yet. */
export interface Missing {
  readonly name: string
  readonly step: number
  readonly title: string
  readonly needs: string
}
