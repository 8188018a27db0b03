/** What the command finds in its environment. Variables of an outer `holdfast run` never shine through. */
import { type Clock, dateOf } from '../clock.ts'
import type { Taken } from './taking.ts'

export function environmentFor(
  lease: Taken,
  hardEndAtMs: number | null,
  clock: Clock,
): Readonly<Record<string, string | undefined>> {
  const validForMs = lease.validForMs()
  const leftMs = hardEndAtMs === null ? validForMs : hardEndAtMs - clock.monotonicMs()
  return {
    HOLDFAST_NAME: lease.name,
    // Permits have no order, so there is no number to refuse an earlier holder by.
    HOLDFAST_FENCE: lease.fence === undefined ? undefined : String(lease.fence),
    HOLDFAST_DEADLINE: dateOf(clock.wallMs() + leftMs).toISOString(),
  }
}
