/** Writes that may be said again while nobody knows whether they happened: the store answers a repeated one as the first. */
import { isOutage } from '../errors.ts'
import type { Keeper } from '../keeper/keeper.ts'
import type { Home } from './home.ts'

const TRIES = 3
/** After so many times a request's own limit none is begun: once more after a silence, and no oftener. */
const LIMITS = 1.5

/** Gives the last answer. */
export async function repeated<A extends { readonly state: string }>(
  home: Home,
  send: (notAfterMs: number, keeper: Keeper) => Promise<A>,
): Promise<A> {
  const { keeper } = await home.load()
  const lastMs = home.clock.monotonicMs() + keeper.sessions.callMs * LIMITS
  for (let left = TRIES - 1; ; left--) {
    const isLast = (): boolean => left === 0 || home.clock.monotonicMs() >= lastMs
    try {
      const answer = await send(await keeper.notAfterMs(), keeper)
      if (answer.state !== 'too-late' || isLast()) return answer
    } catch (error) {
      if (!isOutage(error) || isLast()) throw error
    }
  }
}
