/** How claims look to people: in errors, `inspect` and the CLI. */
import type { LineView } from '../api.ts'
import { dateOf } from '../clock.ts'
import type { ClaimView } from '../errors.ts'
import { writable } from '../json.ts'
import { partsOf } from '../names.ts'
import type { ClaimRow, LineRow } from '../port.ts'
import type { Hold } from './hold.ts'

export function rowView(row: ClaimRow): ClaimView {
  const { id, host, pid, label, seq, sinceWallMs, detached, untilWallMs, votes } = row
  return writable({
    ...{ id, fence: BigInt(seq) * 1024n, host, pid, label, since: dateOf(sinceWallMs), detached },
    until: untilWallMs === null ? null : dateOf(untilWallMs),
    ...(votes === undefined ? {} : { votes }),
  })
}

/** A hold of this process, as its first user. Kept for the next one, it has none. */
export function holdView({ keeper, claim, users: [user] }: Hold): ClaimView {
  return keeper.viewOf(claim, user ?? { label: null, fence: BigInt(claim.seq) * 1024n, endMs: claim.endMs })
}

export function lineView(row: LineRow): LineView {
  return {
    ...partsOf(row.line),
    holders: row.claims.filter((claim) => claim.open).map(rowView),
    waiters: row.claims.filter((claim) => !claim.open).map(rowView),
  }
}
