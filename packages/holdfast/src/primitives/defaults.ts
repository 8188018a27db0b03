/** Where the defaults of a take come from: the verb, then the Holdfast object, then the description, then the call. */
import type { TakeOptions } from '../api.ts'
import type { Home } from './home.ts'

/** How long `run` and `acquire` stand in line: longer than a ttl and a beat, so that a crash is sat out. */
export const PATIENCE_MS = 30_000

export function withDefaults<O extends TakeOptions>(home: Home, options: O): O {
  return { ...home.keeper.settings.defaults, ...options }
}
