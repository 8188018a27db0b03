/** How claims look to people: in errors, `inspect` and the CLI. */
import type { LineView } from '../api.ts'
import type { ClaimView } from '../errors.ts'
import { partsOf } from '../names.ts'
import type { ClaimRow, LineRow } from '../port.ts'

export function rowView(row: ClaimRow): ClaimView {
  const { id, host, pid, label, seq, sinceWallMs } = row
  return { id, fence: BigInt(seq) * 1024n, host, pid, label, since: new Date(sinceWallMs) }
}

export function lineView(row: LineRow): LineView {
  return {
    ...partsOf(row.line),
    holders: row.claims.filter((claim) => claim.open).map(rowView),
    waiters: row.claims.filter((claim) => !claim.open).map(rowView),
  }
}
