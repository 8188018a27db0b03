/** What every primitive of one Holdfast object works with. */
import type { Takes } from '../front/takes.ts'
import type { Keeper } from '../keeper/keeper.ts'
import type { Changes } from './changes.ts'

export interface Home {
  readonly keeper: Keeper
  readonly takes: Takes
  readonly changes: Changes
}
