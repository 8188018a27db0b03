/**
 * What runs behind the descriptions: one keeper, the fronts and the watches of one Holdfast object. Loaded and started
 * with the first take, so that who only describes locks pays for nothing else.
 */
import { Takes } from './front/takes.ts'
import { Changes } from './keeper/changes.ts'
import { Keeper, type Surroundings } from './keeper/keeper.ts'
import type { Settings } from './options.ts'
import type { Port } from './port.ts'

export interface Engine {
  readonly keeper: Keeper
  readonly takes: Takes
  readonly changes: Changes
}

export function startEngine(port: Port, settings: Settings, surroundings: Surroundings): Engine {
  const keeper = new Keeper(port, settings, surroundings)
  return { keeper, takes: new Takes(keeper), changes: new Changes(keeper) }
}
