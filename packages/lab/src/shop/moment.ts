/**
 * Moments are the places between two commands of a strategy at which a scene can hold it. In a sale nobody listens, and
 * passing one costs nothing but a turn.
 */
export type Moment = OfAll | OfHandMade | OfDatabases | OfPrimitives

type OfAll =
  /** It believes that nobody else may sell now. */
  'holds the lock' | 'gives it back' | 'let go' | 'read the stock' | 'paid'

type OfHandMade =
  | 'saw its own name in the lock'
  | 'is about to delete it'
  /** It took the lock, and the lock has no end yet. */
  | 'took it without an end'
  | 'saw an old deadline'
  | 'wrote its deadline'
  | 'listens'

type OfDatabases = 'locked the first row' | 'asks for the lock'

type OfPrimitives =
  | 'is inside twice'
  | 'has the first of two'
  /** It has its number, and does not stand in the line yet. */
  | 'has its number'
  | 'looks at the price'
  | 'has looked'

/** When a customer believes to be alone: from one moment to the other. Once it gives the lock back, the next may have it. */
export const BELIEF: Readonly<Record<'from' | 'to', Moment>> = {
  from: 'holds the lock',
  to: 'gives it back',
}
