/** How claims look to people: in errors, `inspect` and the CLI. */
import type { LineView } from '../api.ts'
import { dateOf } from '../clock.ts'
import type { ClaimView } from '../errors.ts'
import { partsOf } from '../names.ts'
import type { ClaimRow, LineRow } from '../port.ts'
import type { Hold } from './hold.ts'

export function rowView(row: ClaimRow): ClaimView {
  const { id, host, pid, label, seq, sinceWallMs, votes } = row
  const view = { id, fence: BigInt(seq) * 1024n, host, pid, label, since: dateOf(sinceWallMs) }
  return votes === undefined ? view : { ...view, votes }
}

/** A hold of this process, as its first user. */
export function holdView(hold: Hold): ClaimView {
  const [user] = hold.users
  return hold.keeper.viewOf(hold.claim, user?.label ?? null, user?.fence ?? null)
}

export function lineView(row: LineRow): LineView {
  return {
    ...partsOf(row.line),
    holders: row.claims.filter((claim) => claim.open).map(rowView),
    waiters: row.claims.filter((claim) => !claim.open).map(rowView),
  }
}
