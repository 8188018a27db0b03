/** Where the defaults of a take come from: the verb, then the Holdfast object, then the description, then the call. */
import type { TakeOptions } from '../api.ts'
import { parseWait } from '../options.ts'
import type { Home } from './home.ts'

/** Longer than a ttl and a beat, so that a crash is sat out. */
const PATIENCE_MS = 30_000

/** How long `run`, `acquire` and other waits stand in line if nobody says otherwise; the `try` verbs do not wait. */
export function patienceOf(home: Home): number {
  const { wait } = home.settings.defaults
  return wait === undefined ? PATIENCE_MS : parseWait(wait)
}

export function withDefaults<O extends TakeOptions>(home: Home, options: O): O {
  const { maxHold } = home.settings.defaults
  return maxHold === undefined ? options : { maxHold, ...options }
}
